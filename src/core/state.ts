import { isEventType, isNewer } from './events.js'
import type { RunEvent, ToolCall, ToolResult, Verdict } from './events.js'
import { denied, expired } from './failure.js'
import { askedAnew, type CallState } from './call-state.js'
import { parentOf } from './call-id.js'
import { granted, spent, withoutScript } from './grants.js'
import { modesOf } from './modes.js'
import type { Json } from './json.js'
import { initialState, type RunState, type Step } from './run-state.js'
import { isDemanded, isPlainAnswer } from './plain-answer.js'
import { defaultBudget, totalTokens, type Used } from './usage.js'

export { initialState }
export type { RunState }

export { parentOf }

export const budgetOf = (state: RunState) => state.header?.budget ?? defaultBudget

/** The state after one more event. Pure. A type that this version does not know, in a log of a newer format, changes nothing. */
export function evolve(state: RunState, event: RunEvent): RunState {
  if (!isEventType(event.type)) return state
  try {
    return advance(clock(state, event), event)
  } catch (error) {
    // It can be about a call that was asked for by an event which only the newer version knows.
    if (isNewer(state.header)) return state
    throw error
  }
}

export const fold = (events: Iterable<RunEvent>, from = initialState): RunState => {
  let state = from
  for (const event of events) state = evolve(state, event)
  return state
}

/**
 * Whether the gate's answer lets the call start: asked by the fold after a decision, and by the shell right before the start.
 * Where a person was asked, an answer that it is allowed after all is written first: so the log says why each call could start.
 */
export const isMet = (call: CallState, verdict: Verdict, hash: string): boolean =>
  (verdict === 'allow' && call.verdict !== 'ask') || (verdict !== 'deny' && call.approved === hash)

function advance(state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case 'run-start':
      return {
        ...state,
        header: event,
        epoch: event.epoch,
        modes: modesOf(event),
        owesCall: event.toolChoice?.mode === 'required',
      }
    case 'lease-start':
      return { ...state, epoch: event.epoch }
    case 'user-message':
      return { ...state, step: { n: 1, attempt: 0, epoch: state.epoch, phase: 'due' } }
    case 'step-start': {
      const step: Step = { n: event.step, attempt: event.attempt, epoch: state.epoch, phase: 'open' }
      return { ...use(state, { steps: 1 }), step }
    }
    case 'assistant-message':
      return answer(event.usage ? use(state, { tokens: totalTokens(event.usage) }) : state, event)
    case 'answer-check': {
      if (event.verdict === 'repair') return { ...state, step: following(state) }
      const phase = event.verdict === 'accept' ? 'final' : 'failed'
      return { ...state, step: { ...state.step, phase, failure: event.failure } }
    }
    case 'script-turn': {
      const call = open(state, event.callId)
      const { turn, queue } = call.script!
      const script = { turn: turn + 1, queue: event.fed === undefined ? queue : queue.slice(1), outcome: event.outcome }
      return propose(put(state, { ...call, script }), event.calls)
    }
    case 'tool-decision': {
      const { verdict, mode, hash, reasons, rules, failure, callId, detail, at } = event
      const was = open(state, callId)
      const checked = executed(was, event)
      const call = { ...was, mode, verdict, hash, reasons, rules, detail, failure, checked, decidedAt: at }
      return move(state, call, verdict === 'deny' ? 'refused' : isMet(call, verdict, hash) ? 'ready' : 'asking')
    }
    case 'approval-response': {
      const { callId, edit, approved, hash } = event
      const call = open(state, callId)
      const answered = { ...state, ...granted(state, event) }
      if (!approved) return move(answered, { ...call, failure: denied(event.reason) }, 'refused')
      if (!edit) return move(answered, { ...call, approved: hash }, 'ready')
      const { input } = edit
      return move(answered, { ...call, input, inputText: undefined, edited: true, approved: edit.hash }, 'proposed')
    }
    case 'approval-expired':
      return move(state, { ...open(state, event.callId), failure: expired }, 'refused')
    case 'tool-start': {
      const was = open(state, event.callId)
      const script = was.mode === 'script' ? { turn: 0, queue: [] } : undefined
      const { hash, grant } = event
      const call = { ...was, hash, checked: executed(was, event), epoch: state.epoch, grant, script }
      return move(script ? use(state, { scripts: 1 }) : { ...state, ...spent(state, was, grant) }, call, 'started')
    }
    case 'tool-result':
      return settle(event.bytes ? use(state, { bytes: event.bytes }) : state, event.callId, event)
    case 'tool-reconciled': {
      if (!event.done || event.runId !== undefined) return state
      const unknown = new Map(state.unknown)
      unknown.delete(event.callId)
      return { ...state, unknown }
    }
    case 'mode-change':
      return {
        ...state,
        modes: modesOf(event),
        calls: askedAnew(state.calls, (call) => isBeforeGate(state, call)),
      }
    case 'run-stop':
      return { ...state, stop: event.reason }
    case 'run-end':
      return { ...state, status: event.outcome }
  }
}

/** Time counts while the run was driven and nobody was being asked. */
function clock(state: RunState, event: RunEvent): RunState {
  const driven = event.type !== 'run-start' && event.type !== 'lease-start' && state.asking === 0
  const time = driven ? Math.max(0, event.at - state.lastAt) : 0
  return { ...(time > 0 ? use(state, { time }) : state), lastAt: event.at }
}

function use(state: RunState, more: Partial<Used>): RunState {
  const used = { ...state.used }
  for (const name of Object.keys(more) as (keyof Used)[]) used[name] += more[name]!
  return { ...state, used }
}

function answer(state: RunState, event: RunEvent & { type: 'assistant-message' }): RunState {
  const { step } = state
  if (!event.complete) {
    const phase = event.failure?.retryable === false ? 'failed' : 'due'
    return { ...state, step: { ...step, phase, failure: event.failure } }
  }
  const owesCall = state.owesCall && !event.calls.some((call) => isDemanded(state.header, call))
  if (event.calls.length > 0) return propose({ ...state, owesCall, step: { ...step, phase: 'calls' } }, event.calls)
  if (event.finish === 'resend') return { ...state, step: following(state) }
  return { ...state, step: { ...step, phase: isPlainAnswer(state, event) ? 'final' : 'answered' } }
}

const following = ({ step, epoch }: RunState): Step => ({ n: step.n + 1, attempt: 0, epoch, phase: 'due' })

function open(state: RunState, callId: string): CallState {
  const call = state.calls.get(callId)
  if (!call) throw new RangeError(`Cannot fold: tool call "${callId}" is not open`)
  return call
}

const isBeforeGate = ({ epoch }: RunState, call: CallState): boolean =>
  call.phase === 'proposed' ||
  call.phase === 'ready' ||
  (call.phase === 'started' && call.mode === 'read' && call.epoch !== epoch)

/** What the gate made of the input; absent, it is as it was asked. */
const executed = (call: CallState, { input }: { readonly input?: Json }): Json | undefined =>
  input === undefined ? call.input : input

function put(state: RunState, call: CallState): RunState {
  const asking = state.asking + Number(call.phase === 'asking') - Number(isAsking(state, call.callId))
  return { ...state, asking, calls: new Map(state.calls).set(call.callId, call) }
}

const isAsking = (state: RunState, callId: string): boolean => state.calls.get(callId)?.phase === 'asking'

const move = (state: RunState, call: CallState, phase: CallState['phase']): RunState =>
  put(state, { ...call, phase, round: call.round + 1 })

function propose(state: RunState, added: readonly ToolCall[]): RunState {
  if (added.length === 0) return state
  const calls = new Map(state.calls)
  for (const [i, call] of added.entries())
    calls.set(call.callId, { ...call, phase: 'proposed', round: 0, nth: state.used.calls + i + 1 })
  return { ...use(state, { calls: added.length }), calls }
}

function settle(state: RunState, callId: string, { outcome }: ToolResult): RunState {
  const call = open(state, callId)
  const hasRun = call.phase === 'started' && call.mode !== 'script'
  // No write could start meanwhile, and this may be a reason to ask for it.
  const calls = new Map(askedAnew(state.calls, ({ phase, mode }) => hasRun && phase === 'ready' && mode === 'write'))
  calls.delete(callId)
  const parent = calls.get(parentOf(callId) ?? '')
  if (parent?.script && !parent.script.outcome)
    calls.set(parent.callId, { ...parent, script: { ...parent.script, queue: [...parent.script.queue, callId] } })
  const unknown =
    outcome === 'unknown' && call.mode === 'write' ? new Map(state.unknown).set(callId, call) : state.unknown
  const done = calls.size === 0 && state.step.phase === 'calls'
  const asking = state.asking - Number(isAsking(state, callId))
  const grants = call.script ? withoutScript(state.grants, callId) : state.grants
  return { ...state, calls, unknown, asking, grants, step: done ? following(state) : state.step }
}
