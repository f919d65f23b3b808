import type { Failure } from './failure.js'
import type { Json, JsonObject } from './json.js'

export type ScriptOutcome =
  | { readonly status: 'ok'; readonly value: Json }
  | { readonly status: 'error'; readonly failure: ScriptFailure }

/** By top-level name, so that scripts side by side do not undo each other's work. */
export interface StateChange {
  readonly set?: JsonObject
  readonly removed?: readonly string[]
}

/** Why a script did not end well, in words for the model that wrote it. */
export interface ScriptFailure extends Failure {
  readonly code: ScriptFailureCode
  /** Of the model's own text, from 1. */
  readonly line?: number
  readonly column?: number
  /** Three lines of the script around that place. */
  readonly frame?: string
  /** What to do about it. */
  readonly hint?: string
}

/** `diverged` is the runtime's, and so is `wall`. */
export type ScriptFailureCode =
  | 'script_syntax'
  | 'script_check'
  | 'script_thrown'
  | 'script_tool_error'
  | 'script_denied'
  | 'script_cpu'
  | 'script_wall'
  | 'script_memory'
  | 'script_stack'
  | 'script_calls'
  | 'script_output'
  | 'script_deadlock'
  | 'script_crashed'
  | 'script_diverged'
