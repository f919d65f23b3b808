import { describe, expect, it } from 'vitest'
import type { Grant, RunModes } from '../../src/core/approval.js'
import type { EventBody } from '../../src/core/events.js'
import { hasRoom } from '../../src/core/grants.js'
import { maySend } from '../../src/core/modes.js'
import { next } from '../../src/core/next.js'
import { approved, asked, call, calling, decided, header, settled, started, stateOf } from './log.js'

const turn = (callId: string, ...calls: string[]): EventBody => ({
  type: 'script-turn',
  callId,
  turn: 0,
  calls: calls.map((id) => call(id)),
})
const scripts = [
  ...calling('1.0', '1.1'),
  ...['1.0', '1.1'].flatMap((id) => [decided(id, 'script'), started(id), turn(id, `${id}/0`, `${id}/1`, `${id}/2`)]),
]
const grant: Grant = {
  approved: true,
  toolName: 'tool',
  tool: 't',
  count: 1,
  fixed: { '/to': 'ann' },
  reasons: ['It cannot be undone.'],
  untrusted: false,
}
const granted = (callId: string, extra: object = {}): EventBody =>
  ({ ...approved(callId), grant, ...extra }) as EventBody
const on = (callId: string, id = '1.0/0'): EventBody => ({ ...started(callId), grant: id }) as EventBody
const asks = (...callIds: string[]) => callIds.map((id) => decided(id, 'write', 'ask'))
const read = (callId: string) => decided(callId, 'read')

describe('an answer for the rest of a script', () => {
  const given = [...scripts, ...asks('1.0/0'), granted('1.0/0')]
  it('is kept with its script and its bounds, by the call that was answered', () => {
    expect([...stateOf(...given).grants]).toEqual([['1.0/0', { ...grant, parent: '1.0', used: 0 }]])
  })

  it('is kept also when it denies, or goes with an edit', () => {
    const no = { approved: false, grant: { ...grant, approved: false } }
    const denied = stateOf(...scripts, ...asks('1.0/0'), granted('1.0/0', no))
    expect(denied.grants.get('1.0/0')).toMatchObject({ approved: false, parent: '1.0' })
    expect(denied.calls.get('1.0/0')?.phase).toBe('refused')
    const edited = stateOf(...scripts, ...asks('1.0/0'), granted('1.0/0', { edit: { input: 1, hash: 'e' } }))
    expect(edited.grants.size).toBe(1)
    expect(edited.calls.get('1.0/0')).toMatchObject({ phase: 'proposed', edited: true, input: 1 })
  })

  it('is none for a call that the model made itself', () => {
    expect(stateOf(...calling('1.0'), ...asks('1.0'), granted('1.0')).grants.size).toBe(0)
  })

  it('is spent by each call that starts on it', () => {
    const state = stateOf(...given, started('1.0/0'), settled('1.0/0'), decided('1.0/1', 'write'), on('1.0/1'))
    expect(state.grants.get('1.0/0')?.used).toBe(1)
    expect(state.calls.get('1.0/1')?.grant).toBe('1.0/0')
    expect(hasRoom(state.grants, '1.0/0', state.calls.get('1.0/2')!)).toBe(false)
  })

  it('is spent once by a read that starts again after it was interrupted', () => {
    const again = [...given, read('1.0/1'), on('1.0/1'), { type: 'lease-start', epoch: 2 } as EventBody]
    const state = stateOf(...again, on('1.0/1'))
    expect(state.grants.get('1.0/0')?.used).toBe(1)
    expect(hasRoom(stateOf(...again).grants, '1.0/0', stateOf(...again).calls.get('1.0/1')!)).toBe(true)
  })

  it('stays spent when the call that started on it fails', () => {
    const failed = [...given, read('1.0/1'), on('1.0/1'), settled('1.0/1', 'error')]
    expect(stateOf(...failed).grants.get('1.0/0')?.used).toBe(1)
  })

  it('is not spent by a call that names none, or one that is not there', () => {
    const started1 = [...given, read('1.0/1'), started('1.0/1')]
    expect(stateOf(...started1).grants.get('1.0/0')?.used).toBe(0)
    expect(stateOf(...given, read('1.0/1'), on('1.0/1', 'constructor')).grants.get('1.0/0')?.used).toBe(0)
  })

  it('makes a start anew of each other call of the script that was about to start on it', () => {
    const two = [...given, read('1.0/1'), read('1.0/2'), read('1.1/0')]
    const due = (...events: EventBody[]) => next(stateOf(...events)).map(({ id }) => id)
    expect(due(...two)).toEqual(expect.arrayContaining(['start:1.0/1#1', 'start:1.0/2#1', 'start:1.1/0#1']))
    const after = due(...two, on('1.0/1'))
    expect(after).toEqual(expect.arrayContaining(['start:1.0/2#2', 'start:1.1/0#1']))
    expect(after).not.toContain('start:1.0/2#1')
  })

  it('is for the calls of the script that ask already: they are decided again', () => {
    const open = [...scripts, ...asks('1.0/0', '1.0/1', '1.1/0')]
    expect(stateOf(...open).asking).toBe(3)
    const state = stateOf(...open, granted('1.0/0'))
    expect(['1.0/0', '1.0/1', '1.1/0'].map((id) => state.calls.get(id)?.phase)).toEqual(['ready', 'proposed', 'asking'])
    expect(state.asking).toBe(1)
    expect(stateOf(...open, approved('1.0/0')).calls.get('1.0/1')?.phase).toBe('asking')
  })

  it('makes a start anew of what is about to start on an earlier answer of the same call', () => {
    const more = [...given, { ...decided('1.0/0', 'write', 'ask'), hash: 'h2' } as EventBody, read('1.0/1')]
    const no = { hash: 'h2', approved: false, grant: { ...grant, approved: false } }
    expect(next(stateOf(...more)).map(({ id }) => id)).toContain('start:1.0/1#1')
    expect(next(stateOf(...more, granted('1.0/0', no))).map(({ id }) => id)).not.toContain('start:1.0/1#1')
  })

  it('ends with its script, and no other does', () => {
    const both = [...given, ...asks('1.1/0'), granted('1.1/0')]
    const over = [...both, ...['1.0/0', '1.0/1', '1.0/2', '1.0'].map((id) => settled(id))]
    expect([...stateOf(...both).grants.keys()]).toEqual(['1.0/0', '1.1/0'])
    expect([...stateOf(...over).grants.keys()]).toEqual(['1.1/0'])
  })

  it('is the same after a reload', () => {
    expect(stateOf(...given, { type: 'lease-start', epoch: 2 }).grants).toEqual(stateOf(...given).grants)
  })
})

describe('hasRoom()', () => {
  const open = (extra: Partial<Grant>, used = 0) =>
    hasRoom(new Map([['1.0/0', { ...grant, parent: '1.0', used, ...extra }]]), '1.0/0', {})
  it('counts, and is no for a denial and for no grant', () => {
    expect([open({}), open({}, 1), open({ count: 2 }, 1), open({ approved: false })]).toEqual([
      true,
      false,
      true,
      false,
    ])
    expect(open({ count: undefined }, 99)).toBe(true)
    expect(hasRoom(new Map(), 'constructor', {})).toBe(false)
  })
})

describe('the modes of a run', () => {
  const start = (modes: RunModes): EventBody => ({ type: 'run-start', ...header(), ...modes })
  const change = (modes: RunModes): EventBody => ({ type: 'mode-change', ...modes })
  it('are those that it was started with', () => {
    const modes = { allow: ['a'], readOnly: true, askAll: true }
    expect(stateOf(start(modes), asked[1]!).modes).toEqual(modes)
    expect(stateOf(...asked).modes).toEqual({})
  })

  it('are all replaced by a change, whatever else has happened', () => {
    const before = [start({ readOnly: true, allow: ['a'] }), asked[1]!]
    expect(stateOf(...before, change({ askAll: true })).modes).toEqual({ askAll: true })
    expect(stateOf(...before, change({ readOnly: false })).modes).toEqual({})
    expect(stateOf(...before, change({ allow: [] })).modes).toEqual({ allow: [] })
    const stopped = stateOf(...before, { type: 'run-stop', reason: 'cancelled' }, change({}))
    expect(stopped).toMatchObject({ modes: {}, stop: 'cancelled' })
    expect(stateOf(...before, { type: 'lease-start', epoch: 2 }).modes).toEqual({ readOnly: true, allow: ['a'] })
  })

  it('leave what a person is being asked, and what was started, as it is', () => {
    const open = [...calling('1.0', '1.1'), ...asks('1.0'), read('1.1'), started('1.1')]
    const [before, after] = [stateOf(...open), stateOf(...open, change({ readOnly: true }))]
    expect([...after.calls.values()]).toEqual([...before.calls.values()])
    expect(after.asking).toBe(1)
  })

  it.each<[sends: boolean, modes: RunModes, mode: 'read' | 'write']>([
    [true, {}, 'write'],
    [false, { readOnly: true }, 'write'],
    [true, { readOnly: true }, 'read'],
    [true, { allow: ['tool'] }, 'write'],
    [false, { allow: ['other'] }, 'read'],
    [false, { allow: [] }, 'write'],
    [true, { askAll: true }, 'write'],
  ])('let a request leave: %s with %o for a %s', (sends, modes, mode) => {
    expect(maySend(modes, { ...call('1.0'), mode })).toBe(sends)
  })
})
