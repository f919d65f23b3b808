import { HandrailError } from '../errors.js'
import type { Agent } from './agent.js'

/** Of the quota of the origin: what is left is for what has begun. */
const mostUsed = 0.95

/**
 * A run that the storage has no room for does not begin, and one that has begun stands still before its next step.
 * @throws {HandrailError} `store_nearly_full`
 */
export async function checkRoom({ setup, platform }: Pick<Agent, 'setup' | 'platform'>): Promise<void> {
  if (setup.store !== 'indexeddb') return
  // A browser that does not say has as much room as it has.
  const storage = await platform.storage().catch(() => undefined)
  if (!storage || !(storage.quota > 0) || storage.usage <= storage.quota * mostUsed) return
  const message = `The storage of this origin is nearly full: ${inMB(storage.usage)} of ${inMB(storage.quota)} are used. Delete sessions, or free storage, and the run can go on`
  throw new HandrailError('store_nearly_full', message, { retryable: true })
}

const inMB = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`
