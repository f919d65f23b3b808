import { HandrailError } from '../errors.js'

/** The part of `LockManager` that a lease needs. */
export interface Locks {
  request<T>(name: string, options: LockOptions, callback: (lock: unknown) => T | Promise<T>): Promise<T>
}

/** The right to drive a session. Held until it is released, taken by force, or its worker ends. */
export interface Lease {
  /** Aborted when another tab takes the lease by force. */
  readonly lost: AbortSignal
  /** Resolves when others can take it. */
  release(): Promise<void>
}

/**
 * - `now`: only if nobody holds it.
 * - `wait`: when everyone before has let go; `signal` ends the waiting.
 * - `force`: from whoever holds it. What that one still writes is refused by the position in the log.
 */
export type LeaseMode = 'now' | 'wait' | 'force'

/** Takes the lease of that name. Undefined: somebody else has it, or the waiting was ended. */
export function takeLease(
  locks: Locks,
  name: string,
  mode: LeaseMode,
  signal?: AbortSignal,
): Promise<Lease | undefined> {
  return new Promise((resolve, reject) => {
    const lost = new AbortController()
    const options: LockOptions =
      mode === 'now' ? { ifAvailable: true } : mode === 'force' ? { steal: true } : { signal }
    let isHeld = false
    const held = locks.request(name, options, (lock) => {
      if (!lock) return resolve(undefined)
      isHeld = true
      return new Promise<void>((letGo) => {
        const release = async () => {
          letGo()
          await held.catch(() => undefined)
        }
        resolve({ lost: lost.signal, release })
      })
    })
    held.catch((error: unknown) => {
      lost.abort()
      if (isHeld || signal?.aborted) resolve(undefined)
      else reject(error)
    })
  })
}

export const leaseName = (owner: string, session: string): string => `handrail:${JSON.stringify([owner, session])}`

/**
 * Works on a session that nobody has open, and has it meanwhile. `doing` completes the sentence "Cannot ...".
 * @throws {HandrailError} `session_busy`
 */
export async function withFreeLease<T>(locks: Locks, name: string, doing: string, work: () => Promise<T>): Promise<T> {
  const lease = await takeLease(locks, name, 'now')
  if (!lease) throw new HandrailError('session_busy', `Cannot ${doing}: another tab has it open`, { retryable: true })
  try {
    return await work()
  } finally {
    await lease.release()
  }
}
