import type { Outcome, ToolCall } from '../../src/core/events.js'
import type { Effect, EffectOf } from '../../src/core/next.js'
import { done, gate } from './gate.js'
import { checkSend } from './invariants.js'
import { turnOf } from './script.js'
import { tools } from './scenarios.js'
import { check, happen, lost, sentFor, type Moment, type Move, type Sent, type Subject, type World } from './world.js'

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
      return yield* recover(subject, world, effect, sentFor(world, effect.call), resend, {}, 'reconcile')
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
    yield* recover(
      subject,
      world,
      effect,
      sent,
      !effect.abort && !world.state.modes.readOnly,
      { trouble },
      `timeout, ${label}`,
    )
}

/** No answer: by the tool's own query, or by key (send again, or make the ledger void the key), else unknown. */
function* recover(
  { rules }: Subject,
  world: World,
  effect: EffectOf<'execute-tool' | 'reconcile-tool'>,
  was: Sent,
  resend: boolean,
  change: Partial<World>,
  label: string,
): Generator<Move> {
  const { callId, toolName } = effect.call
  const end = (outcome: Outcome, sent: Sent, how: string, more: Partial<World> = {}) =>
    settled(world, effect, outcome, { ...change, sent: { ...world.sent, [callId]: sent }, ...more }, `${label}, ${how}`)
  const { keyed, query } = tools[toolName]!
  if (query) {
    if (was.effects > 0) yield end('ok', was, 'then found by a query')
    else yield end('error', { ...was, voided: rules.voidQuery }, 'then void by a query')
    const trouble = (change.trouble ?? world.trouble) - 1
    if (trouble >= 0) yield end('unknown', was, 'then a query fails', { trouble })
    return
  }
  if (!keyed) return yield end('unknown', was, 'then unknown')
  if (was.effects > 0) return yield end('ok', was, 'then by key')
  if (!resend) return yield end('error', { ...was, voided: rules.voidKey }, 'then by key')
  check(!world.state.stop, 'I1 a write is sent again after the run was stopped')
  check(!world.modes.readOnly, 'I12 a write is sent again while the run only reads')
  yield end('ok', happen(was), 'then sent again')
}

/** A driver that was frozen goes on with what it had begun, and finds that it may not append. Without the fence, it does. */
export function* wake(subject: Subject, moment: Moment, effect: Effect): Generator<Move> {
  const { inFlight, frozen } = moment.world
  const world = { ...moment.world, inFlight: { ...inFlight, [effect.id]: true } }
  for (const move of perform(subject, { ...moment, world }, effect)) {
    if (move.events.length === 0) continue
    const change = { ...move.change, inFlight, frozen: frozen.filter((id) => id !== effect.id) }
    yield { ...move, change, effect: undefined, label: `a driver wakes: ${move.label}` }
  }
}
