import { describe, expect, it } from 'vitest'
import { logFormat, type EventBody, type RunEvent } from '../../src/core/events.js'
import { evolve, fold, initialState, isMet, parentOf } from '../../src/core/state.js'
import type { CallState } from '../../src/core/call-state.js'
import type { Verdict } from '../../src/core/events.js'
import { approved, asked, call, calling, decided, header, settled, stamped, started, stateOf } from './log.js'

const openCall = (callId: string, ...events: EventBody[]): CallState => stateOf(...events).calls.get(callId)!

describe('evolve() moves a call', () => {
  const begin = calling('1.0')
  const hash = 'h:1.0'
  it.each<[name: string, events: EventBody[], phase: CallState['phase'], asking: number]>([
    ['to proposed when the model asked for it', [], 'proposed', 0],
    ['to ready when it is allowed', [decided('1.0', 'read')], 'ready', 0],
    ['to refused when it is denied', [decided('1.0', 'read', 'deny')], 'refused', 0],
    ['to asking when a person must say', [decided('1.0', 'write', 'ask')], 'asking', 1],
    ['to ready when the person says yes', [decided('1.0', 'write', 'ask'), approved('1.0')], 'ready', 0],
    [
      'to refused when the person says no',
      [decided('1.0', 'write', 'ask'), { type: 'approval-response', callId: '1.0', hash, approved: false }],
      'refused',
      0,
    ],
    [
      'to refused when the approval expires',
      [decided('1.0', 'write', 'ask'), { type: 'approval-expired', callId: '1.0', hash }],
      'refused',
      0,
    ],
    [
      'back to asking when its input changed after the approval',
      [
        decided('1.0', 'write', 'ask'),
        approved('1.0'),
        { ...decided('1.0', 'write', 'ask'), hash: 'other' } as EventBody,
      ],
      'asking',
      1,
    ],
    [
      'to ready when it is asked again for what was approved',
      [decided('1.0', 'write', 'ask'), approved('1.0'), decided('1.0', 'write', 'ask')],
      'ready',
      0,
    ],
    ['to started', [decided('1.0', 'read'), started('1.0')], 'started', 0],
  ])('%s', (_, events, phase, asking) => {
    const state = stateOf(...begin, ...events)
    expect(state.calls.get('1.0')).toMatchObject({ phase, round: events.length })
    expect(state.asking).toBe(asking)
  })

  it('to proposed when the person edits it, with the new input and approval for it alone', () => {
    const edit: EventBody = { ...approved('1.0'), edit: { input: { n: 2 }, hash: 'h2' } } as EventBody
    const edited = [...calling('1.0'), decided('1.0', 'write', 'ask'), edit]
    expect(openCall('1.0', ...edited)).toMatchObject({ phase: 'proposed', input: { n: 2 }, approved: 'h2' })
    expect(openCall('1.0', ...edited).inputText).toBeUndefined()
    const again = (hash: string) => openCall('1.0', ...edited, { ...decided('1.0', 'write', 'ask'), hash } as EventBody)
    expect(again('h2').phase).toBe('ready')
    expect(again('h:1.0').phase).toBe('asking')
  })

  it('back to asking when it was approved and then another reason is found, with what it is to be shown', () => {
    const again = { ...decided('1.0', 'write', 'ask'), hash: 'h2', reasons: ['new'], detail: { line: 3 }, at: 7 }
    const state = stateOf(...calling('1.0'), decided('1.0', 'write', 'ask'), approved('1.0'), again as EventBody)
    const shown = { phase: 'asking', hash: 'h2', reasons: ['new'], detail: { line: 3 }, decidedAt: 7 }
    expect(state.calls.get('1.0')).toMatchObject(shown)
  })

  it('out of the state when it settles, also while a person is asked', () => {
    const state = stateOf(...calling('1.0', '1.1'), decided('1.0', 'write', 'ask'), settled('1.0', 'denied'))
    expect([...state.calls.keys()]).toEqual(['1.1'])
    expect(state.asking).toBe(0)
  })
})

describe('evolve() keeps of a call', () => {
  it('the input as the gate made it, else as it was asked', () => {
    const input = (extra: object) =>
      openCall('1.0', ...calling('1.0'), { ...decided('1.0', 'read'), ...extra } as EventBody)
    expect(input({}).checked).toEqual({})
    expect(input({ input: { filled: true } }).checked).toEqual({ filled: true })
    expect(input({ input: null }).checked).toBeNull()
    const restarted = { ...started('1.0'), input: { filled: 2 } } as EventBody
    expect(openCall('1.0', ...calling('1.0'), decided('1.0', 'read'), restarted).checked).toEqual({ filled: 2 })
  })

  it('why it was refused, in words for the model', () => {
    const no = (event: object) =>
      openCall('1.0', ...calling('1.0'), decided('1.0', 'write', 'ask'), event as EventBody).failure
    const response = { type: 'approval-response', callId: '1.0', hash: 'h:1.0', approved: false }
    expect(no(response)).toMatchObject({ code: 'denied', message: 'A person denied this call.', retryable: false })
    expect(no({ ...response, reason: 'too dear' })?.message).toBe('A person denied this call: too dear')
    expect(no({ type: 'approval-expired', callId: '1.0', hash: 'h:1.0' })?.code).toBe('denied')
    const failure = { code: 'not_allowed', message: 'read only', retryable: false }
    expect(no({ ...decided('1.0', 'write', 'deny'), failure })).toEqual(failure)
  })

  it('the epoch that it was started under', () => {
    const events = [...calling('1.0'), decided('1.0', 'write'), started('1.0')]
    expect(openCall('1.0', ...events, { type: 'lease-start', epoch: 2 }).epoch).toBe(1)
  })

  it('nothing that a prototype key could change', () => {
    const names = ['__proto__', 'constructor', 'toString']
    const calls = names.map((name, i) => call(`1.${i}`, name, JSON.parse('{"__proto__":{"polluted":1}}')))
    const state = stateOf(...asked, { type: 'assistant-message', step: 1, complete: true, parts: [], calls })
    expect([...state.calls.values()].map(({ toolName }) => toolName)).toEqual(names)
    const odd = stateOf(...asked, {
      type: 'assistant-message',
      step: 1,
      complete: true,
      parts: [],
      calls: [call('__proto__')],
    })
    expect([...odd.calls.keys()]).toEqual(['__proto__'])
    expect({}).not.toHaveProperty('polluted')
  })
})

describe('evolve() moves a step', () => {
  const reply = (extra: object): EventBody =>
    ({ type: 'assistant-message', step: 1, complete: true, parts: [], calls: [], ...extra }) as EventBody
  const said = [{ type: 'text', text: 'done' }]
  const refused = [{ type: 'refusal', text: 'no' }]
  const failure = (retryable: boolean) => ({ code: 'model_failed', message: 'failed', retryable })
  it.each<[name: string, event: EventBody, step: object]>([
    ['to final when the model asks for nothing', reply({ finish: 'stop', parts: said }), { n: 1, phase: 'final' }],
    ['to final when the model refuses', reply({ finish: 'refusal', parts: refused }), { n: 1, phase: 'final' }],
    ['to final when what it made is in no text', reply({ parts: [{ type: 'other', native: 1 }] }), { phase: 'final' }],
    ['to answered when it only thought', reply({ parts: [{ type: 'reasoning', text: 'hm' }] }), { phase: 'answered' }],
    ['to answered when it was cut by length', reply({ finish: 'length', parts: said }), { n: 1, phase: 'answered' }],
    ['to answered when it says nothing', reply({ finish: 'stop' }), { n: 1, phase: 'answered' }],
    [
      'to calls when it asks, whatever the reason says',
      reply({ calls: [call('1.0')], finish: 'stop' }),
      { n: 1, phase: 'calls' },
    ],
    ['to calls when it asks and pauses', reply({ calls: [call('1.0')], finish: 'resend' }), { n: 1, phase: 'calls' }],
    ['to the next when the provider paused', reply({ finish: 'resend' }), { n: 2, attempt: 0, phase: 'due' }],
    ['back to due when the stream was cut', reply({ complete: false }), { n: 1, attempt: 1, phase: 'due' }],
    ['back to due when it may be tried again', reply({ complete: false, failure: failure(true) }), { phase: 'due' }],
    ['to failed when it may not', reply({ complete: false, failure: failure(false) }), { phase: 'failed' }],
  ])('%s', (_, event, step) => {
    expect(stateOf(...asked, event).step).toMatchObject(step)
  })

  it('to the next when the last call settles, not before', () => {
    const events = [...calling('1.0', '1.1'), settled('1.1', 'denied')]
    expect(stateOf(...events).step).toMatchObject({ n: 1, phase: 'calls' })
    expect(stateOf(...events, settled('1.0')).step).toMatchObject({ n: 2, attempt: 0, phase: 'due' })
  })
})

describe('evolve() feeds a script', () => {
  const running = [
    ...calling('1.0'),
    decided('1.0', 'script'),
    started('1.0'),
    { type: 'script-turn', callId: '1.0', turn: 0, calls: [call('1.0/0'), call('1.0/1'), call('1.0/2')] },
  ] satisfies EventBody[]
  const script = (...events: EventBody[]) => openCall('1.0', ...running, ...events).script

  it('what settled, in the order of the log', () => {
    expect(script()).toEqual({ turn: 1, queue: [], outcome: undefined })
    expect(script(settled('1.0/2'), settled('1.0/0'))?.queue).toEqual(['1.0/2', '1.0/0'])
    const turn: EventBody = { type: 'script-turn', callId: '1.0', turn: 1, fed: '1.0/2', calls: [] }
    expect(script(settled('1.0/2'), settled('1.0/0'), turn)).toMatchObject({ turn: 2, queue: ['1.0/0'] })
  })

  it('nothing after it has ended', () => {
    const end: EventBody = {
      type: 'script-turn',
      callId: '1.0',
      turn: 1,
      calls: [],
      outcome: { status: 'ok', value: 1 },
    }
    expect(script(end, settled('1.0/1'))?.queue).toEqual([])
  })

  it('under its own call, at any depth', () => {
    expect([parentOf('1.0'), parentOf('1.0/1'), parentOf('1.0/1/2')]).toEqual([undefined, '1.0', '1.0/1'])
  })
})

describe('evolve() remembers as unknown', () => {
  const unknown = (...events: EventBody[]) => [...stateOf(...events).unknown.keys()]
  const write = [...calling('1.0'), decided('1.0', 'write'), started('1.0'), settled('1.0', 'unknown')]
  const found = (extra: object): EventBody =>
    ({ type: 'tool-reconciled', callId: '1.0', toolName: 'tool', done: true, by: 'person', ...extra }) as EventBody

  it('a write whose outcome is not known, also after the run', () => {
    expect(unknown(...write)).toEqual(['1.0'])
    expect(unknown(...write, { type: 'run-end', outcome: 'completed' })).toEqual(['1.0'])
  })

  it('no read, and no write that is known', () => {
    expect(unknown(...calling('1.0'), decided('1.0', 'read'), started('1.0'), settled('1.0', 'unknown'))).toEqual([])
    expect(unknown(...calling('1.0'), decided('1.0', 'write'), started('1.0'), settled('1.0', 'error'))).toEqual([])
  })

  it('until it is found done: "not done" is not final, and another run is another call', () => {
    expect(unknown(...write, found({ done: false }))).toEqual(['1.0'])
    expect(unknown(...write, found({ runId: 'earlier' }))).toEqual(['1.0'])
    expect(unknown(...write, found({}))).toEqual([])
  })
})

describe('evolve()', () => {
  it('throws for an event of a call that is not open', () => {
    const message = 'Cannot fold: tool call "9.9" is not open'
    expect(() => stateOf(...calling('1.0'), settled('9.9'))).toThrow(message)
    expect(() => stateOf(...calling('1.0'), started('9.9'))).toThrow(message)
    expect(() => stateOf(...calling('1.0'), approved('9.9'))).toThrow(message)
    expect(() => stateOf(...calling('1.0'), settled('1.0'), settled('1.0'))).toThrow('"1.0" is not open')
  })

  it('lets what it does not understand of a newer format change nothing, and nothing of its own', () => {
    const stray = settled('9.9')
    const newer = { type: 'run-start', ...header(), format: logFormat + 1 } as const
    const before = stateOf(newer, ...asked.slice(1))
    expect(stateOf(newer, ...asked.slice(1), stray)).toEqual(before)
    expect(() => stateOf(...asked, stray)).toThrow('Cannot fold: tool call "9.9" is not open')
  })

  it('lets a type of a newer format change nothing', () => {
    const state = stateOf(...calling('1.0'))
    for (const type of ['something-new', 'constructor', '__proto__', ''])
      expect(evolve(state, { type, at: 99 } as unknown as RunEvent)).toBe(state)
  })

  it('changes no state that it was given', () => {
    const events = stamped([
      ...calling('1.0', '1.1'),
      decided('1.0', 'script'),
      started('1.0'),
      { type: 'script-turn', callId: '1.0', turn: 0, calls: [call('1.0/0')] },
      decided('1.0/0', 'write', 'ask'),
      approved('1.0/0'),
      started('1.0/0'),
      settled('1.0/0', 'unknown'),
      { type: 'run-stop', reason: 'cancelled' },
    ])
    let state = initialState
    for (const event of events) {
      const before = JSON.stringify({ ...state, calls: [...state.calls], unknown: [...state.unknown] })
      const after = evolve(state, event)
      expect(JSON.stringify({ ...state, calls: [...state.calls], unknown: [...state.unknown] })).toBe(before)
      state = after
    }
    expect(state).toEqual(fold(events))
  })

  it('takes its header, epoch, stop and end from the log', () => {
    const stopped: EventBody = { type: 'run-stop', reason: 'deadline' }
    const end: EventBody = { type: 'run-end', outcome: 'budget-exceeded', budget: 'time' }
    const state = stateOf(...asked, { type: 'lease-start', epoch: 5 }, stopped, end)
    expect(state).toMatchObject({ status: 'budget-exceeded', epoch: 5, stop: 'deadline', header: header() })
  })
})

describe('isMet()', () => {
  const approvedFor = (hash?: string, verdict?: Verdict) =>
    ({ ...call('1.0'), phase: 'ready', round: 0, approved: hash, verdict }) as CallState
  it.each<[verdict: 'allow' | 'ask' | 'deny', approval: string | undefined, expected: boolean]>([
    ['allow', undefined, true],
    ['ask', undefined, false],
    ['ask', 'h', true],
    ['ask', 'other', false],
    ['deny', 'h', false],
  ])('of %s with approval for %s is %s', (verdict, approval, expected) => {
    expect(isMet(approvedFor(approval), verdict, 'h')).toBe(expected)
  })

  it('of allow is no where a person was asked for something else: that it is allowed is written first', () => {
    expect(isMet(approvedFor('other', 'ask'), 'allow', 'h')).toBe(false)
    expect(isMet(approvedFor('h', 'ask'), 'allow', 'h')).toBe(true)
    expect(isMet(approvedFor('other', 'allow'), 'allow', 'h')).toBe(true)
    const changed = { ...decided('1.0', 'write'), hash: 'h2' } as EventBody
    expect(openCall('1.0', ...calling('1.0'), decided('1.0', 'write', 'ask'), approved('1.0'), changed).phase).toBe(
      'ready',
    )
  })
})
