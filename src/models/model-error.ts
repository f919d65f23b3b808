import { HandrailError } from '../errors.js'
import { judge, type ErrorFacts } from './failures.js'
import type { ModelConfig } from './model.js'

export type { ErrorFacts }

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
  readonly errorCode?: string | null
  readonly param?: string | null
  readonly apiMessage?: string | null
  readonly headers?: Headers
}

/** What any exception of a request comes to. `started`: the answer had begun to stream. */
export function toModelError(error: unknown, started: boolean, sdk: SdkErrors, config: ModelConfig): HandrailError {
  if (HandrailError.is(error)) return error
  if (error instanceof ReportedError) return reported(error.facts, config)
  const isConnection = error instanceof sdk.APIConnectionError
  if (!isConnection && error instanceof sdk.APIError) {
    const { status, type, code, errorCode, param, apiMessage, headers } = error
    return reported(
      {
        status,
        type: type ?? undefined,
        code: code ?? errorCode ?? undefined,
        param: param ?? undefined,
        message: apiMessage ?? error.message.replace(/^\d{3} /, ''),
        headers,
      },
      config,
    )
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

/** What a provider said when it refused a request, for what may be asked again without the thing that it refused. */
const refusals = new WeakMap<HandrailError, ErrorFacts>()

/** The facts behind an error, unredacted: not to be shown. Absent: no provider has reported it. */
export const factsOf = (error: unknown): ErrorFacts | undefined =>
  HandrailError.is(error) ? refusals.get(error) : undefined

function reported(facts: ErrorFacts, config: ModelConfig): HandrailError {
  const { status, type, code, message } = facts
  const label = [status, code ?? (type === 'error' ? undefined : type)].filter(Boolean).join(' ') || 'an error'
  const { code: name, retryable, retryAfter, isTooLong } = judge(facts)
  const wait = isTooLong ? ` It asks to wait ${Math.ceil(retryAfter! / 1000)} s, which is too long.` : ''
  const error = tell(name, retryable, `${nameOf(config)} answered ${label}: ${message}`, config, {
    retryAfter,
    more: wait,
  })
  refusals.set(error, facts)
  return error
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
function tell(
  code: string,
  retryable: boolean,
  message: string,
  config: ModelConfig,
  { retryAfter, more = '' }: { readonly retryAfter?: number; readonly more?: string } = {},
): HandrailError {
  const text = redact(message, config)
    .replaceAll(/<[^<>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const shown = text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text
  return new HandrailError(code, shown.charAt(0).toUpperCase() + shown.slice(1) + more, { retryable, retryAfter })
}

/** A provider, a proxy or fetch itself may repeat a key or a header in what it says. */
function redact(text: string, { apiKey, headers = {} }: ModelConfig): string {
  const values = [apiKey, ...Object.values(headers)].flatMap((value) => (value ? [value, ...value.split(/\s+/)] : []))
  const secrets = values.filter((value) => value.length >= 6).toSorted((a, b) => b.length - a.length)
  let shown = text
  for (const secret of secrets) shown = shown.replaceAll(secret, '[redacted]')
  shown = shown.replaceAll(/\/\/[^/@\s]+@/g, '//[redacted]@')
  shown = shown.replaceAll(/([?&](?:[\w-]*key|[\w-]*token|sig|signature)=)[^&\s"'<>]+/gi, '$1[redacted]')
  return shown.replaceAll(/\b(?:Bearer\s+|sk-|AIza|gsk_|xai-)[\w*.~+/=-]{6,}/gi, '[redacted]')
}
