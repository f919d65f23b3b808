import type { RunModes } from '../../src/core/approval.js'
import type { CallState } from '../../src/core/call-state.js'
import type { EventBody, StopReason } from '../../src/core/events.js'
import { expiryOf } from '../../src/core/next.js'
import { parentOf } from '../../src/core/state.js'
import { toOf } from './gate.js'
import type { Scenario } from './scenarios.js'
import { hashOf, land, lost, sentFor, type Core, type Moment, type Move, type Subject, type World } from './world.js'

/** All that happens without being due: a person, timers, other tabs, crashes, and requests that arrive late. */
export function* disturb(subject: Subject, moment: Moment): Generator<Move> {
  const { world } = moment
  yield* answers(subject, world)
  yield* lateEffects(world)
  yield* reconciled(world)
  if (world.trouble < 1 || world.state.status !== 'running') return
  const trouble = world.trouble - 1
  for (const reason of ['cancelled', 'deadline'] as StopReason[]) {
    const stop: EventBody = { type: 'run-stop', reason }
    if (subject.core.accepts(world.state, stop)) yield { label: `stop, ${reason}`, change: { trouble }, events: [stop] }
  }
  if (world.crashes > 0) yield* crash(subject, moment)
  if (subject.scenario.modes) yield* changes(world)
}

function* changes({ modes: were, trouble: left }: World): Generator<Move> {
  const all: RunModes[] = [{}, { readOnly: true }, { askAll: true }]
  for (const modes of all)
    if (JSON.stringify(modes) !== JSON.stringify(were))
      yield {
        label: `modes ${JSON.stringify(modes)}`,
        change: { trouble: left - 1, modes },
        events: [{ type: 'mode-change', ...modes }],
      }
}

function* answers({ core, scenario }: Subject, world: World): Generator<Move> {
  const { state } = world
  const trouble = world.trouble - 1
  for (const call of state.calls.values()) {
    const { callId, hash, input, phase } = call
    const shown = hash ?? hashOf(input, world.page, [])
    const approve: EventBody = { type: 'approval-response', callId, hash: shown, approved: true }
    const edited = { was: input ?? null, to: 'edited' }
    const edit = { input: edited, hash: hashOf(edited, world.page, call.reasons ?? []) }
    const isAsking = phase === 'asking'
    const all: [label: string, isUsual: boolean, event: EventBody][] = [
      [isAsking ? 'person approves' : 'person approves late', true, approve],
      ['person denies', isAsking, { ...approve, approved: false }],
      ['person edits', false, { ...approve, edit }],
    ]
    if (isAsking && scenario.grants) all.push(...forTheRest(call, approve, scenario.grants))
    for (const [label, isUsual, event] of all)
      if ((isUsual || trouble >= 0) && core.accepts(state, event))
        yield { label, change: isUsual ? {} : { trouble }, events: [event] }
    if (isAsking) yield* expiries(core, world, call, approve)
  }
}

/** What is answered too late is refused, and so is an expiry that comes too early. */
function* expiries(core: Core, world: World, call: CallState, approve: EventBody): Generator<Move> {
  const { state } = world
  const at = expiryOf(call)
  const expired: EventBody = { type: 'approval-expired', callId: call.callId, hash: call.hash! }
  if (core.accepts(state, expired, at - 1))
    yield { label: 'expires too early', change: {}, events: [expired], at: at - 1 }
  if (at === Infinity) return
  if (core.accepts(state, approve, at)) yield { label: 'person approves too late', change: {}, events: [approve], at }
  const trouble = state.lastAt < at ? world.trouble - 1 : world.trouble
  if (trouble >= 0 && core.accepts(state, expired, at))
    yield { label: 'approval expires', change: { trouble }, events: [expired], at }
}

function forTheRest(
  call: CallState,
  approve: EventBody,
  kinds: Scenario['grants'] & {},
): [label: string, isUsual: boolean, event: EventBody][] {
  const { callId, toolName, reasons = [] } = call
  if (parentOf(callId) === undefined) return []
  return kinds.map((kind) => {
    const [approved, fixed] = [kind !== 'none', kind === 'same' ? { '/to': toOf(call) } : {}]
    const count = approved ? { count: 1 } : {}
    const grant = { approved, toolName, tool: 't', ...count, fixed, reasons, untrusted: false }
    return [`person says for the rest: ${kind}`, true, { ...approve, approved, grant } as EventBody]
  })
}

function* lateEffects(world: World): Generator<Move> {
  for (const [callId, was] of Object.entries(world.sent)) {
    if (!was.pending) continue
    const landed = land(was)
    const change = { sent: { ...world.sent, [callId]: landed } }
    yield { label: `late effect of ${callId}`, change, events: [] }
    const call = world.state.unknown.get(callId)
    if (!call || landed.effects === 0) continue
    const event: EventBody = { type: 'tool-reconciled', callId, toolName: call.toolName, done: true, by: 'late' }
    yield { label: `late answer of ${callId}`, change, events: [event] }
  }
}

function* reconciled({ state, sent, trouble: left }: World): Generator<Move> {
  for (const { callId, toolName } of state.unknown.values()) {
    const done = sent[callId]!.effects > 0
    const event: EventBody = { type: 'tool-reconciled', callId, toolName, done, by: 'person' }
    if (done) yield { label: 'person looks', change: {}, events: [event] }
    if (left < 1) continue
    const trouble = left - 1
    if (!done) yield { label: 'person looks too early', change: { trouble }, events: [event] }
    const other: EventBody = { ...event, runId: 'earlier', done: true }
    yield { label: 'the same call of an earlier run', change: { trouble }, events: [other] }
  }
}

/** The drive loop ends or freezes at any moment, and another begins. What it had sent may have happened, or happen later. */
function* crash({ rules }: Subject, { world, due }: Moment): Generator<Move> {
  const epoch = world.state.epoch + 1
  const events: EventBody[] = rules.freshEpoch ? [{ type: 'lease-start', epoch }] : []
  const frozen = rules.fence ? world.frozen : [...world.frozen, ...due.keys()]
  const change = { trouble: world.trouble - 1, crashes: world.crashes - 1, inFlight: {}, held: {}, frozen }
  const writing = [...due.values()].find((effect) => effect.type === 'execute-tool' && effect.call.mode === 'write')
  if (writing?.type !== 'execute-tool') return yield { label: 'crash', change, events }
  const { callId } = writing.call
  for (const [label, sent] of lost(sentFor(world, writing.call), !!world.inFlight[writing.id]))
    yield { label: `crash, ${callId} ${label}`, change: { ...change, sent: { ...world.sent, [callId]: sent } }, events }
}
