import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Grant } from '../../src/core/approval.js'
import type { EventBody, RunEvent } from '../../src/core/events.js'
import { approved, asked, call, calling, decided, header, settled, stamped, started } from '../core/log.js'
import { chainOf, violationsOf } from './log-invariants.js'

const of = (...events: (EventBody | RunEvent)[]) => violationsOf(stamped(events))
const answer: EventBody = { type: 'assistant-message', step: 2, complete: true, parts: [], calls: [], finish: 'stop' }
const step = (n: number, attempt = 1): EventBody => ({ type: 'step-start', step: n, attempt })
const turn = (n: number, calls: readonly string[], extra: object = {}): EventBody =>
  ({ type: 'script-turn', callId: '1.0', turn: n, calls: calls.map((id) => call(id)), ...extra }) as EventBody
const lease = (epoch: number): EventBody => ({ type: 'lease-start', epoch })
const stop: EventBody = { type: 'run-stop', reason: 'cancelled' }
const end: EventBody = { type: 'run-end', outcome: 'completed' }
const modes = (extra: object): EventBody => ({ type: 'mode-change', ...extra })
const ended = { outcome: { status: 'ok', value: null } }

const asking = [...calling('1.0'), decided('1.0', 'write', 'ask')]
const write = [...asking, approved('1.0'), started('1.0')]
const over = [...write, settled('1.0'), step(2), answer, end]
const denial: EventBody = { type: 'approval-response', callId: '1.0', hash: 'h:1.0', approved: false }
const expiry: EventBody = { type: 'approval-expired', callId: '1.0', hash: 'h:1.0' }
const at = (time: number, event: EventBody): RunEvent => ({ ...event, at: time })
const expiring = [...calling('1.0'), at(5, { ...decided('1.0', 'write', 'ask'), detail: { expires: 10 } } as EventBody)]

const script = [...calling('1.0', '1.1'), decided('1.0', 'script'), started('1.0'), decided('1.1', 'script')]
const turned = [...script, started('1.1'), turn(0, ['1.0/0', '1.0/1', '1.0/2'])]
/** Two calls settle, and the script is fed both. */
const fed = [
  ...turned,
  ...['1.0/1', '1.0/0'].flatMap((id) => [decided(id, 'read'), started(id), settled(id)]),
  turn(1, [], { fed: '1.0/1' }),
  turn(2, [], { fed: '1.0/0' }),
]
const grant: Grant = {
  approved: true,
  toolName: 'tool',
  tool: 't',
  count: 1,
  fixed: {},
  reasons: ['r'],
  untrusted: false,
}
const granting = (extra: Partial<Grant> = {}, ...more: readonly EventBody[]): EventBody[] => [
  ...turned,
  decided('1.0/0', 'write', 'ask'),
  { ...approved('1.0/0'), grant: { ...grant, ...extra } } as EventBody,
  started('1.0/0'),
  settled('1.0/0'),
  ...more,
]
const fits = (callId: string, extra: object = {}): EventBody[] => [
  { ...decided(callId, 'write'), grant: '1.0/0', ...extra } as EventBody,
  { ...started(callId), grant: '1.0/0' } as EventBody,
]

const file = join(import.meta.dirname, '../logs')
const golden = readdirSync(file).filter((name) => name.endsWith('.json'))

describe('violationsOf() finds nothing wrong', () => {
  it.each<[name: string, events: readonly (EventBody | RunEvent)[]]>([
    ['with a write that was approved', over],
    ['with a run that is not over', write],
    ['with a request that was cut', [...asked, { ...answer, step: 1, complete: false } as EventBody, step(1, 2)]],
    ['with a request of an epoch that is over', [...asked, lease(2), step(1, 2)]],
    [
      'with a read that was interrupted',
      [...calling('1.0'), decided('1.0', 'read'), started('1.0'), lease(2), started('1.0')],
    ],
    [
      'with an edit',
      [
        ...asking,
        { ...approved('1.0'), edit: { input: 1, hash: 'e' } } as EventBody,
        { ...decided('1.0', 'write', 'ask'), hash: 'e' } as EventBody,
        { ...started('1.0'), hash: 'e' } as EventBody,
      ],
    ],
    ['with a call that was granted', granting({}, ...fits('1.0/1', { reasons: ['r'] }), settled('1.0/1'))],
    ['with an answer in its time', [...expiring, at(14, approved('1.0'))]],
    ['with an approval that expired', [...expiring, at(15, expiry), at(15, settled('1.0', 'denied'))]],
    [
      'with news after the end',
      [
        ...write,
        settled('1.0', 'unknown'),
        step(2),
        answer,
        end,
        { type: 'tool-reconciled', callId: '1.0', toolName: 'tool', done: true, by: 'late' },
      ],
    ],
    [
      'with a read while only reads are allowed',
      [...calling('1.0'), modes({ readOnly: true }), decided('1.0', 'read'), started('1.0')],
    ],
    ['with a script that is fed', fed],
  ])('%s', (_, events) => {
    expect(of(...events)).toEqual([])
  })

  it.each(golden)('with the golden log %s', (name) => {
    expect(violationsOf(JSON.parse(readFileSync(join(file, name), 'utf8')) as RunEvent[])).toEqual([])
  })
})

const news = (extra: object = {}): EventBody =>
  ({ type: 'tool-reconciled', callId: '1.0', toolName: 'tool', done: true, by: 'late', ...extra }) as EventBody
const read = (id: string) => [decided(id, 'read'), started(id)]
const two = calling('1.0', '1.1')
const other: EventBody = { ...approved('1.0'), hash: 'other' } as EventBody
const cut: EventBody = { type: 'assistant-message', step: 1, complete: false, parts: [], calls: [call('1.0')] }
const format2: EventBody = { type: 'run-start', ...header(), format: 2 }
const chain = (...events: readonly EventBody[]): RunEvent[] => {
  let last = ''
  return stamped(events).map((event) => {
    last = chainOf(event, last)
    return { ...event, chain: last }
  })
}

describe('violationsOf() notices', () => {
  it.each<[fault: string, events: readonly (EventBody | RunEvent)[]]>([
    ['L1 a log begins with its run-start, and has no other', asked.slice(1)],
    ['L1 a log begins with its run-start, and has no other', [...asked, asked[0]!]],
    ['L1 the user speaks first', [asked[0]!, step(1)]],
    ['L1 the user speaks once', [...asked, asked[1]!]],
    ['L1 its time is before that of the event before it', [...asked.slice(0, 2), at(-1, step(1))]],
    ['L1 its epoch is not new', [...asked, lease(1)]],
    ['L1 its chain does not fit', [format2, ...asked.slice(1)]],
    ['L1 its chain does not fit', chain(format2, ...asked.slice(1)).with(1, chain(...asked)[1]!)],
    ['L1 its chain does not fit', chain(...asked)],
    ['L2 nobody asked for it', [...asked, decided('1.0', 'read')]],
    ['L2 it has a result', [...write, settled('1.0'), settled('1.0')]],
    ['L2 it has a result', [...write, settled('1.0', 'unknown'), decided('1.0', 'write')]],
    ['L2 it was started', [...write, decided('1.0', 'write')]],
    ['L2 it was started', [...calling('1.0'), ...read('1.0'), decided('1.0', 'read', 'deny')]],
    ['L2 call 1.0/0 is asked for a second time', [...turned, turn(1, ['1.0/0'])]],
    ['L2 call 1.0/0 is not of who asks for it', calling('1.0/0')],
    ['L2 call 1.1/0 is not of who asks for it', [...script, turn(0, ['1.1/0'])]],
    ['L3 it starts while it is proposed', [...calling('1.0'), started('1.0')]],
    ['L3 it starts while it is asking', [...asking, started('1.0')]],
    ['L3 it starts while it is started', [...calling('1.0'), ...read('1.0'), started('1.0')]],
    [
      'L3 nobody approved what it starts with',
      [...asking, approved('1.0'), { ...started('1.0'), hash: 'x' } as EventBody],
    ],
    ['L3 nobody approved what it starts with', granting({}, fits('1.0/1')[0]!, started('1.0/1'))],
    [
      'L3 call 1.0/9 has no grant',
      granting({}, decided('1.0/1', 'write'), { ...started('1.0/1'), grant: '1.0/9' } as EventBody),
    ],
    ['L3 the grant is a denial', granting({ approved: false }, ...fits('1.0/1'))],
    [
      'L3 the grant is for another script',
      granting(
        {},
        settled('1.0/1', 'denied'),
        settled('1.0/2', 'denied'),
        turn(1, [], { fed: '1.0/0', ...ended }),
        settled('1.0'),
        { ...turn(0, ['1.1/0']), callId: '1.1' } as EventBody,
        ...fits('1.1/0'),
      ),
    ],
    ['L3 the grant is for order', granting({ toolName: 'order' }, ...fits('1.0/1'))],
    ['L3 the grant is for 1 calls', granting({}, ...fits('1.0/1'), settled('1.0/1'), ...fits('1.0/2'))],
    [
      'L3 the grant is for another value of /n',
      granting({ fixed: { '/n': 1 } }, ...fits('1.0/1', { input: { n: 1 } })),
    ],
    ['L3 the grant is without the reason: new', granting({}, ...fits('1.0/1', { reasons: ['r', 'new'] }))],
    ['L4 the call does not ask', [...calling('1.0'), approved('1.0')]],
    ['L4 the call does not ask', [...asking, approved('1.0'), approved('1.0')]],
    ['L4 it is for another hash than the call asks for', [...asking, other]],
    ['L4 its time is not over', [...asking, expiry]],
    ['L4 its time is not over', [...expiring, at(14, expiry)]],
    ['L4 its time is over', [...expiring, at(15, approved('1.0'))]],
    ['L4 its time is over', [...expiring, at(15, denial)]],
    ['L5 a write is started a second time', [...write, lease(2), started('1.0')]],
    ['L5 call 1.1 executes', [...two, ...read('1.1'), decided('1.0', 'write'), started('1.0')]],
    ['L5 call 1.0 executes', [...two, decided('1.0', 'write'), started('1.0'), ...read('1.1')]],
    ['L5 the earlier call 1.0 is open', [...two, decided('1.1', 'write'), started('1.1')]],
    [
      'L5 the earlier call 1.0 is open',
      [
        ...script,
        settled('1.1', 'denied'),
        turn(0, []),
        step(2),
        { ...cut, step: 2, complete: true, calls: [call('2.0')] } as EventBody,
        decided('2.0', 'write'),
        started('2.0'),
      ],
    ],
    [
      'L5 it is a started write, and ends as timeout',
      [...write, { ...settled('1.0'), outcome: 'timeout' } as EventBody],
    ],
    ['L6 it was denied', [...asking, denial, started('1.0')]],
    ['L6 it was denied', [...calling('1.0'), decided('1.0', 'read', 'deny'), decided('1.0', 'read')]],
    ['L6 it is refused, and ends as ok', [...asking, denial, settled('1.0')]],
    ['L6 it is asking, and ends as denied', [...asking, settled('1.0', 'denied')]],
    ['L6 it is a started read, and ends as unknown', [...calling('1.0'), ...read('1.0'), settled('1.0', 'unknown')]],
    ['L7 the run only reads', [...asking, approved('1.0'), modes({ readOnly: true }), started('1.0')]],
    [
      'L7 the run only reads',
      [
        { ...asked[0]!, readOnly: true } as EventBody,
        ...calling('1.0').slice(1),
        decided('1.0', 'write'),
        started('1.0'),
      ],
    ],
    [
      'L7 the tool is not allowed in this run',
      [...calling('1.0'), decided('1.0', 'read'), modes({ allow: [] }), started('1.0')],
    ],
    ['L7 every call asks in this run', [...calling('1.0'), modes({ askAll: true }), ...read('1.0')]],
    ['L8 the run was stopped', [...asking, stop, approved('1.0')]],
    ['L8 the run was stopped', [...calling('1.0'), decided('1.0', 'read'), stop, started('1.0')]],
    ['L8 the run was stopped', [...asked.slice(0, 2), stop, step(1)]],
    ['L8 the run was stopped', [...turned, stop, turn(1, [])]],
    ['L8 the run was stopped before', [...asked, stop, stop]],
    ['L8 the run is over', [...over, modes({})]],
    ['L8 the run is over', [...over, lease(2)]],
    ['L8 calls are open: 1.0', [...write, end]],
    ['L9 calls of the step before are open', [...write, step(2)]],
    ['L9 the request before it is not answered', [...asked, step(1, 2)]],
    ['L9 it is not the one after 1.1', [...asked, step(3)]],
    ['L9 it is not the one after 1.1', [...asked, lease(2), step(1, 1)]],
    ['L9 nothing was asked that it could answer', [...over.slice(0, -1), answer]],
    ['L9 it answers a request of an epoch that is over', [...asked, lease(2), { ...answer, step: 1 } as EventBody]],
    ['L9 a message that was cut asks for calls', [...asked, cut]],
    ['L9 there is no answer to check', [...asked, { type: 'answer-check', step: 1, verdict: 'accept' }]],
    ['L10 it is no script that was started', [...write, turn(0, [])]],
    ['L10 turn 2 comes after 1 turns', [...turned, turn(2, [])]],
    ['L10 the script has ended', [...script, turn(0, [], ended), turn(1, [])]],
    ['L10 it is fed 1.0/0, and 1.0/1 is next', [...fed.slice(0, -2), turn(1, [], { fed: '1.0/0' })]],
    ['L10 it is fed 1.0/0, and undefined is next', [...fed, turn(3, [], { fed: '1.0/0' })]],
    ['L10 its script has ended', [...script, turn(0, ['1.0/0'], ended), ...read('1.0/0')]],
    ['L10 calls of the script are open', [...script, turn(0, ['1.0/0'], ended), settled('1.0')]],
    ['L11 its outcome is not unknown', [...write, settled('1.0'), news()]],
    ['L11 its outcome is not unknown', [...write, settled('1.0', 'unknown'), news(), news()]],
  ])('%s', (fault, events) => {
    expect(of(...events).join('\n')).toContain(fault)
  })

  it('where it is', () => {
    expect(of(...asking, started('1.0'))).toEqual([
      'event 5, tool-start of 1.0: L3 it starts while it is asking',
      'event 5, tool-start of 1.0: L3 nobody approved what it starts with',
    ])
  })
})
