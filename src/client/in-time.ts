import { HandrailError } from '../errors.js'

/** Milliseconds that the app's own functions may take to decide about one call: less than the worker waits for the page. */
const decisionTime = 9000

/**
 * Gives work a signal, which is aborted when its time is over or it has ended. What hangs then is left behind.
 * @throws {HandrailError} `check_timeout`
 */
export async function inTime<T>(what: string, work: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
  const controller = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new HandrailError('check_timeout', `${what} gave no answer within ${decisionTime} ms`)),
      decisionTime,
    )
  })
  try {
    return await Promise.race([(async () => work(controller.signal))(), late])
  } finally {
    clearTimeout(timer)
    controller.abort()
  }
}
