import { HandrailError } from '../errors.js'

/**
 * What a promise gives within `ms` milliseconds.
 * @throws {HandrailError} `timeout`, saying who did not answer; or what the promise rejects with.
 */
export function within<T>(ms: number, promise: Promise<T>, who: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () =>
      reject(new HandrailError('timeout', `${who} did not answer within ${ms} ms`, { retryable: true }))
    const timer = setTimeout(late, ms)
    void promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
