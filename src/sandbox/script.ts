import type { Failure } from '../core/events.js'
import type { ScriptFailure, ScriptOutcome } from '../core/script-outcome.js'
import type { Json, JsonObject } from '../core/json.js'
import type { ScriptLimits } from '../core/script-limits.js'
import type { ToolDefinition } from '../core/tool-definition.js'

export type { ScriptFailure, ScriptFailureCode } from '../core/script-outcome.js'
export { defaultLimits, type ScriptLimits } from '../core/script-limits.js'

/** The contract of a sandbox: it runs each program in an isolate that can reach nothing but its host calls. */
export interface Sandbox {
  /** Name and version of engine and prelude on which new scripts run. A log is replayed on the one it names. */
  readonly engine: string
  /** Whether scripts of a log that names this engine can be run. */
  runs(engine: string): boolean
  start(options: ScriptOptions): Script
}

/**
 * A running script, as a machine that is fed one result at a time. The same options and results give the same turns. What goes
 * wrong is the outcome of a turn, with one of the codes of {@link ScriptFailureCode}; only `replay` may reject.
 */
export interface Script {
  /** Runs to the first wait. Called once, unless `replay` is. */
  start(at: number): Promise<ScriptTurn>
  /**
   * Runs to the first wait, and through results that it was fed before: one turn more than there are results, or fewer if it
   * ends early. Called once, in place of `start`. Its CPU is not added up.
   * @throws {HandrailError} `sandbox_unavailable`: what it needs cannot be loaded here now, which says nothing of the script.
   */
  replay(at: number, results: readonly FedResult[]): Promise<readonly ScriptTurn[]>
  /** Settles one host call, and runs to the next wait. May be called again before it has answered: in that order. */
  resume(fed: FedResult): Promise<ScriptTurn>
  /** Gives the isolate up, whatever it is doing. */
  end(): void
}

export interface ScriptOptions {
  readonly code: string
  /** One for which {@link Sandbox.runs} is true. */
  readonly engine: string
  /** Names that exist as `tools.NAME`; `NAMESPACE__NAME` also as `tools.NAMESPACE.NAME`. */
  readonly tools: readonly string[]
  /** What these tools take, for the check before the start. Absent: it is not checked. */
  readonly definitions?: readonly ToolDefinition[]
  readonly seed: number
  /** BCP 47. */
  readonly locale: string
  /** IANA. */
  readonly timeZone: string
  /** What the scripts before it left in `state`. */
  readonly state: JsonObject
  readonly limits: ScriptLimits
}

/** Milliseconds after which turns that are made in one go are handed over, and the rest is made in the next. */
export const longestBatch = 50

/** A turn that is replayed may take so many times its CPU limit: it kept it once, perhaps on a faster machine. */
export const replayFactor = 4
/** The inputs of all calls together may be this many times as long as the input of one. */
export const inputsFactor = 16

/** What one uninterrupted stretch of a script produced. No outcome: it waits for one of its open calls. */
export interface ScriptTurn {
  readonly calls: readonly HostCall[]
  readonly prints: readonly string[]
  readonly outcome?: ScriptOutcome
  /** With an outcome: what the script left in `state`, if that is not what it found. */
  readonly state?: JsonObject
  /** Milliseconds of CPU. */
  readonly cpuMs: number
  /** Of the whole isolate. */
  readonly memoryBytes: number
  /** Line of the script, from 1, that made the last call, while that is open. */
  readonly line?: number
}

export interface HostCall {
  /** Position in the script's own sequence of calls, given inside the isolate, from 0. */
  readonly n: number
  /** One of `tools`, or of {@link builtInNames}. */
  readonly toolName: string
  readonly input: Json
  /** Line of the script, from 1, that made it; a replay may find none where there was one. */
  readonly line?: number
}

/** How call `n` was settled. */
export interface FedResult {
  readonly n: number
  /** What the script's clock then shows, in milliseconds since 1970. */
  readonly at: number
  readonly result: HostResult
}

export type HostResult =
  | { readonly status: 'ok'; readonly value: Json }
  | { readonly status: 'error'; readonly failure: Failure; readonly callId?: string }

export const scriptFailure = (
  code: ScriptFailure['code'],
  message: string,
  more: Partial<ScriptFailure> = {},
): ScriptFailure => ({ code, message, retryable: false, ...more })
