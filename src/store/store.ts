import type { RunEvent } from '../core/events.js'
import type { Context } from '../core/tool-definition.js'

/**
 * The contract of a store: append-only logs, one a run, in sessions that belong to an owner. Every failure is a
 * `HandrailError` with one of the codes below; after one, nothing of the refused append is stored.
 *
 * - `store_conflict`: another writer holds that position.
 * - `store_full`: the origin's quota is used up.
 * - `store_outdated`: a newer version of the app has upgraded the database; reload.
 * - `store_closed`: closed by `close`, or because another tab upgrades the database.
 * - `store_failed`: anything else, with its cause.
 */
export interface Store {
  /**
   * Starts run `head.index` of a session with its first events, all or none. Rejects with `store_conflict` if the run exists,
   * or unless the session has exactly `head.index` runs.
   */
  start(head: RunHead, first: readonly RunEvent[]): Promise<void>
  /** Appends at position `seq` of a started run. Rejects with `store_conflict` unless the log has exactly `seq` events. */
  append(runId: string, seq: number, event: RunEvent, durability: Durability): Promise<void>
  /**
   * Events from position `from` on; none if the run is unknown. A log of a newer `format` is returned as it is: the caller
   * must not write to it.
   */
  read(runId: string, from?: number): Promise<RunEvent[]>
  /** The runs of a session in their order; none if the session is unknown or another owner's. */
  runs(owner: string, session: string): Promise<RunHead[]>
  /** Sessions of an owner, the one that was started last first. */
  sessions(owner: string): Promise<SessionHead[]>
  /** Removes a session and its logs. Does nothing if it is unknown or another owner's. */
  deleteSession(owner: string, session: string): Promise<void>
  /** Does nothing if the hash is known: what a log points to never changes. */
  putContext(hash: string, context: Context): Promise<void>
  getContext(hash: string): Promise<Context | undefined>
  close(): void
}

/** `strict`: on disk before it is acknowledged. For intents of writes and for approvals. */
export type Durability = 'strict' | 'relaxed'

export interface RunHead {
  readonly runId: string
  readonly owner: string
  readonly session: string
  /** Position in the session, from 0. */
  readonly index: number
  /** Milliseconds since 1970. */
  readonly startedAt: number
}

export interface SessionHead {
  readonly session: string
  /** Of its first run, in milliseconds since 1970. */
  readonly startedAt: number
  /** Of its newest run. */
  readonly lastRunAt: number
  readonly runs: number
}
