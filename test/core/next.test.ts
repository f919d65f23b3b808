import { describe, expect, it } from 'vitest'
import type { EventBody, RunEvent } from '../../src/core/events.js'
import { accepts, isEarlier, next } from '../../src/core/next.js'
import { approved, asked, call, calling, decided, settled, started, stateOf } from './log.js'

const due = (...events: EventBody[]) => next(stateOf(...events)).map(({ id }) => id)
const cancel: EventBody = { type: 'run-stop', reason: 'cancelled' }
const lease = (epoch: number): EventBody => ({ type: 'lease-start', epoch })
const turn = (n: number, calls: string[], extra: object = {}): EventBody =>
  ({ type: 'script-turn', callId: '1.0', turn: n, calls: calls.map((id) => call(id)), ...extra }) as EventBody

const said = [{ type: 'text', text: 'done' }] as const

describe('next() lists what is due', () => {
  const ready = (mode: 'read' | 'write') => [...calling('1.0'), decided('1.0', mode)]
  const executing = (mode: 'read' | 'write') => [...ready(mode), started('1.0')]
  const script = [...calling('1.0'), decided('1.0', 'script'), started('1.0')]
  const done: EventBody = { type: 'assistant-message', step: 1, complete: true, parts: said, calls: [], finish: 'stop' }
  const cut: EventBody = { type: 'assistant-message', step: 1, complete: false, parts: [], calls: [] }
  const ended = { outcome: { status: 'ok', value: null } }
  it.each<[name: string, events: readonly EventBody[], ids: string[]]>([
    ['a first request', asked.slice(0, 2), ['step:1.1']],
    ['its answer', asked, ['model:1.1@1']],
    ['the answer of a request that was interrupted: a new attempt', [...asked, lease(2)], ['step:1.2']],
    ['another attempt after a cut stream', [...asked, cut], ['step:1.2']],
    ['the end after a last answer', [...asked, done], ['end']],
    ['nothing after the end', [...asked, done, { type: 'run-end', outcome: 'completed' }], []],
    ['a decision for each call at once', calling('1.0', '1.1'), ['decide:1.0#0', 'decide:1.1#0']],
    ['the start of what is allowed', ready('read'), ['start:1.0#1']],
    ['nothing while a person is asked', [...calling('1.0'), decided('1.0', 'write', 'ask')], []],
    [
      'the start of what was approved',
      [...calling('1.0'), decided('1.0', 'write', 'ask'), approved('1.0')],
      ['start:1.0#2'],
    ],
    ['the settling of what was denied', [...calling('1.0'), decided('1.0', 'write', 'deny')], ['settle:1.0']],
    ['the execution of what was started', executing('write'), ['execute:1.0#2']],
    ['a new start of an interrupted read', [...executing('read'), lease(2)], ['start:1.0#2']],
    ['the reconciling of an interrupted write', [...executing('write'), lease(2)], ['reconcile:1.0@2']],
    ['the first turn of a script', script, ['turn:1.0#0']],
    ['the decisions for its calls', [...script, turn(0, ['1.0/0'])], ['decide:1.0/0#0']],
    ['its next turn when a call settled', [...script, turn(0, ['1.0/0']), settled('1.0/0')], ['turn:1.0#1']],
    ['the same turn in another epoch', [...script, turn(0, ['1.0/0']), settled('1.0/0'), lease(2)], ['turn:1.0#1']],
    ['its settling when it ended', [...script, turn(0, [], ended)], ['settle:1.0']],
    ['first the settling of calls it left open', [...script, turn(0, ['1.0/0'], ended)], ['settle:1.0/0']],
    ['the abort of an answer after a stop', [...asked, cancel], ['model:1.1@1']],
    ['the end after a stop, when nothing is open', [...asked, cut, cancel], ['end']],
    [
      'the settling of what was not started, after a stop',
      [...calling('1.0', '1.1'), cancel],
      ['settle:1.0', 'settle:1.1'],
    ],
    ['the settling of a read, after a stop', [...executing('read'), cancel], ['settle:1.0']],
    ['the end of a write that executes, after a stop', [...executing('write'), cancel], ['execute:1.0#2']],
  ])('%s', (_, events, ids) => {
    expect(due(...events)).toEqual(ids)
  })

  it('asks before an irreversible tool runs', () => {
    const asking = [...calling('1.0'), decided('1.0', 'write', 'ask')]
    expect(due(...asking)).toEqual([])
    expect(due(...asking, lease(2))).toEqual([])
    expect(due(...asking, approved('1.0'))).toEqual(['start:1.0#2'])
  })

  it('tells what executes after a stop to abort, and what is reconciled not to send again', () => {
    const write = [...calling('1.0'), decided('1.0', 'write'), started('1.0')]
    expect(next(stateOf(...write))).toMatchObject([{ abort: false }])
    expect(next(stateOf(...write, cancel))).toMatchObject([{ abort: true }])
    expect(next(stateOf(...write, lease(2)))).toMatchObject([{ resend: true }])
    expect(next(stateOf(...write, cancel, lease(2)))).toMatchObject([{ resend: false }])
    const modes = (extra: object): EventBody => ({ type: 'mode-change', ...extra })
    expect(next(stateOf(...write, modes({ readOnly: true }), lease(2)))).toMatchObject([{ resend: false }])
    expect(next(stateOf(...write, modes({ allow: ['other'] }), lease(2)))).toMatchObject([{ resend: false }])
    expect(next(stateOf(...write, modes({ allow: ['tool'], askAll: true }), lease(2)))).toMatchObject([
      { resend: true },
    ])
    expect(next(stateOf(...asked, cancel))).toMatchObject([{ type: 'call-model', abort: true }])
  })

  it.each<[reason: 'cancelled' | 'deadline', end: object]>([
    ['cancelled', { outcome: 'cancelled', budget: undefined }],
    ['deadline', { outcome: 'budget-exceeded', budget: 'time' }],
  ])('ends a run that was stopped as %s with the reason that says so', (reason, end) => {
    const stopped = stateOf(...asked.slice(0, 2), { type: 'run-stop', reason })
    expect(next(stopped)).toMatchObject([{ type: 'end-run', ...end }])
  })

  it('completes a run whose last answer came before the stop was heard', () => {
    const late = stateOf(...asked, cancel, {
      type: 'assistant-message',
      step: 1,
      complete: true,
      parts: said,
      calls: [],
      finish: 'stop',
    })
    expect(next(late)).toMatchObject([{ type: 'end-run', outcome: 'completed' }])
  })

  it('fails a run whose model failed for good, and says why', () => {
    const failure = { code: 'model_auth', message: 'Wrong key', retryable: false }
    const failed = stateOf(...asked, {
      type: 'assistant-message',
      step: 1,
      complete: false,
      parts: [],
      calls: [],
      failure,
    })
    expect(next(failed)).toMatchObject([{ type: 'end-run', outcome: 'failed', failure }])
  })
})

describe('next() keeps the order of reads and writes', () => {
  const three = calling('1.0', '1.1', '1.2')
  const starts = (...events: EventBody[]) => due(...events).filter((id) => id.startsWith('start'))
  it('lets reads run together, and a write wait for the calls before it', () => {
    const events = [...three, decided('1.0', 'read'), decided('1.1', 'write'), decided('1.2', 'read')]
    expect(starts(...events)).toEqual(['start:1.0#1', 'start:1.2#1'])
    expect(starts(...events, started('1.0'))).toEqual(['start:1.2#1'])
    expect(starts(...events, settled('1.0'))).toEqual(['start:1.1#1', 'start:1.2#1'])
  })

  it('lets a read wait for a write that executes, and a write for any read that does', () => {
    const events = [...three, settled('1.0'), decided('1.1', 'write'), decided('1.2', 'read')]
    expect(starts(...events, started('1.1'))).toEqual([])
    expect(starts(...events, started('1.2'))).toEqual([])
  })

  it('lets a write wait while an earlier call waits for a person', () => {
    expect(starts(...three, decided('1.0', 'read', 'ask'), decided('1.1', 'write'))).toEqual([])
  })

  it('lets a script start at once, and its write not wait for it', () => {
    const events = [...calling('1.0', '1.1'), decided('1.0', 'script'), decided('1.1', 'write')]
    expect(starts(...events)).toEqual(['start:1.0#1'])
    const inside = [...events, started('1.0'), turn(0, ['1.0/0']), decided('1.0/0', 'write')]
    expect(starts(...inside)).toEqual(['start:1.0/0#1'])
  })
})

describe('next() does not take an answer of the gate that rests on what was before', () => {
  const change: EventBody = { type: 'mode-change', readOnly: true }
  it('after the modes changed', () => {
    expect(due(...calling('1.0'), change)).toEqual(['decide:1.0#1'])
    expect(due(...calling('1.0'), decided('1.0', 'write'), change)).toEqual(['start:1.0#2'])
    expect(due(...calling('1.0'), decided('1.0', 'write'), started('1.0'), change)).toEqual(['execute:1.0#2'])
    const interrupted = [...calling('1.0'), decided('1.0', 'read'), started('1.0'), lease(2)]
    expect(due(...interrupted)).toEqual(['start:1.0#2'])
    expect(due(...interrupted, change)).toEqual(['start:1.0#3'])
  })

  it('after a read ran while a write waited', () => {
    const ready = [...calling('1.0', '1.1'), decided('1.0', 'write'), decided('1.1', 'read')]
    expect(due(...ready)).toEqual(['start:1.0#1', 'start:1.1#1'])
    expect(due(...ready, started('1.1'))).toEqual(['execute:1.1#2'])
    expect(due(...ready, started('1.1'), settled('1.1'))).toEqual(['start:1.0#2'])
  })
})

describe('isEarlier()', () => {
  it.each<[a: string, b: string]>([
    ['1.0', '1.1'],
    ['1.9', '1.10'],
    ['1.10', '2.0'],
    ['1.0', '1.0/0'],
    ['1.0/2', '1.0/10'],
    ['1.0/99', '1.1'],
    ['1.0/1', '1.0/1/0'],
  ])('puts %s before %s, and not the other way round', (a, b) => {
    expect([isEarlier(a, b), isEarlier(b, a), isEarlier(a, a)]).toEqual([true, false, false])
  })
})

describe('accepts()', () => {
  const asking = [...calling('1.0', '1.1'), decided('1.0', 'write', 'ask')]
  const late = 1_000
  const expiring = [...calling('1.0'), { ...decided('1.0', 'write', 'ask'), detail: { expires: late } } as EventBody]
  const expiry = (hash = 'h:1.0'): EventBody => ({ type: 'approval-expired', callId: '1.0', hash })
  const end: EventBody = { type: 'run-end', outcome: 'completed' }
  const unknown = [...calling('1.0'), decided('1.0', 'write'), started('1.0'), settled('1.0', 'unknown')]
  const news = (extra: object = {}): EventBody =>
    ({ type: 'tool-reconciled', callId: '1.0', toolName: 'tool', done: true, by: 'late', ...extra }) as EventBody
  const final: EventBody = { type: 'assistant-message', step: 1, complete: true, parts: said, calls: [] }
  const anew: EventBody = { ...decided('1.0', 'write', 'ask'), hash: 'h2' } as EventBody
  const newer: EventBody = { ...approved('1.0'), hash: 'h2' } as EventBody
  const edit: EventBody = { ...approved('1.0'), edit: { input: 1, hash: 'e' } } as EventBody
  it.each<[expected: boolean, name: string, events: readonly EventBody[], event: EventBody]>([
    [true, 'an approval while asking', asking, approved('1.0')],
    [false, 'an expiry of what does not expire', asking, expiry()],
    [false, 'an approval of another hash', asking, { ...approved('1.0'), hash: 'shown before' } as EventBody],
    [false, 'an expiry of another hash', expiring, expiry('shown before')],
    [false, 'an approval before the decision', asking, approved('1.1')],
    [false, 'an approval of no call', asking, approved('constructor')],
    [false, 'a second approval', [...asking, approved('1.0')], approved('1.0')],
    [false, 'an approval after it expired', [...expiring, expiry()], approved('1.0')],
    [false, 'an expiry after it was approved', [...expiring, approved('1.0')], expiry()],
    [false, 'an expiry after a stop', [...expiring, cancel], expiry()],
    [false, 'an approval of what was decided anew', [...asking, approved('1.0'), anew], approved('1.0')],
    [true, 'an approval of what it was decided to be', [...asking, approved('1.0'), anew], newer],
    [false, 'an approval while an edit is decided', [...asking, edit], approved('1.0')],
    [true, 'a mode while it runs', asked, { type: 'mode-change', readOnly: true }],
    [true, 'a mode after a stop', [...asked, cancel], { type: 'mode-change' }],
    [false, 'a mode after the end', [...asked, final, end], { type: 'mode-change' }],
    [false, 'an approval after a stop', [...asking, cancel], approved('1.0')],
    [false, 'an approval after the call settled', [...asking, settled('1.0', 'denied')], approved('1.0')],
    [true, 'a stop', asked, cancel],
    [false, 'a second stop', [...asked, cancel], cancel],
    [false, 'a stop after the last answer', [...asked, final], cancel],
    [false, 'a stop after the end', [...asked, final, end], cancel],
    [true, 'a higher epoch', asked, lease(2)],
    [false, 'the same epoch', asked, lease(1)],
    [false, 'an epoch after the end', [...asked, final, end], lease(2)],
    [true, 'news of an unknown write', unknown, news()],
    [true, 'news of an unknown write after the end', [...unknown, end], news()],
    [true, 'news of another run', asked, news({ runId: 'earlier' })],
    [false, 'news of what is known', [...unknown, news()], news()],
    [false, 'news of no write', asked, news()],
    [false, 'what only an effect may append', asking, settled('1.0')],
    [false, 'what only an effect may append', asking, started('1.0')],
    [false, 'a message in the midst of a run', asked, { type: 'user-message', text: 'more' }],
  ])('is %s for %s', (expected, _, events, event) => {
    expect(accepts(stateOf(...events), event)).toBe(expected)
  })

  it.each<[expected: boolean, name: string, event: EventBody, at: number]>([
    [true, 'an approval in its time', approved('1.0'), late - 1],
    [false, 'an approval after its time', approved('1.0'), late],
    [false, 'a denial after its time', { ...approved('1.0'), approved: false } as EventBody, late],
    [false, 'an expiry before its time', expiry(), late - 1],
    [true, 'an expiry after its time', expiry(), late],
  ])('is %s for %s', (expected, _, event, at) => {
    expect(accepts(stateOf(...expiring), event, at)).toBe(expected)
    expect(accepts(stateOf(...expiring, lease(2)), event, at)).toBe(expected)
    expect(accepts(stateOf(...expiring, { ...lease(2), at }), event)).toBe(expected)
  })

  it('counts the time of an approval from its last decision', () => {
    const again = { ...decided('1.0', 'write', 'ask'), hash: 'h2', detail: { expires: late }, at: 5_000 } as RunEvent
    const state = stateOf(...expiring, approved('1.0'), again)
    expect(accepts(state, newer, 5_999)).toBe(true)
    expect(accepts(state, newer, 6_000)).toBe(false)
  })

  it('is false for an answer for the rest that is another than the answer, or for another tool', () => {
    const grant = { approved: true, toolName: 'tool', tool: 't', fixed: {}, reasons: [], untrusted: false }
    const says = (extra: object) =>
      accepts(stateOf(...asking), { ...approved('1.0'), grant: { ...grant, ...extra } } as EventBody)
    expect([says({}), says({ approved: false }), says({ toolName: 'other' })]).toEqual([true, false, false])
  })
})
