import { HandrailError } from '../../index.js'

/** Where an exception came up: while a session was made, before the first piece of a reply, or after it. */
export type Stage = 'create' | 'prompt' | 'stream'

/** What any exception of the browser's model comes to, but for those that are an end of the reply. */
export function toModelError(error: unknown, stage: Stage, signal?: AbortSignal): HandrailError {
  if (HandrailError.is(error)) return error
  const name = nameOf(error)
  const why = error instanceof Error && error.message ? error.message : name
  if (signal?.aborted || name === 'AbortError')
    return new HandrailError('model_aborted', "The request to the browser's model was stopped")
  const fail = (code: string, what: string, retryable = false) =>
    new HandrailError(code, `${what} (${name}: ${why})`, { retryable })
  switch (name) {
    case 'NotAllowedError':
      return fail('model_unavailable', `The browser does not allow its model here; ${mayAllow[stage]}`)
    case 'NotSupportedError':
      if (stage === 'create') return fail('model_unavailable', unavailable)
      return fail(
        'model_bad_request',
        "The browser's model does not take a language, or a schema of a tool or the answer",
      )
    case 'SyntaxError':
      return fail('model_bad_reply', "The browser's model did not keep to the form of a reply", true)
    case 'TypeError':
    case 'RangeError':
      return fail('model_bad_request', "The browser's model refused the request")
    case 'NetworkError':
      return fail('model_unavailable', 'The browser could not download its model', true)
    default:
      if (stage === 'stream') return fail('model_stream_cut', "The reply of the browser's model broke", true)
      return fail('model_unavailable', "The browser's model failed", true)
  }
}

const unavailable =
  'The browser can have no model here: the computer is too small, or it lacks disk space or the language; use another model'

const mayAllow: Readonly<Record<Stage, string>> = {
  create: 'if it has to be downloaded first, call download() in the handler of a click',
  prompt: 'a person or a policy has switched it off, or the frame lacks allow="language-model"',
  stream: 'a person or a policy has switched it off',
}

/** @throws {HandrailError} `model_unavailable`: this computer will never have it. */
export const noModel = (): HandrailError => new HandrailError('model_unavailable', unavailable)

/** The transcript does not fit into the window of the model. */
export const isOverflow = (error: unknown): boolean => nameOf(error) === 'QuotaExceededError'

/** The browser withheld what the model said. */
export const isFiltered = (error: unknown): boolean => nameOf(error) === 'NotReadableError'

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error)
