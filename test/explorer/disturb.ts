import type { EventBody, StopReason } from '../../src/core/events.js'
import { hashOf, land, lost, sentFor, type Moment, type Move, type Subject, type World } from './world.js'

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
}

function* answers({ core }: Subject, world: World): Generator<Move> {
  const { state } = world
  const trouble = world.trouble - 1
  for (const { callId, hash, input, phase } of state.calls.values()) {
    const shown = hash ?? hashOf(input, world.page)
    const approve: EventBody = { type: 'approval-response', callId, hash: shown, approved: true }
    const edited = `${JSON.stringify(input)}'`
    const edit = { input: edited, hash: hashOf(edited, world.page) }
    const isAsking = phase === 'asking'
    const all: [label: string, isUsual: boolean, event: EventBody][] = [
      [isAsking ? 'person approves' : 'person approves late', true, approve],
      ['person denies', isAsking, { ...approve, approved: false }],
      ['person edits', false, { ...approve, edit }],
      ['approval expires', false, { type: 'approval-expired', callId, hash: shown }],
    ]
    for (const [label, isUsual, event] of all)
      if ((isUsual || trouble >= 0) && core.accepts(state, event))
        yield { label, change: isUsual ? {} : { trouble }, events: [event] }
  }
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

/** The drive loop ends at any moment, and another begins. What it had sent may have happened, or happen later. */
function* crash({ rules }: Subject, { world, due }: Moment): Generator<Move> {
  const epoch = world.state.epoch + 1
  const events: EventBody[] = rules.freshEpoch ? [{ type: 'lease-start', epoch }] : []
  const change = { trouble: world.trouble - 1, crashes: world.crashes - 1, inFlight: {} }
  const writing = [...due.values()].find((effect) => effect.type === 'execute-tool' && effect.call.mode === 'write')
  if (writing?.type !== 'execute-tool') return yield { label: 'crash', change, events }
  const { callId } = writing.call
  for (const [label, sent] of lost(sentFor(world, writing.call), !!world.inFlight[writing.id]))
    yield { label: `crash, ${callId} ${label}`, change: { ...change, sent: { ...world.sent, [callId]: sent } }, events }
}
