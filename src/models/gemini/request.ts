import type { ModelConfig } from '../model.js'
import { ReportedError } from '../model-error.js'
import { plainEvents } from './events.js'
import { readFailure } from './failure.js'

/** No answer came. */
export class Unreachable extends Error {}

/** One request, whose failure is told with its headers and its whole body: of these the SDK keeps only a part. */
export async function sendRequest(
  url: Parameters<typeof fetch>[0],
  init: RequestInit,
  { apiKey }: ModelConfig,
  ask: typeof fetch,
): Promise<Response> {
  const headers = new Headers(init.headers)
  // The SDK demands a key, and sends it beside any other authorization.
  if (!apiKey && headers.has('authorization')) headers.delete('x-goog-api-key')
  const response = await answerTo(ask(url, { ...init, headers }))
  if (response.ok) return readable(response)
  const text = await answerTo(response.text())
  throw new ReportedError({ ...readFailure(text, response.status), headers: response.headers })
}

function readable(response: Response): Response {
  const { body, status, statusText, headers } = response
  if (!body || !/\bevent-stream\b/i.test(headers.get('content-type') ?? '')) return response
  return new Response(plainEvents(body), { status, statusText, headers })
}

const answerTo = <Value>(work: Promise<Value>): Promise<Value> =>
  work.catch((cause: unknown) => {
    throw new Unreachable('', { cause })
  })
