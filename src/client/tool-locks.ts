import { HandrailError, ToolError, toFailure } from '../errors.js'

/** Milliseconds a tool may take that states no `limits.timeout`. */
const defaultTimeout = 30_000

/**
 * Does work while it holds the locks of these names, which every tab of this origin respects. They are taken in one order, so that
 * two calls never wait for each other.
 * @param timeout of the call, in milliseconds: half of it is spent on waiting
 * @throws {ToolError} `locked` or `aborted`, when the work was not begun
 */
export async function withLocks<T>(
  names: readonly string[],
  signal: AbortSignal,
  timeout: number | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const sorted = [...new Set(names)].toSorted()
  if (sorted.length === 0) return work()
  const wait = (timeout ?? defaultTimeout) / 2
  const waiting = new AbortController()
  const give = () => waiting.abort()
  const timer = setTimeout(give, wait)
  signal.addEventListener('abort', give, { once: true })
  let hasBegun = false
  const take = ([name, ...others]: readonly string[]): Promise<T> => {
    if (name !== undefined)
      return navigator.locks.request(`handrail-tool:${name}`, { signal: waiting.signal }, () => take(others))
    clearTimeout(timer)
    hasBegun = true
    return work()
  }
  try {
    if (signal.aborted) give()
    return await take(sorted)
  } catch (error) {
    if (hasBegun) throw error
    if (signal.aborted) throw new ToolError('aborted', 'The call was aborted while it waited for a lock')
    const what = sorted.map((name) => `"${name}"`).join(', ')
    if (!waiting.signal.aborted)
      throw new ToolError('locked', `Nothing was done: the locks ${what} cannot be taken: ${toFailure(error).message}`)
    throw new ToolError('locked', `Nothing was done: another call holds one of ${what}, for more than ${wait} ms`, {
      retryable: true,
    })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', give)
  }
}

/** @throws {HandrailError} `invalid_locks` if it is no list of names */
export function toNames(toolName: string, value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((name) => typeof name === 'string' && name !== '')) return value as string[]
  throw new HandrailError(
    'invalid_locks',
    `Cannot use what "once.locks" of tool "${toolName}" answers: it must be an array of names`,
  )
}
