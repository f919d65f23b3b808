import type { RunHead } from '../store/store.js'

/**
 * A run as a file of JSON lines: what it is, the context that its model saw (or null), then its events, each as it is stored. The
 * first line counts the events, so that a file that was cut shows.
 */
export interface RunFileHead {
  readonly handrail: 'run'
  /** Of the file. */
  readonly version: typeof fileVersion
  /** Of the log. */
  readonly format: number | null
  readonly head: Pick<RunHead, 'runId' | 'owner' | 'session' | 'index' | 'startedAt'>
  readonly events: number
}

export const fileVersion = 1
