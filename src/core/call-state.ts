import type { AskDetail } from './approval.js'
import type { Failure, Mode, ToolCall } from './events.js'
import type { Json } from './json.js'
import type { ScriptOutcome } from './script-outcome.js'

export interface CallState extends ToolCall {
  readonly phase: 'proposed' | 'asking' | 'ready' | 'started' | 'refused'
  /** Counts decisions, approvals and starts, so that an effect's id never comes back. */
  readonly round: number
  readonly mode?: Mode
  readonly hash?: string
  /** The input as the gate last left it: what is shown, hashed and executed. */
  readonly checked?: Json
  readonly reasons?: readonly string[]
  readonly detail?: AskDetail
  /** When it was decided, in milliseconds since 1970. */
  readonly decidedAt?: number
  readonly approved?: string
  /** A person changed its input. */
  readonly edited?: boolean
  /** Why it was refused, for the model. */
  readonly failure?: Failure
  readonly epoch?: number
  readonly script?: ScriptState
}

export interface ScriptState {
  readonly turn: number
  /** Settled calls not yet fed, in log order. */
  readonly queue: readonly string[]
  readonly outcome?: ScriptOutcome
}
