import { describe, expect, it, vi } from 'vitest'
import { runParts } from '../../src/client/run-parts.js'
import { LiveRun, type RunPorts, type RunUpdate } from '../../src/client/run.js'
import type { AskDetail } from '../../src/core/approval.js'
import type { EventBody, RunEvent } from '../../src/core/events.js'
import { defaultBudget } from '../../src/core/usage.js'
import { HandrailError } from '../../src/errors.js'
import type { Command } from '../../src/runtime/protocol.js'

const header: EventBody = {
  type: 'run-start',
  format: 1,
  runId: 'r',
  session: 's',
  owner: 'ada',
  epoch: 1,
  model: { provider: 'p', model: 'm' },
  contextHash: 'c',
  seed: 1,
  locale: 'en',
  timeZone: 'UTC',
  budget: defaultBudget,
}
const says = (text: string, calls: readonly string[] = [], complete = true): EventBody => ({
  type: 'assistant-message',
  step: 1,
  complete,
  parts: [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text },
  ],
  calls: calls.map((callId) => ({
    callId,
    toolName: callId === '1.1' ? 'other' : 'pay',
    input: { n: 1 },
    caller: 'model',
  })),
})
const start: readonly EventBody[] = [
  header,
  { type: 'user-message', text: 'Hi' },
  { type: 'step-start', step: 1, attempt: 1 },
]
const ask = (callId: string, hash: string, detail: AskDetail = {}): EventBody => ({
  type: 'tool-decision',
  callId,
  verdict: 'ask',
  mode: 'write',
  hash,
  reasons: [`Why ${hash}`],
  input: { n: 2 },
  detail,
})
const asking = [
  ...start,
  says('', ['1.0', '1.1']),
  ask('1.0', 'h0', { risk: 'irreversible', expires: 60 }),
  ask('1.1', 'h1'),
]
const end = (more: object = {}): EventBody => ({ type: 'run-end', outcome: 'completed', ...more })

const at = (body: EventBody, seq: number): RunEvent => ({ ...body, at: 1_000 + seq })

function make(events: readonly EventBody[] = []) {
  const sent: Command[] = []
  const onUpdate = vi.fn<RunPorts['onUpdate']>()
  const command = vi.fn<RunPorts['command']>(async (given) => sent.push(given))
  const run = new LiveRun('r', { command, parts: runParts, onUpdate })
  const feed = (more: readonly EventBody[]) => {
    for (const body of more) run.receive(run.events.length, at(body, run.events.length))
  }
  feed(events)
  return { run, feed, sent, command, onUpdate }
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'resolved',
    (error: unknown) => (HandrailError.is(error) ? error.code : String(error)),
  )

async function take(updates: AsyncIterable<RunUpdate>, into: string[]): Promise<void> {
  for await (const update of updates)
    into.push(update.type === 'event' ? `${update.seq} ${update.event.type}` : 'delta')
}
const names = (events: readonly EventBody[]) => events.map(({ type }, seq) => `${seq} ${type}`)

describe('a run', () => {
  it('tells the risk that the gate has found, and none of a call that a provider runs', () => {
    const reply = says('', ['1.0', '1.1'])
    const calls = (reply.type === 'assistant-message' ? reply.calls : []).map((call) =>
      Object.assign(call, { toolName: 'pay' }, call.callId === '1.1' && { executor: 'provider' }),
    )
    const asked = [ask('1.0', 'h0', { risk: 'irreversible' }), ask('1.1', 'h1')]
    const { run } = make([...start, { ...reply, calls } as EventBody, ...asked])
    expect(run.approvals.map(({ toolName, risk }) => [toolName, risk])).toEqual([
      ['pay', 'irreversible'],
      ['pay', undefined],
    ])
  })

  it('takes every event once and in order, however they come', () => {
    const { run, onUpdate } = make()
    const events = [...start, says('Hello'), end()].map(at)
    for (const seq of [2, 0, 0, 3, 1, 1, 4, 2]) run.receive(seq, events[seq]!)
    expect(run.events).toEqual(events)
    expect(run.state.status).toBe('completed')
    expect(onUpdate.mock.calls.map(([, update]) => update?.type === 'event' && update.seq)).toEqual([0, 1, 2, 3, 4])
  })

  it('gives each iterator all events from the first on, and the deltas from its own start on', async () => {
    const { run, feed } = make(start)
    const [early, late]: [string[], string[]] = [[], []]
    const first = take(run, early)
    await Promise.resolve()
    run.showDelta({ type: 'text', index: 0, text: 'Hel' })
    feed([says('Hello')])
    const second = take(run, late)
    await Promise.resolve()
    run.showDelta({ type: 'text', index: 0, text: '?' })
    feed([end()])
    await Promise.all([first, second])
    const all = names([...start, says('Hello'), end()])
    expect(early).toEqual([...all.slice(0, 3), 'delta', all[3], 'delta', all[4]])
    expect(late).toEqual([...all.slice(0, 4), 'delta', all[4]])
    const after: string[] = []
    await take(run, after)
    expect(after).toEqual(all)
  })

  it('throws what it failed with out of an iterator, after the events before', async () => {
    const { run } = make(start)
    const seen: string[] = []
    const taking = take(run, seen)
    await Promise.resolve()
    run.fail(new HandrailError('worker_died', 'Dead'))
    expect(await codeOf(taking)).toBe('worker_died')
    expect(seen).toEqual(names(start))
    expect(await codeOf(run.answer)).toBe('worker_died')
  })

  it('has no answer in a log whose messages are none', async () => {
    const bare = { type: 'assistant-message', step: 1, complete: true, calls: [], finish: 'length' } as never
    const { run } = make([...start, bare, { type: 'run-end', outcome: 'completed' }])
    expect(await codeOf(run.answer)).toBe('log_invalid')
    expect(run.isOver).toBe(true)
  })

  it('fails on a log that cannot be', async () => {
    const { run } = make([...start, { type: 'tool-result', callId: '9.9', outcome: 'ok' }])
    expect(await codeOf(run.answer)).toBe('log_invalid')
  })
})

describe('answer', () => {
  it('is the text of the last complete message', async () => {
    const { run } = make([
      ...start,
      says('cut', [], false),
      { type: 'step-start', step: 1, attempt: 2 },
      says('Hello'),
      end(),
    ])
    expect(await run.answer).toBe('Hello')
  })

  it('is the refusal when the model declined', async () => {
    const refusal: EventBody = {
      type: 'assistant-message',
      step: 1,
      complete: true,
      parts: [{ type: 'refusal', text: 'No.' }],
      calls: [],
    }
    expect(await make([...start, refusal, end()]).run.answer).toBe('No.')
  })

  const failure = { code: 'model_auth', message: 'The key was refused', retryable: false }
  it.each([
    { more: { outcome: 'cancelled' }, code: 'run_cancelled', says: 'Run "r" ended cancelled' },
    {
      more: { outcome: 'budget-exceeded', budget: 'steps' },
      code: 'budget_exceeded',
      says: 'Run "r" ended budget-exceeded: the budget "steps" is used up',
    },
    { more: { outcome: 'failed', failure }, code: 'run_failed', says: 'Run "r" ended failed: The key was refused' },
    {
      more: { outcome: 'failed', failure, message: 'The run failed: The key was refused. So far 0 calls ended.' },
      code: 'run_failed',
      says: 'Run "r" ended failed: The run failed: The key was refused. So far 0 calls ended.',
    },
  ])('rejects with $code', async ({ more, code, says: message }) => {
    await expect(make([...start, end(more)]).run.answer).rejects.toMatchObject({ code, message })
  })

  it('carries why the run failed as its cause', async () => {
    await expect(make([...start, end({ outcome: 'failed', failure })]).run.answer).rejects.toMatchObject({
      cause: { code: 'model_auth' },
    })
  })

  it('makes no noise when nobody waits for it', async () => {
    const unhandled = vi.fn<() => void>()
    process.on('unhandledRejection', unhandled)
    make([...start, end({ outcome: 'failed', failure })])
    make(start).run.fail(new HandrailError('worker_died', 'Dead'))
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off('unhandledRejection', unhandled)
    expect(unhandled).not.toHaveBeenCalled()
  })
})

describe('approvals', () => {
  it('show what will be executed, with risk, reasons and hash, since when, and how long they can be answered', () => {
    expect(make(asking).run.approvals).toEqual([
      {
        callId: '1.0',
        toolName: 'pay',
        input: { n: 2 },
        risk: 'irreversible',
        reasons: ['Why h0'],
        hash: 'h0',
        detail: { risk: 'irreversible', expires: 60 },
        askedAt: 1004,
        expiresAt: 1064,
      },
      {
        callId: '1.1',
        toolName: 'other',
        input: { n: 2 },
        reasons: ['Why h1'],
        hash: 'h1',
        detail: {},
        askedAt: 1005,
      },
    ])
  })

  it('can be answered together, each for what it asks', async () => {
    const { run, sent } = make(asking)
    await run.approve(['1.0', '1.1'])
    await run.deny(['1.1', '1.0'], 'Not now')
    expect(sent).toEqual([
      { type: 'approve', runId: 'r', callId: '1.0', hash: 'h0' },
      { type: 'approve', runId: 'r', callId: '1.1', hash: 'h1' },
      { type: 'deny', runId: 'r', callId: '1.1', hash: 'h1', reason: 'Not now' },
      { type: 'deny', runId: 'r', callId: '1.0', hash: 'h0', reason: 'Not now' },
    ])
  })

  it('that are answered together do not keep each other back', async () => {
    const { run, command, sent } = make(asking)
    command.mockRejectedValueOnce(new HandrailError('stale_approval', 'Changed'))
    expect(await codeOf(run.approve(['1.0', '1.1']))).toBe('stale_approval')
    expect(sent).toEqual([{ type: 'approve', runId: 'r', callId: '1.1', hash: 'h1' }])
  })

  it('take what is for one call for one call only', async () => {
    const { run, sent } = make(asking)
    for (const options of [{ hash: 'h0' }, { input: {} }, { rest: { count: 1 } }])
      expect(await codeOf(run.approve(['1.0', '1.1'], options))).toBe('invalid_options')
    expect(await codeOf(run.deny(['1.0', '1.1'], { rest: true }))).toBe('invalid_options')
    expect(await codeOf(run.approve([]))).toBe('invalid_options')
    expect(await codeOf(run.approve(['1.0', '1.0']))).toBe('invalid_options')
    expect(await codeOf(run.approve(['1.0', '1.9']))).toBe('not_asking')
    expect(sent).toEqual([])
  })

  it('are given and denied for the rest of a script too, within what the person says', async () => {
    const { run, sent } = make(asking)
    await run.approve('1.0', { hash: 'h0', rest: { count: 3, fixed: ['/n'] } })
    await run.deny('1.1', { hash: 'h1', rest: true, reason: 'No' })
    expect(sent).toEqual([
      { type: 'approve', runId: 'r', callId: '1.0', hash: 'h0', rest: { count: 3, fixed: ['/n'] } },
      { type: 'deny', runId: 'r', callId: '1.1', hash: 'h1', reason: 'No', rest: true },
    ])
    expect(await codeOf(run.approve('1.0', { rest: { counts: 3 } } as never))).toBe('invalid_options')
  })

  it('answer what was asked at the moment of the click, whatever comes while the answer is on its way', async () => {
    const { run, sent, feed } = make(asking)
    const answered = run.approve('1.0')
    feed([{ ...ask('1.0', 'h7') } as EventBody])
    await answered
    expect(sent).toEqual([{ type: 'approve', runId: 'r', callId: '1.0', hash: 'h0' }])
  })

  it('send the hash that is shown now', async () => {
    const { run, sent } = make(asking)
    await run.approve('1.0')
    await run.approve('1.1', { input: { n: 3 } })
    await run.deny('1.1', 'Too much')
    expect(sent).toEqual([
      { type: 'approve', runId: 'r', callId: '1.0', hash: 'h0' },
      { type: 'approve', runId: 'r', callId: '1.1', hash: 'h1', input: { n: 3 } },
      { type: 'deny', runId: 'r', callId: '1.1', hash: 'h1', reason: 'Too much' },
    ])
  })

  it('refuse the hash of what is no longer asked', async () => {
    const { run, sent } = make(asking)
    expect(await codeOf(run.approve('1.0', { hash: 'h9' }))).toBe('stale_approval')
    expect(sent).toEqual([])
  })

  it.each(['1.9', 'constructor', ''])('refuse a call that does not ask: "%s"', async (callId) => {
    const { run, sent } = make(asking)
    expect(await codeOf(run.approve(callId))).toBe('not_asking')
    expect(await codeOf(run.deny(callId))).toBe('not_asking')
    expect(sent).toEqual([])
  })

  it('are none once the run is stopped here', async () => {
    const { run } = make(asking)
    run.fail(new HandrailError('agent_closed', 'Closed'))
    expect(run.approvals).toEqual([])
    expect(await codeOf(run.approve('1.0'))).toBe('not_asking')
  })

  it('refuse what is misspelt, or of another kind, before anything is sent', async () => {
    const { run, sent } = make(asking)
    expect(await codeOf(run.approve('1.0', { inputs: { n: 3 } } as never))).toBe('invalid_options')
    expect(await codeOf(run.approve('1.0', { hash: 7 } as never))).toBe('invalid_options')
    expect(await codeOf(run.deny('1.0', { why: 'Too much' } as never))).toBe('invalid_options')
    expect(await codeOf(run.reconcile('1.0', 'yes' as never))).toBe('invalid_options')
    expect(sent).toEqual([])
  })

  it('refuse an edit that is not JSON', async () => {
    expect(await codeOf(make(asking).run.approve('1.0', { input: { n: (() => 1) as never } }))).toBe('input_not_json')
  })
})

describe('commands', () => {
  it('wait until the run was started, and fail with it', async () => {
    const { run, sent } = make(start)
    let begin!: () => void
    run.started = new Promise<void>((resolve) => (begin = resolve))
    const cancelled = run.cancel()
    await Promise.resolve()
    expect(sent).toEqual([])
    begin()
    await cancelled
    expect(sent).toEqual([{ type: 'cancel', runId: 'r' }])
    run.started = Promise.reject(new HandrailError('run_open', 'Open'))
    expect(await codeOf(run.cancel())).toBe('run_open')
  })

  it('reject with the refusal of the worker', async () => {
    const { run, command } = make(asking)
    command.mockRejectedValue(new HandrailError('stale_approval', 'Changed'))
    expect(await codeOf(run.approve('1.0'))).toBe('stale_approval')
  })

  it('do not cancel a run that is over', async () => {
    expect(await codeOf(make([...start, says('Hello'), end()]).run.cancel())).toBe('run_over')
  })

  it('set what may be called from now on', async () => {
    const { run, sent } = make(asking)
    await run.setModes({ allow: ['look'], askAll: true })
    expect(sent).toEqual([{ type: 'mode', runId: 'r', modes: { allow: ['look'], askAll: true } }])
  })

  it('leave it to the app to tell a person what its tools want told', () => {
    const told: readonly EventBody[] = [
      ...start,
      says('', ['1.0', '1.1']),
      {
        type: 'tool-result',
        callId: '1.0',
        outcome: 'error',
        failure: { code: 'x', message: 'X', retryable: false },
        tellPerson: true,
      },
      { type: 'tool-result', callId: '1.1', outcome: 'error' },
    ]
    expect(make(told).run.toTell).toEqual([
      { callId: '1.0', toolName: 'pay', outcome: 'error', failure: { code: 'x', message: 'X', retryable: false } },
    ])
  })

  const unknown: readonly EventBody[] = [
    ...start,
    says('', ['1.0']),
    { ...ask('1.0', 'h0'), verdict: 'allow' } as EventBody,
    { type: 'tool-start', callId: '1.0', hash: 'h0' },
    { type: 'tool-result', callId: '1.0', outcome: 'unknown' },
  ]
  it('say what became of a write whose outcome is unknown', async () => {
    const { run, sent } = make(unknown)
    expect(run.unknown.map(({ callId }) => callId)).toEqual(['1.0'])
    expect(await codeOf(run.reconcile('1.1', true))).toBe('not_unknown')
    await run.reconcile('1.0', true)
    expect(sent).toEqual([{ type: 'reconcile', runId: 'r', callId: '1.0', done: true }])
    run.noteReconciled('1.0')
    expect(run.unknown).toEqual([])
    expect(await codeOf(run.reconcile('1.0', true))).toBe('not_unknown')
  })
})
