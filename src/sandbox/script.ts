import type { Failure, ScriptOutcome } from '../core/events.js'
import type { Json } from '../core/json.js'

/** The contract of a sandbox: it runs one program at a time in an isolate that can reach nothing but its host calls. */
export interface Sandbox {
  /** Name and version of engine and prelude; a log can only be replayed on the same one. */
  readonly engine: string
  start(options: ScriptOptions): Script
}

/**
 * A running script, as a machine that is fed one result at a time. The same code, seed and results give the same turns.
 * Never rejects: what goes wrong is the outcome of a turn, with one of the codes of {@link ScriptFailureCode}.
 */
export interface Script {
  /** Runs to the first wait. Called once, before any `resume`. The CPU of a replayed turn is not added up. */
  start(at: number, isReplay?: boolean): Promise<ScriptTurn>
  /** Settles host call `n`, at the time `at` that the script's clock then shows, and runs to the next wait. */
  resume(n: number, at: number, result: HostResult, isReplay?: boolean): Promise<ScriptTurn>
  /** Gives the isolate up, whatever it is doing. */
  end(): void
}

export interface ScriptOptions {
  readonly code: string
  /** Names that exist as `tools.NAME`. */
  readonly tools: readonly string[]
  readonly seed: number
  readonly limits: ScriptLimits
}

export interface ScriptLimits {
  /** Milliseconds of CPU for one turn. Waiting for a result costs nothing. */
  readonly cpu: number
  /** Milliseconds of CPU for all turns that are not a replay. */
  readonly totalCpu: number
  /** Bytes of the isolate's whole memory. */
  readonly memory: number
  /** Bytes of the isolate's stack. */
  readonly stack: number
  /** Calls of one script. */
  readonly calls: number
  /** Calls that may be open at once. */
  readonly open: number
  /** Bytes of one call's input, of the return value, and of all prints, each as JSON. */
  readonly output: number
}

export const defaultLimits: ScriptLimits = {
  cpu: 2_000,
  totalCpu: 10_000,
  memory: 64 << 20,
  stack: 128 << 10,
  calls: 1_000,
  open: 256,
  output: 1 << 20,
}

/** A turn that is replayed may take so many times its CPU limit: it kept it once, perhaps on a faster machine. */
export const replayFactor = 4

/** What one uninterrupted stretch of a script produced. No outcome: it waits for one of its open calls. */
export interface ScriptTurn {
  readonly calls: readonly HostCall[]
  readonly prints: readonly string[]
  readonly outcome?: ScriptOutcome
  /** Milliseconds of CPU. */
  readonly cpu: number
}

export interface HostCall {
  /** Position in the script's own sequence of calls, given inside the isolate, from 0. */
  readonly n: number
  readonly toolName: string
  readonly input: Json
}

export type HostResult =
  | { readonly status: 'ok'; readonly value: Json }
  | { readonly status: 'error'; readonly failure: Failure }

export interface ScriptFailure extends Failure {
  readonly code: ScriptFailureCode
}

/** `failure.code` of a script that did not end well. `diverged` is the runtime's. */
export type ScriptFailureCode =
  | 'script_syntax'
  | 'script_thrown'
  | 'script_cpu'
  | 'script_memory'
  | 'script_stack'
  | 'script_calls'
  | 'script_output'
  | 'script_deadlock'
  | 'script_crashed'
  | 'script_diverged'
