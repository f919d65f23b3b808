import { HandrailError } from '../errors.js'
import type { ModelConfig } from './model.js'

/** What a provider said of a failure, in an answer or in the middle of a stream. */
export interface ErrorFacts {
  /** HTTP status; absent for what came inside a stream. */
  readonly status?: number
  readonly type?: string
  readonly code?: string
  readonly message: string
}

/** A failure that the provider reported as an event of a stream. */
export class ReportedError extends Error {
  constructor(readonly facts: ErrorFacts) {
    super(facts.message)
  }
}

/** The error classes that both SDKs have. */
interface SdkErrors {
  readonly APIError: abstract new (...args: never[]) => SdkError
  readonly APIConnectionError: abstract new (...args: never[]) => Error
}
interface SdkError extends Error {
  readonly status?: number
  readonly type?: string | null
  readonly code?: string | null
  readonly apiMessage?: string | null
}

/** What any exception of a request comes to. `started`: the answer had begun to stream. */
export function toModelError(error: unknown, started: boolean, sdk: SdkErrors, config: ModelConfig): HandrailError {
  if (HandrailError.is(error)) return error
  if (error instanceof ReportedError) return reported(error.facts, config)
  const isConnection = error instanceof sdk.APIConnectionError
  if (!isConnection && error instanceof sdk.APIError) {
    const { status, type, code, apiMessage } = error
    const message = apiMessage ?? error.message.replace(/^\d{3} /, '')
    return reported({ status, type: type ?? undefined, code: code ?? undefined, message }, config)
  }
  const why = reasons(error)
  if (started) return tell('model_stream_cut', true, `The stream of ${nameOf(config)} broke: ${why}`, config)
  if (isConnection) return tell('model_unavailable', true, `Cannot reach ${nameOf(config)}: ${why}`, config)
  return tell('model_bad_request', false, `Cannot send the request to ${nameOf(config)}: ${why}`, config)
}

export const streamCut = (config: ModelConfig): HandrailError =>
  tell('model_stream_cut', true, `The stream of ${nameOf(config)} ended before the reply did`, config)

export const aborted = (config: ModelConfig): HandrailError =>
  tell('model_aborted', false, `The request to ${nameOf(config)} was stopped`, config)

export const noStream = (contentType: string, config: ModelConfig): HandrailError =>
  tell(
    'model_bad_request',
    false,
    `The answer of ${nameOf(config)} is "${contentType}", expected "text/event-stream": check the base URL`,
    config,
  )

const nameOf = ({ provider, model }: ModelConfig): string => `model "${model}" of ${provider}`

/** Codes of a 429 that waiting does not mend. */
const spent = new Set([
  'insufficient_quota',
  'credit_balance_exhausted',
  'organization_spend_limit_exceeded',
  'project_spend_limit_exceeded',
  'organization_usage_limit_exceeded',
])
const auth = new Set(['authentication_error', 'permission_error', 'invalid_api_key'])
const limited = new Set(['rate_limit_error', 'rate_limit_exceeded', 'slow_down', ...spent])
const down = new Set([
  'server_error',
  'server_is_overloaded',
  'overloaded_error',
  'api_error',
  'timeout_error',
  'internal_error',
])

function reported(facts: ErrorFacts, config: ModelConfig): HandrailError {
  const { status, type, code, message } = facts
  const is = (known: ReadonlySet<string>) => known.has(code ?? '') || known.has(type ?? '')
  const isNameless = status === undefined && !code && (!type || type === 'error')
  const label = [status, code ?? (type === 'error' ? undefined : type)].filter(Boolean).join(' ') || 'an error'
  const say = (name: string, retryable: boolean) =>
    tell(name, retryable, `${nameOf(config)} answered ${label}: ${message}`, config)
  if (status === 401 || status === 403 || (status === undefined && is(auth))) return say('model_auth', false)
  if (status === 429 || (status === undefined && is(limited))) return say('model_rate_limit', !is(spent))
  if (status !== undefined ? status === 408 || status === 409 || status >= 500 : is(down) || isNameless)
    return say('model_unavailable', true)
  return say('model_bad_request', false)
}

/** An exception and its causes: fetch says only "fetch failed". */
function reasons(error: unknown): string {
  const said: string[] = []
  for (let at = error, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth++)
    if (at.message) said.push(at.message.replace(/\.$/, ''))
  return said.length > 0 ? said.join(': ') : String(error)
}

const shownCharacters = 500

/** No cause is attached: the exceptions of an SDK hold headers and whole answers. */
function tell(code: string, retryable: boolean, message: string, config: ModelConfig): HandrailError {
  const text = redact(message, config)
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const shown = text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text
  return new HandrailError(code, shown.charAt(0).toUpperCase() + shown.slice(1), { retryable })
}

/** A provider, a proxy or fetch itself may repeat a key or a header in what it says. */
function redact(text: string, { apiKey, headers = {} }: ModelConfig): string {
  const values = [apiKey, ...Object.values(headers)].flatMap((value) => (value ? [value, ...value.split(/\s+/)] : []))
  const secrets = values.filter((value) => value.length >= 6).toSorted((a, b) => b.length - a.length)
  let shown = text
  for (const secret of secrets) shown = shown.replaceAll(secret, '[redacted]')
  shown = shown.replaceAll(/\/\/[^/@\s]+@/g, '//[redacted]@')
  return shown.replaceAll(/\b(?:Bearer\s+|sk-)[\w*.~+/=-]{6,}/gi, '[redacted]')
}
