import type { Pruned, Retention } from '../runtime/protocol.js'
import type { Link } from './link.js'

export interface PruneOptions extends Retention {
  /** After each session. */
  readonly onProgress?: (progress: Pruned) => void
}
export interface Amount {
  readonly sessions: number
  readonly runs: number
  /** Of what was stored, as JSON in UTF-8. */
  readonly bytes: number
}

/** Session by session, until nothing more is to be removed. What `onProgress` throws stops it. */
export async function prune(link: Pick<Link, 'call'>, { onProgress, ...limits }: PruneOptions): Promise<Amount> {
  let [sessions, runs, bytes] = [0, 0, 0]
  for (;;) {
    const pruned = await link.call((api) => api.prune(limits))
    if (pruned.session !== undefined) sessions++
    runs += pruned.runs
    bytes += pruned.bytes
    onProgress?.(pruned)
    if (pruned.done) return { sessions, runs, bytes }
  }
}
