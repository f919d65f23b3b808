import type { RunEvent } from '../core/events.js'
import type { Context } from '../core/tool-definition.js'

/**
 * The contract of a store: append-only logs, one a run, in sessions that belong to an owner. Every failure is a
 * `HandrailError` with one of the codes below; after one, nothing of the refused append is stored.
 *
 * - `store_conflict`: another writer holds that position.
 * - `store_full`: the origin's quota is used up.
 * - `store_outdated`: a newer version of the app has upgraded the database; reload.
 * - `store_blocked`: another tab keeps an older version of the database open; close it.
 * - `store_closed`: closed by `close`, or because another tab upgrades the database.
 * - `store_failed`: anything else, with its cause.
 */
export interface Store {
  /**
   * Starts run `head.index` of a session with its first events, and keeps the context that they refer to, unless it is known:
   * all or nothing. Rejects with `store_conflict` if the run exists, or unless the session has exactly `head.index` runs.
   */
  start(head: RunHead, first: readonly RunEvent[], context?: Context): Promise<void>
  /** Appends at position `seq` of a started run. Rejects with `store_conflict` unless the log has exactly `seq` events. */
  append(runId: string, seq: number, event: RunEvent, durability: Durability): Promise<void>
  /**
   * Events from position `from` on; none if the run is unknown. A log of a newer `format` is returned as it is: the caller
   * must not write to it. Rejects with `store_failed` if one is missing, or is no event.
   */
  read(runId: string, from?: number): Promise<RunEvent[]>
  /** At most `most` of what is stored of a log from position `from` on, in order, gaps and all: nothing of it is checked. */
  records(runId: string, from: number, most: number): Promise<readonly StoredEvent[]>
  /** Undefined if it is unknown or another owner's. */
  run(owner: string, runId: string): Promise<RunHead | undefined>
  /** The runs of a session in their order; none if the session is unknown or another owner's. */
  runs(owner: string, session: string): Promise<RunHead[]>
  /** Sessions of an owner, the one that was started last first. */
  sessions(owner: string): Promise<SessionHead[]>
  /** Removes the events of a run; its head stays, as `deleted`. Does nothing if it is unknown or another owner's. */
  deleteRun(owner: string, runId: string): Promise<void>
  /** Removes a session and its logs. Does nothing if it is unknown or another owner's. */
  deleteSession(owner: string, session: string): Promise<void>
  /** Undefined if no run of anybody refers to it. What a log points to never changes. */
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
  /** Of its log, when that was started: a log that says otherwise was changed. Absent: of a version that did not note it. */
  readonly format?: number
  /** It came from a file: it is shown, and never goes on. */
  readonly imported?: true
  /** Its place in the session stays; its events are gone. */
  readonly deleted?: true
}

/** One place of a log. `unknown`: what is in a database may have been written by anybody. */
export interface StoredEvent {
  readonly seq: unknown
  readonly event: unknown
}

export interface SessionHead {
  readonly session: string
  /** Of its first run, in milliseconds since 1970. */
  readonly startedAt: number
  /** Of its newest run. */
  readonly lastRunAt: number
  /** That are not deleted. */
  readonly runs: number
  /** Of a run that came from a file. */
  readonly imported?: true
}
