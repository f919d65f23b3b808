import type { Effect, ToolRequest } from './ledger.js'
import type { StoredRun } from './stored.js'

/** What a tab knows when every order is placed. */
export interface TabReport {
  /** Milliseconds since the tab was last loaded. */
  readonly took: number
  readonly sessions: readonly SessionReport[]
  readonly requests: readonly ToolRequest[]
  readonly effects: readonly Effect[]
}
export interface SessionReport {
  readonly id: string
  readonly stored: readonly StoredRun[]
  /** What the tab shows of them. */
  readonly runs: readonly (StoredRun & { readonly state: string })[]
}
