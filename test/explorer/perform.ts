import type { Outcome, ToolCall, Verdict } from '../../src/core/events.js'
import type { Effect, EffectOf } from '../../src/core/next.js'
import { checkSend } from './invariants.js'
import { turnOf } from './script.js'
import { tools } from './scenarios.js'
import {
  check,
  happen,
  hashOf,
  lost,
  sentFor,
  type Moment,
  type Move,
  type Sent,
  type Subject,
  type World,
} from './world.js'

/** All that an effect may come to, with the disturbances that the world has left. */
export function* perform(subject: Subject, moment: Moment, effect: Effect): Generator<Move> {
  const { world } = moment
  switch (effect.type) {
    case 'start-step':
      return yield done(world, effect, { type: 'step-start', step: effect.step, attempt: effect.attempt })
    case 'call-model':
      return yield* callModel(subject, world, effect)
    case 'check-answer':
      for (const verdict of ['accept', 'repair', 'fail'] as const) {
        const failure = verdict === 'fail' ? { code: 'answer_invalid', message: verdict, retryable: false } : undefined
        const check = { type: 'answer-check', step: effect.step, verdict, note: 'again', failure } as const
        yield done(world, effect, check, {}, verdict)
      }
      return
    case 'decide-tool':
    case 'start-tool':
      return yield* gate(subject, world, effect)
    case 'execute-tool':
      return yield* execute(subject, moment, effect)
    case 'reconcile-tool': {
      const resend = effect.resend || !subject.rules.stopBeforeResend
      return yield recover(subject, world, effect, sentFor(world, effect.call), resend, {}, 'reconcile')
    }
    case 'advance-script': {
      const { callId, script } = effect.call
      const fed = [...(world.fed[callId] ?? []), ...(effect.fed === undefined ? [] : [effect.fed])]
      const turn = turnOf(effect.call, fed, world.results)
      const change = { fed: { ...world.fed, [callId]: fed } }
      return yield done(
        world,
        effect,
        { type: 'script-turn', callId, turn: script!.turn, fed: effect.fed, ...turn },
        change,
      )
    }
    case 'settle-tool':
      return yield settled(world, effect, effect.outcome)
    case 'end-run': {
      const { outcome, budget, failure } = effect
      return yield done(world, effect, { type: 'run-end', outcome, budget, failure })
    }
  }
}

function done(
  world: World,
  effect: Effect,
  event: Move['events'][0],
  change: Partial<World> = {},
  label?: string,
): Move {
  const { [effect.id]: _, ...inFlight } = world.inFlight
  return { label: label ?? effect.type, change: { inFlight, ...change }, events: [event], effect }
}

type Settling = EffectOf<'settle-tool' | 'execute-tool' | 'reconcile-tool'>
const settled = (
  world: World,
  effect: Settling,
  outcome: Outcome,
  change: Partial<World> = {},
  label: string = outcome,
) => done(world, effect, { type: 'tool-result', callId: effect.call.callId, outcome }, change, label)

function* callModel({ scenario }: Subject, world: World, effect: EffectOf<'call-model'>): Generator<Move> {
  const { step, abort } = effect
  const asked = scenario.steps[step - 1] ?? []
  const isText = asked === 'resend' || asked === 'doubt'
  const calls = isText
    ? []
    : asked.map(([toolName, caller = 'model', program = 'x'], i): ToolCall => {
        return { callId: `${step}.${i}`, toolName, input: program, caller }
      })
  const finish = asked === 'resend' ? asked : asked === 'doubt' ? 'length' : calls.length > 0 ? 'calls' : 'stop'
  const said = [{ type: 'text', text: 'said' }] as const
  yield done(world, effect, { type: 'assistant-message', step, complete: true, parts: said, calls, finish })
  const cut = (retryable: boolean, change: Partial<World>, label: string) => {
    const failure = { code: 'model_failed', message: label, retryable }
    const parts = [{ type: 'text', text: 'par' }] as const
    return done(
      world,
      effect,
      { type: 'assistant-message', step, complete: false, parts, calls: [], failure },
      change,
      label,
    )
  }
  const trouble = world.trouble - 1
  if (abort) yield cut(true, {}, 'stopped stream')
  else if (trouble >= 0) yield cut(true, { trouble }, 'cut stream')
  if (trouble >= 0) yield cut(false, { trouble }, 'model refuses the request')
}

function* gate({ core }: Subject, world: World, effect: EffectOf<'decide-tool' | 'start-tool'>): Generator<Move> {
  const { call } = effect
  const { callId } = call
  const { mode, verdict: usual } = tools[call.toolName]!
  const decide = (verdict: Verdict, label: string, change: Partial<World> = {}): Move => {
    const hash = hashOf(call.input, change.page ?? world.page)
    if (effect.type === 'start-tool' && core.isMet(call, verdict, hash))
      return done(world, effect, { type: 'tool-start', callId, hash }, change, label)
    const final = verdict === 'ask' && call.caller === 'program' ? 'deny' : verdict
    return done(world, effect, { type: 'tool-decision', callId, verdict: final, mode, hash }, change, label)
  }
  yield decide(usual, effect.type)
  const trouble = world.trouble - 1
  if (trouble < 0) return
  yield decide('deny', `${effect.type}, policy changed`, { trouble })
  if (effect.type === 'decide-tool') return
  if (usual === 'ask') yield decide('ask', 'page field changed', { trouble, page: world.page + 1 })
  else if (call.approved === undefined && mode !== 'script') yield decide('ask', 'untrusted text was read', { trouble })
}

function* execute(subject: Subject, moment: Moment, effect: EffectOf<'execute-tool'>): Generator<Move> {
  const { world } = moment
  const { call } = effect
  const { callId, mode } = call
  const trouble = world.trouble - 1
  if (!world.inFlight[effect.id]) {
    if (effect.abort && subject.rules.abortBeforeSend) {
      if (mode === 'write') yield settled(world, effect, 'error', {}, 'not sent')
      return
    }
    checkSend(moment, call)
    return yield { label: `send ${callId}`, change: { inFlight: { ...world.inFlight, [effect.id]: true } }, events: [] }
  }
  if (mode === 'read') {
    yield settled(world, effect, 'ok')
    if (trouble >= 0)
      for (const outcome of ['error', 'timeout'] as const) yield settled(world, effect, outcome, { trouble })
    return
  }
  const was = sentFor(world, call)
  yield settled(world, effect, 'ok', { sent: { ...world.sent, [callId]: happen(was) } })
  if (trouble < 0) return
  yield settled(world, effect, 'error', { trouble }, 'tool refuses: nothing was done')
  for (const [label, sent] of lost(was, true))
    yield recover(subject, world, effect, sent, !effect.abort, { trouble }, `timeout, ${label}`)
}

/** No answer: by key (send again, or make the ledger void the key), else unknown. */
function recover(
  { rules }: Subject,
  world: World,
  effect: EffectOf<'execute-tool' | 'reconcile-tool'>,
  was: Sent,
  resend: boolean,
  change: Partial<World>,
  label: string,
): Move {
  const { callId, toolName } = effect.call
  const end = (outcome: Outcome, sent: Sent) =>
    settled(world, effect, outcome, { ...change, sent: { ...world.sent, [callId]: sent } }, `${label}, then by key`)
  if (!tools[toolName]!.keyed) return end('unknown', was)
  if (was.effects > 0) return end('ok', was)
  if (!resend) return end('error', { ...was, voided: rules.voidKey })
  check(!world.state.stop, 'I1 a write is sent again after the run was stopped')
  return end('ok', happen(was))
}
