import { isBuiltIn } from './built-ins.js'
import type { ApprovalResponse } from './approval.js'
import type { EventBody, Failure, Outcome, RunOutcome } from './events.js'
import { budgetOf, parentOf, type RunState } from './state.js'
import type { CallState } from './call-state.js'
import { maySend } from './modes.js'
import { exceeded, type BudgetName } from './usage.js'

/** Work that is due. Performing it appends exactly one event, and only if `id` is still due at that moment. */
export type Effect =
  | { type: 'start-step'; id: string; step: number; attempt: number; afterFailure: boolean } // -> step-start
  | { type: 'call-model'; id: string; step: number; abort: boolean } // -> assistant-message
  | { type: 'check-answer'; id: string; step: number } // -> answer-check
  | { type: 'decide-tool'; id: string; call: CallState } // gate 1-6 -> tool-decision
  | { type: 'start-tool'; id: string; call: CallState } // gate 7 -> tool-start, or tool-decision deny/ask
  | { type: 'execute-tool'; id: string; call: CallState; abort: boolean } // -> tool-result
  | { type: 'reconcile-tool'; id: string; call: CallState; resend: boolean } // interrupted write -> tool-result
  | { type: 'advance-script'; id: string; call: CallState; fed?: string } // -> script-turn
  | { type: 'settle-tool'; id: string; call: CallState; outcome: Outcome } // -> tool-result
  | { type: 'end-run'; id: string; outcome: RunOutcome; budget?: BudgetName; failure?: Failure } // -> run-end

export type EffectOf<Type extends Effect['type']> = Extract<Effect, { type: Type }>

/** What is due now. Pure. Empty: the run is over, or waits for a person. */
export function next(state: RunState): Effect[] {
  if (state.status !== 'running') return []
  const effects: Effect[] = []
  const busy = busyWith(state)
  for (const call of state.calls.values()) {
    const effect = dueFor(state, busy, call)
    if (effect) effects.push(effect)
  }
  if (state.calls.size > 0) return effects
  return [dueForStep(state)]
}

function dueForStep(state: RunState): Effect {
  const { n, attempt, phase, epoch, failure } = state.step
  const end = (outcome: RunOutcome, budget?: BudgetName): Effect => ({
    type: 'end-run',
    id: 'end',
    outcome,
    budget,
    failure,
  })
  if (phase === 'final') return end('completed')
  if (phase === 'open' && epoch === state.epoch)
    return { type: 'call-model', id: `model:${n}.${attempt}@${epoch}`, step: n, abort: !!state.stop }
  if (state.stop) return state.stop === 'deadline' ? end('budget-exceeded', 'time') : end('cancelled')
  if (phase === 'answered') return { type: 'check-answer', id: `answer:${n}`, step: n }
  if (phase === 'failed' || attempt >= budgetOf(state).attempts) return end('failed')
  const over = exceeded(budgetOf(state), state.used)
  if (over) return end('budget-exceeded', over)
  return { type: 'start-step', id: `step:${n}.${attempt + 1}`, step: n, attempt: attempt + 1, afterFailure: !!failure }
}

function dueFor(state: RunState, busy: Busy, call: CallState): Effect | undefined {
  const { callId, phase, round, mode } = call
  const settle = (outcome: Outcome): Effect => ({ type: 'settle-tool', id: `settle:${callId}`, call, outcome })
  const ended = state.calls.get(parentOf(callId) ?? '')?.script?.outcome !== undefined
  const closed: Outcome | undefined = state.stop ? 'cancelled' : ended ? 'skipped' : undefined
  const interrupted = call.epoch !== state.epoch
  const start: Effect = { type: 'start-tool', id: `start:${callId}#${round}`, call }
  if (phase === 'refused') return settle('denied')
  if (phase !== 'started' && closed) return settle(closed)
  if (phase === 'proposed') return { type: 'decide-tool', id: `decide:${callId}#${round}`, call }
  if (phase === 'asking') return undefined
  if (phase === 'ready') return mayStart(state, busy, call) ? start : undefined
  if (mode === 'script') {
    const { turn, queue, outcome } = call.script!
    if (outcome || state.stop) return hasOpenChild(state, callId) ? undefined : settle(outcome?.status ?? 'cancelled')
    if (turn > 0 && queue.length === 0) return undefined
    return { type: 'advance-script', id: `turn:${callId}#${turn}`, call, fed: turn === 0 ? undefined : queue[0] }
  }
  if (mode === 'read' && (state.stop || (closed && interrupted))) return settle(closed!)
  // Nobody waits for the timers that an ended script left.
  const abort = !!state.stop || (ended && isBuiltIn(call.toolName))
  if (!interrupted) return { type: 'execute-tool', id: `execute:${callId}#${round}`, call, abort }
  if (mode === 'write')
    return {
      type: 'reconcile-tool',
      id: `reconcile:${callId}@${state.epoch}`,
      call,
      resend: !closed && maySend(state.modes, call),
    }
  return mayStart(state, busy, call) ? start : undefined
}

interface Busy {
  read: boolean
  write: boolean
}

function busyWith(state: RunState): Busy {
  const busy = { read: false, write: false }
  for (const { phase, mode } of state.calls.values())
    if (phase === 'started' && mode && mode !== 'script') busy[mode] = true
  return busy
}

/** Reads wait only for an executing write. A write is alone, after every earlier open call of the run but its own script. */
function mayStart(state: RunState, busy: Busy, { callId, mode }: CallState): boolean {
  if (mode === 'script') return true
  if (busy.write) return false
  if (mode === 'read') return true
  if (busy.read) return false
  for (const other of state.calls.keys()) {
    if (other === callId || other === parentOf(callId)) continue
    if (isEarlier(other, callId)) return false
  }
  return true
}

function hasOpenChild(state: RunState, callId: string): boolean {
  for (const id of state.calls.keys()) if (parentOf(id) === callId) return true
  return false
}

/** Whether call `a` was asked for before call `b`: `1.0/2` comes before `1.0/10`, and `1.0` before `1.0/0`. */
export function isEarlier(a: string, b: string): boolean {
  const [x, y] = [a.split(/[./]/).map(Number), b.split(/[./]/).map(Number)]
  for (let i = 0; i < Math.min(x.length, y.length); i++) if (x[i] !== y[i]) return x[i]! < y[i]!
  return x.length < y.length
}

/**
 * The other half of the guard: what a person, a timer or another tab sends is refused unless it fits the state now.
 * @param at when it would be appended, in milliseconds since 1970
 */
export function accepts(state: RunState, event: EventBody, at = state.lastAt): boolean {
  switch (event.type) {
    case 'approval-response':
    case 'approval-expired': {
      const call = state.calls.get(event.callId)
      if (state.status !== 'running' || state.stop || call?.phase !== 'asking' || call.hash !== event.hash) return false
      return event.type === 'approval-expired' ? at >= expiryOf(call) : at < expiryOf(call) && isOf(call, event)
    }
    case 'run-stop':
      return state.status === 'running' && !state.stop && state.step.phase !== 'final'
    case 'mode-change':
      return state.status === 'running'
    case 'lease-start':
      return state.status === 'running' && event.epoch > state.epoch
    case 'tool-reconciled':
      return event.runId !== undefined || state.unknown.has(event.callId)
    default:
      return false
  }
}

/** When the approval that a call asks for expires, in milliseconds since 1970. */
export const expiryOf = ({ decidedAt, detail }: CallState): number => (decidedAt ?? 0) + (detail?.expires ?? Infinity)

const isOf = ({ toolName }: CallState, { approved, grant }: ApprovalResponse): boolean =>
  !grant || (grant.approved === approved && grant.toolName === toolName)
