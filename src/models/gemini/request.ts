import { timeout } from '../connection.js'
import type { ModelConfig } from '../model.js'
import { ReportedError } from '../model-error.js'
import { readFailure } from './failure.js'

/** No answer came. */
export class Unreachable extends Error {}

interface Sending {
  readonly config: ModelConfig
  readonly fetch: typeof fetch
  readonly signal: AbortSignal
}

type Target = Parameters<typeof fetch>[0]
type Answer = { readonly response: Response } | { readonly error: Error; readonly wait?: number }

/** Milliseconds that are waited for at most before the second attempt. */
const longestWait = 60_000

/**
 * One request, tried once more where that may help. The SDK's own attempts know neither what the provider asks to wait nor a
 * signal, and its time limit is for the whole stream.
 */
export async function sendRequest(url: Target, init: RequestInit, sending: Sending): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const answer = await send(url, init, sending)
    if ('response' in answer) return answer.response
    const { error, wait } = answer
    if (attempt > 1 || wait === undefined || wait > longestWait || sending.signal.aborted) throw error
    await pause(wait, sending.signal)
  }
}

async function send(url: Target, init: RequestInit, { config, fetch, signal }: Sending): Promise<Answer> {
  const headers = new Headers(init.headers)
  // The SDK demands a key, and sends it beside any other authorization.
  if (!config.apiKey && headers.has('authorization')) headers.delete('x-goog-api-key')
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error(`no answer within ${timeout / 1000} s`)), timeout)
  try {
    const response = await fetch(url, { ...init, headers, signal: AbortSignal.any([signal, late.signal]) })
    if (response.ok) return { response }
    const { retryDelay, ...facts } = readFailure(await response.text(), response.status)
    const { status, code } = facts
    const mayHelp = (status === 429 && code !== 'insufficient_quota') || status === 408 || (status ?? 0) >= 500
    const wait = retryDelay ?? askedWait(response.headers) ?? backoff()
    return { error: new ReportedError(facts), wait: mayHelp ? wait : undefined }
  } catch (cause) {
    return { error: new Unreachable('', { cause }), wait: backoff() }
  } finally {
    clearTimeout(timer)
  }
}

const backoff = () => 500 + Math.random() * 500

function askedWait(headers: Headers): number | undefined {
  const exact = Number(headers.get('retry-after-ms') ?? NaN)
  const wait = Number.isFinite(exact) ? exact : Number(headers.get('retry-after') ?? NaN) * 1000
  return Number.isFinite(wait) && wait >= 0 ? wait : undefined
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
  })
