import type { AskDetail } from './approval.js'
import type { Failure, Mode, ToolCall, Verdict } from './events.js'
import type { Json } from './json.js'
import type { ScriptOutcome } from './script-outcome.js'

export interface CallState extends ToolCall {
  readonly phase: 'proposed' | 'asking' | 'ready' | 'started' | 'refused'
  /** Counts decisions, approvals and starts, so that an effect's id never comes back. */
  readonly round: number
  /** How many calls of the run were asked for up to this one. */
  readonly nth: number
  readonly mode?: Mode
  /** Of its last decision. */
  readonly verdict?: Verdict
  readonly hash?: string
  /** The input as the gate last left it: what is shown, hashed and executed. */
  readonly checked?: Json
  readonly reasons?: readonly string[]
  /** The rules of the gate that gave the reasons, one beside each. */
  readonly rules?: readonly string[]
  readonly detail?: AskDetail
  /** When it was decided, in milliseconds since 1970. */
  readonly decidedAt?: number
  readonly approved?: string
  /** A person changed its input. */
  readonly edited?: boolean
  /** The call whose approval it was started on. */
  readonly grant?: string
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

export type Calls = ReadonlyMap<string, CallState>

/** What the gate is about to answer for such a call rests on what was before: it is asked anew, under an effect's id of its own. */
export function askedAnew(calls: Calls, isTouched: (call: CallState) => boolean): Calls {
  const touched = [...calls.values()].filter(isTouched)
  if (touched.length === 0) return calls
  const changed = new Map(calls)
  for (const call of touched) {
    const phase = call.phase === 'asking' ? 'proposed' : call.phase
    changed.set(call.callId, { ...call, phase, round: call.round + 1 })
  }
  return changed
}
