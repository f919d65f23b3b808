import { isJsonObject, type Json, type JsonObject } from '../../core/json.js'
import type { ErrorFacts } from '../model-error.js'
import { countAt, inner, objectsAt, textAt } from '../wire.js'

/** What the text of an answer says of its failure. Google's own is an object or a list of one, a gateway's may be a page. */
export function readFailure(text: string, status: number): ErrorFacts {
  const error = errorIn(text)
  return error ? toFacts(error, status) : { status, message: text || 'it gave no reason' }
}

/** The facts of Google's error object, from an answer or from the middle of a stream, where its `code` is the status. */
export function toFacts(error: JsonObject, status = countAt(error, 'code')): ErrorFacts {
  const details = objectsAt(error, 'details')
  const message = textAt(error, 'message') || 'it gave no reason'
  // Google answers a wrong key with 400.
  if (details.some(({ reason }) => reason === 'API_KEY_INVALID')) return { code: 'invalid_api_key', message }
  const violations = details.flatMap((detail) => objectsAt(detail, 'violations'))
  // A day is too long to wait.
  const isSpent = violations.some((violation) => /PerDay/i.test(textAt(violation, 'quotaId')))
  const code = isSpent ? 'insufficient_quota' : textAt(error, 'status') || undefined
  return { status, code, message, retryAfter: delayOf(error) }
}

/** The error object in a text that is JSON, or that the SDK has put before JSON. */
export function errorIn(text: string): JsonObject | undefined {
  try {
    const body = JSON.parse(text.slice(Math.max(0, text.search(/[[{]/)))) as Json
    const first = Array.isArray(body) ? (body[0] as Json) : body
    return isJsonObject(first) ? inner(first, 'error') : undefined
  } catch {
    return undefined
  }
}

/** Milliseconds that a `RetryInfo` asks for. */
function delayOf(error: JsonObject): number | undefined {
  for (const detail of objectsAt(error, 'details')) {
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(textAt(detail, 'retryDelay'))?.[1]
    if (seconds !== undefined) return Math.ceil(Number(seconds) * 1000)
  }
  return undefined
}
