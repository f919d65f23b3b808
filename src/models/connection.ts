import type { ModelConfig } from './model.js'

/** The base URL as an SDK takes it. One that begins with a slash is on the page's own server. */
export function absoluteUrl(baseURL: string | undefined): string | null {
  if (baseURL === undefined) return null
  return baseURL.startsWith('/') ? `${globalThis.location?.origin ?? ''}${baseURL}` : baseURL
}

/** An SDK demands a key; a proxy puts its own in. */
export const placeholderKey = 'none'

/** What an SDK is told: the loop tries again, and `watchedFetch` waits. */
export const sdkRetries = 0
/** The longest that a timer takes. */
export const sdkTimeout = 2 ** 31 - 1

const defaultTimeout = 120_000

/** A provider was silent for too long. It is no abort: an SDK ends an aborted stream as if it were complete. */
export class Silence extends Error {
  constructor(timeout: number) {
    super(`nothing came for ${timeout / 1000} s`)
  }
}

/**
 * `fetch` that gives up with a `Silence`, and closes the connection, when nothing comes for `config.timeout`: before the answer,
 * or between two pieces of it, be they only a sign of life. The time that nobody reads does not count.
 */
export function watchedFetch(config: ModelConfig & { readonly fetch?: typeof fetch }): typeof fetch {
  const { timeout = defaultTimeout } = config
  const ask = config.fetch ?? globalThis.fetch
  return async (url, init) => {
    const line = new AbortController()
    follow(line, init?.signal)
    const within = <Value>(work: Promise<Value>) => giveUpAfter(timeout, work, line)
    const response = await within(ask(url, { ...init, signal: line.signal }))
    if (!response.body) return response
    const reader = response.body.getReader()
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        async pull(controller) {
          const { done, value } = await within(reader.read())
          if (done) controller.close()
          else controller.enqueue(value)
        },
        // It may have broken meanwhile, which nobody wants to know any more.
        cancel: (reason) => reader.cancel(reason).catch(() => undefined),
      },
      { highWaterMark: 0 },
    )
    const { status, statusText, headers } = response
    return new Response(body, { status, statusText, headers })
  }
}

/** Aborts `line` with the signal, which is of one request, too. Costs less than `AbortSignal.any`. */
function follow(line: AbortController, signal: AbortSignal | null | undefined): void {
  if (signal?.aborted) line.abort(signal.reason)
  else signal?.addEventListener('abort', () => line.abort(signal.reason), { once: true })
}

async function giveUpAfter<Value>(ms: number, work: Promise<Value>, line: AbortController): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const silence = new Silence(ms)
      reject(silence)
      line.abort(silence)
    }, ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
