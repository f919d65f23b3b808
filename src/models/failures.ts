/** What a provider said of a failure, in an answer or in the middle of a stream. */
export interface ErrorFacts {
  /** HTTP status; absent for what came inside a stream. */
  readonly status?: number
  readonly type?: string
  readonly code?: string
  /** The field of the request that is at fault. */
  readonly param?: string
  readonly message: string
  /** Of the answer. */
  readonly headers?: Headers
  /** Milliseconds that the body asks to wait. */
  readonly retryAfter?: number
}

export interface Judgement {
  readonly code: 'model_auth' | 'model_rate_limit' | 'model_unavailable' | 'model_bad_request'
  readonly retryable: boolean
  /** Milliseconds. */
  readonly retryAfter?: number
}

interface Row extends Omit<Judgement, 'retryAfter'> {
  readonly status: (status: number) => boolean
  /** Codes and types of what came without a status. */
  readonly names: readonly string[]
}

const among =
  (...statuses: readonly number[]) =>
  (status: number): boolean =>
    statuses.includes(status)

/** What is tried again, and what is not: no other place decides it. The first row that fits counts. */
const rows: readonly Row[] = [
  {
    code: 'model_auth',
    retryable: false,
    status: among(401, 403),
    names: ['authentication_error', 'permission_error', 'invalid_api_key', 'UNAUTHENTICATED', 'PERMISSION_DENIED'],
  },
  {
    code: 'model_rate_limit',
    retryable: true,
    status: among(429),
    names: ['rate_limit_error', 'rate_limit_exceeded', 'slow_down', 'RESOURCE_EXHAUSTED'],
  },
  {
    code: 'model_unavailable',
    retryable: true,
    // 501: the server does not know how, and never will.
    status: (status) => status === 408 || status === 409 || (status >= 500 && status !== 501),
    names: [
      'server_error',
      'server_is_overloaded',
      'overloaded_error',
      'api_error',
      'timeout_error',
      'internal_error',
      'UNAVAILABLE',
      'INTERNAL',
      'DEADLINE_EXCEEDED',
    ],
  },
]
const others: Omit<Judgement, 'retryAfter'> = { code: 'model_bad_request', retryable: false }

/** Of a 429: waiting does not mend it. */
const spent = [
  'insufficient_quota',
  'credit_balance_exhausted',
  'organization_spend_limit_exceeded',
  'project_spend_limit_exceeded',
  'organization_usage_limit_exceeded',
]
/** The same in words, where there is no code for it. A limit by the minute says how long to wait. */
const spentWords =
  /\b(spend(ing)?|budget|billing|credits?|(monthly|api) usage) (limit|cap|balance|quota|threshold)s?\b/i

const windowWords =
  /\b(exceeds?|exceeded|maximum|larger|longer|beyond|fit)\b.*\b(context (length|window|size)|number of tokens allowed)\b|\b(prompt|input|conversation|context) (is |was )?too (long|large)\b|\bcontext (length|window|size) (was |is )?(exceeded|too)/i

/** Whether the conversation is what is wrong: it fills the window of the model. */
export const isWindowFull = ({ status, code, message }: ErrorFacts): boolean =>
  (status === undefined || status === 400 || status === 413 || status === 422) &&
  (code === 'context_length_exceeded' || windowWords.test(message))

/** Milliseconds that are waited for at most. */
const longestWait = 60_000

export function judge(facts: ErrorFacts): Judgement & { readonly isTooLong: boolean } {
  const { status, code, type, message, headers } = facts
  const retryAfter = facts.retryAfter ?? askedWait(headers)
  const named = (names: readonly string[]) => names.includes(code ?? '') || names.includes(type ?? '')
  // What breaks in mid-stream without a reason may not do so again.
  const isNameless = status === undefined && !code && (!type || type === 'error')
  const row = isNameless
    ? rows.find((each) => each.code === 'model_unavailable')!
    : (rows.find((each) => (status === undefined ? named(each.names) : each.status(status))) ?? others)
  const isSpent =
    (status === 429 && retryAfter === undefined && spentWords.test(message)) ||
    ((status === undefined || status === 429) && named(spent))
  if (isSpent) return { code: 'model_rate_limit', retryable: false, isTooLong: false }
  const told = status === undefined ? null : headers?.get('x-should-retry')
  const isTooLong = retryAfter !== undefined && retryAfter > longestWait
  const retryable = told === 'true' || (row.retryable && told !== 'false')
  return { code: row.code, retryable: retryable && !isTooLong, retryAfter, isTooLong: retryable && isTooLong }
}

/** Milliseconds that an answer's headers ask to wait. A page reads them only where the server exposes them. */
function askedWait(headers: Headers | undefined): number | undefined {
  const exact = Number(headers?.get('retry-after-ms') || NaN)
  if (exact >= 0) return exact
  const given = headers?.get('retry-after')
  if (!given) return undefined
  const seconds = Number(given)
  if (!Number.isNaN(seconds)) return seconds >= 0 ? seconds * 1000 : undefined
  // By the server's own clock, where it tells.
  const until = Date.parse(given) - (Date.parse(headers?.get('date') ?? '') || Date.now())
  return Number.isNaN(until) ? undefined : Math.max(0, until)
}
