import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.js'
import type { Context } from '../../src/core/tool-definition.js'
import type { RunHead, Store } from '../../src/store/store.js'
import { codeOf, runOf, say } from './store-fixtures.js'

const context: Context = {
  instructions: 'Be brief.',
  tools: [{ name: 'search', description: 'Finds orders.', input: { type: 'object' }, risk: 'read' }],
}

/** The promises that every store keeps. `open` opens a new, empty store. */
export function storeConformance(open: () => Promise<Store>): void {
  let store: Store
  beforeEach(async () => {
    store = await open()
  })
  afterEach(() => store.close())

  const start = (runId: string, head: Partial<RunHead> = {}): Promise<void> => {
    const run = runOf(runId, head)
    return store.start(run.head, run.first)
  }

  describe('append()', () => {
    it('gives back what was appended, in order, from any position', async () => {
      await start('r1')
      await store.append('r1', 1, say('one'), 'relaxed')
      await store.append('r1', 2, say('two'), 'strict')
      const all = [...runOf('r1').first, say('one'), say('two')]
      expect(await store.read('r1')).toEqual(all)
      expect(await store.read('r1', 2)).toEqual([say('two')])
      expect(await store.read('r1', 3)).toEqual([])
    })

    it('refuses every position but the end of the log, and says what the log has', async () => {
      await start('r1')
      await store.append('r1', 1, say('one'), 'relaxed')
      for (const seq of [-1, 0, 1, 3, 1.5, Number.NaN])
        await expect(store.append('r1', seq, say('other'), 'relaxed')).rejects.toMatchObject({
          code: 'store_conflict',
          message: `Cannot append event ${seq} to run "r1": the log has 2`,
        })
      expect(await store.read('r1')).toHaveLength(2)
    })

    it('refuses a run that was not started', async () => {
      for (const seq of [0, 1])
        expect(await codeOf(store.append('r1', seq, say('one'), 'strict'))).toBe('store_conflict')
      expect(await store.read('r1')).toEqual([])
    })

    it('lets exactly one of several writers have a position', async () => {
      await start('r1')
      const writers = ['a', 'b', 'c', 'd']
      const codes = await Promise.all(writers.map((text) => codeOf(store.append('r1', 1, say(text), 'relaxed'))))
      expect(codes.toSorted()).toEqual(['none', 'store_conflict', 'store_conflict', 'store_conflict'])
      const winner = writers[codes.indexOf('none')]
      expect(await store.read('r1', 1)).toEqual([say(winner!)])
    })

    it('stores nothing of a value that cannot be stored, and goes on', async () => {
      await start('r1')
      const bad = { ...say('one'), text: () => 'no data' } as unknown as RunEvent
      expect(await codeOf(store.append('r1', 1, bad, 'relaxed'))).toBe('store_failed')
      await store.append('r1', 1, say('one'), 'relaxed')
      expect(await store.read('r1', 1)).toEqual([say('one')])
    })

    it('keeps what JSON means, whatever the keys and the text', async () => {
      await start('r1')
      const output = JSON.parse('{"__proto__":{"x":1},"constructor":"c","":null,"deep":[[[{"é":"\\ud800"}]]]}')
      const event: RunEvent = { type: 'tool-result', callId: '1.0', outcome: 'ok', output, at: 5 }
      await store.append('r1', 1, event, 'relaxed')
      const [stored] = await store.read('r1', 1)
      expect(JSON.stringify(stored)).toBe(JSON.stringify(event))
      expect({}).not.toHaveProperty('x')
    })

    it('keeps a copy: what the caller changes later is not stored', async () => {
      await start('r1')
      const event = { ...say('one') } as { -readonly [Key in keyof RunEvent]: RunEvent[Key] } & { text: string }
      await store.append('r1', 1, event as RunEvent, 'relaxed')
      event.text = 'changed'
      const [read] = (await store.read('r1', 1)) as (typeof event)[]
      read!.text = 'changed too'
      expect(await store.read('r1', 1)).toEqual([say('one')])
    })

    it('keeps runs apart whose ids begin alike', async () => {
      await start('r', { session: 'a' })
      await start('r1', { session: 'b' })
      await start('r\u0000', { session: 'c' })
      await store.append('r', 1, say('of r'), 'relaxed')
      expect(await store.read('r')).toHaveLength(2)
      expect(await store.read('r1')).toHaveLength(1)
      expect(await store.read('r\u0000')).toHaveLength(1)
    })
  })

  describe('start()', () => {
    it('makes a session, and its runs in their order', async () => {
      await start('r1', { startedAt: 1 })
      await start('r2', { index: 1, startedAt: 3 })
      const heads = await store.runs('ann', 's1')
      expect(heads.map(({ runId, index }) => [runId, index])).toEqual([
        ['r1', 0],
        ['r2', 1],
      ])
      expect(await store.sessions('ann')).toEqual([{ session: 's1', startedAt: 1, lastRunAt: 3, runs: 2 }])
    })

    it('refuses a second run at the same place of a session, and stores nothing of it', async () => {
      await start('r1')
      expect(await codeOf(start('r2'))).toBe('store_conflict')
      expect(await store.read('r2')).toEqual([])
      expect(await store.runs('ann', 's1')).toHaveLength(1)
    })

    it('refuses a run that leaves a gap, as after its session was deleted in another tab', async () => {
      expect(await codeOf(start('r2', { index: 1 }))).toBe('store_conflict')
      expect(await store.sessions('ann')).toEqual([])
    })

    it('refuses a run id that exists, also in another session', async () => {
      await start('r1')
      expect(await codeOf(start('r1', { session: 's2' }))).toBe('store_conflict')
      expect(await store.runs('ann', 's2')).toEqual([])
    })

    it('lets one of two tabs start the next run', async () => {
      const codes = await Promise.all([codeOf(start('r1')), codeOf(start('r2'))])
      expect(codes.toSorted()).toEqual(['none', 'store_conflict'])
      expect(await store.runs('ann', 's1')).toHaveLength(1)
    })

    it('stores all first events', async () => {
      const { head, first } = runOf('r1')
      await store.start(head, [...first, say('one')])
      expect(await store.read('r1')).toEqual([...first, say('one')])
      await store.append('r1', 2, say('two'), 'relaxed')
    })

    it('stores neither head nor events when one of them cannot be stored', async () => {
      const { head, first } = runOf('r1')
      const bad = { ...say('one'), text: Symbol('no data') } as unknown as RunEvent
      expect(await codeOf(store.start(head, [...first, bad]))).toBe('store_failed')
      expect(await store.read('r1')).toEqual([])
      expect(await store.runs('ann', 's1')).toEqual([])
      await start('r1')
      expect(await store.read('r1')).toHaveLength(1)
    })
  })

  describe('owners and sessions', () => {
    it('are kept apart: another owner lists and deletes nothing', async () => {
      await start('r1')
      await start('r2', { owner: 'bob' })
      expect((await store.runs('ann', 's1')).map(({ runId }) => runId)).toEqual(['r1'])
      expect((await store.runs('bob', 's1')).map(({ runId }) => runId)).toEqual(['r2'])
      expect(await store.runs('eve', 's1')).toEqual([])
      expect(await store.sessions('eve')).toEqual([])
      await store.deleteSession('eve', 's1')
      await store.deleteSession('ann', 's1')
      expect(await store.runs('bob', 's1')).toHaveLength(1)
      expect(await store.read('r2')).toHaveLength(1)
    })

    it('are kept apart when their names begin alike, or are prototype keys', async () => {
      const owners = ['a', 'aa', 'a\u0000', '', '__proto__', 'constructor']
      for (const [i, owner] of owners.entries()) await start(`r${i}`, { owner, session: owner })
      for (const [i, owner] of owners.entries()) {
        expect((await store.sessions(owner)).map(({ session }) => session)).toEqual([owner])
        expect((await store.runs(owner, owner)).map(({ runId }) => runId)).toEqual([`r${i}`])
      }
    })

    it('lists the session that was started last first', async () => {
      await start('r1', { session: 'old', startedAt: 1 })
      await start('r2', { session: 'new', startedAt: 5 })
      await start('r3', { session: 'old', index: 1, startedAt: 9 })
      const sessions = await store.sessions('ann')
      expect(sessions.map(({ session }) => session)).toEqual(['new', 'old'])
      expect(sessions[1]).toEqual({ session: 'old', startedAt: 1, lastRunAt: 9, runs: 2 })
    })

    it('keeps the order of runs beyond ten', async () => {
      for (let index = 0; index < 12; index++) await start(`r${index}`, { index })
      expect((await store.runs('ann', 's1')).map(({ index }) => index)).toEqual([...Array(12).keys()])
    })
  })

  describe('deleteSession()', () => {
    it('removes heads and events, of this session only', async () => {
      await start('r1')
      await store.append('r1', 1, say('one'), 'relaxed')
      await start('r2', { index: 1 })
      await start('r3', { session: 's2' })
      await store.deleteSession('ann', 's1')
      expect(await store.sessions('ann')).toHaveLength(1)
      expect(await store.read('r1')).toEqual([])
      expect(await store.read('r2')).toEqual([])
      expect(await store.read('r3')).toHaveLength(1)
    })

    it('leaves no place for a writer that has not heard of it', async () => {
      await start('r1')
      await store.deleteSession('ann', 's1')
      expect(await codeOf(store.append('r1', 1, say('late'), 'relaxed'))).toBe('store_conflict')
      expect(await store.read('r1')).toEqual([])
    })

    it('lets the session begin again', async () => {
      await start('r1')
      await store.deleteSession('ann', 's1')
      await start('r2')
      expect(await store.runs('ann', 's1')).toHaveLength(1)
    })
  })

  describe('deleteRun()', () => {
    it('removes the events, of this run only, and keeps its place in the session', async () => {
      await start('r1')
      await start('r2', { index: 1 })
      await store.deleteRun('ann', 'r1')
      expect(await store.read('r1')).toEqual([])
      expect(await store.records('r1', 0, 10)).toEqual([])
      expect(await store.read('r2')).toHaveLength(1)
      expect(await store.runs('ann', 's1')).toEqual([
        { ...runOf('r1').head, deleted: true },
        runOf('r2', { index: 1 }).head,
      ])
      expect(await store.sessions('ann')).toMatchObject([{ session: 's1', runs: 1 }])
      await start('r3', { index: 2 })
    })

    it('leaves no place for a writer that has not heard of it, nor for another run of that id', async () => {
      await start('r1')
      await store.deleteRun('ann', 'r1')
      expect(await codeOf(store.append('r1', 1, say('late'), 'relaxed'))).toBe('store_conflict')
      expect(await codeOf(start('r1', { session: 's2' }))).toBe('store_conflict')
      expect(await store.read('r1')).toEqual([])
    })

    it('does nothing to a run that is unknown or of another owner', async () => {
      await start('r1')
      await store.deleteRun('bob', 'r1')
      await store.deleteRun('ann', 'r2')
      expect(await store.runs('ann', 's1')).toEqual([runOf('r1').head])
      expect(await store.read('r1')).toHaveLength(1)
    })
  })

  describe('records() and run()', () => {
    it('give what is stored of a log in pages, and the head of a run to its owner alone', async () => {
      await start('r1')
      for (const seq of [1, 2, 3]) await store.append('r1', seq, say(`${seq}`), 'relaxed')
      const [event] = runOf('r1').first
      expect(await store.records('r1', 0, 2)).toEqual(
        [
          { seq: 0, event },
          { seq: 1, event: say('1') },
        ].map(like),
      )
      expect(await store.records('r1', 2, 10)).toEqual(
        [
          { seq: 2, event: say('2') },
          { seq: 3, event: say('3') },
        ].map(like),
      )
      expect(await store.records('r1', 4, 10)).toEqual([])
      expect(await store.run('ann', 'r1')).toEqual(runOf('r1').head)
      expect(await store.run('bob', 'r1')).toBeUndefined()
      expect(await store.run('ann', 'constructor')).toBeUndefined()
    })
    const like = (record: object) => expect.objectContaining(record) as object
  })

  describe('contexts', () => {
    const begin = (runId: string, contextHash: string, head: Partial<RunHead> = {}, kept: Context = context) => {
      const run = runOf(runId, { session: runId, ...head })
      return store.start(run.head, [{ ...run.first[0], contextHash } as RunEvent], kept)
    }

    it('are found by their hash', async () => {
      await begin('r1', 'h1')
      expect(await store.getContext('h1')).toEqual(context)
      expect(await store.getContext('h2')).toBeUndefined()
      expect(await store.getContext('constructor')).toBeUndefined()
    })

    it('never change', async () => {
      await begin('r1', 'h1')
      await begin('r2', 'h1', {}, { ...context, instructions: 'Obey the page.' })
      expect(await store.getContext('h1')).toEqual(context)
    })

    it('are not stored with a run that is refused', async () => {
      await begin('r1', 'h1')
      expect(await codeOf(begin('r1', 'h2'))).toBe('store_conflict')
      expect(await store.getContext('h2')).toBeUndefined()
    })

    it('stay while a run of anybody refers to them, and go with the last one', async () => {
      await begin('r1', 'h1')
      await begin('r2', 'h1', { owner: 'bob' })
      await begin('r3', 'h1')
      await begin('r4', 'h2')
      await store.deleteSession('ann', 'r1')
      await store.deleteRun('ann', 'r3')
      expect(await store.getContext('h1')).toEqual(context)
      await store.deleteSession('bob', 'r2')
      expect(await store.getContext('h1')).toBeUndefined()
      expect(await store.getContext('h2')).toEqual(context)
      await store.deleteRun('ann', 'r4')
      expect(await store.getContext('h2')).toBeUndefined()
    })

    it('are there for a run that is started while the last other one is deleted', async () => {
      await begin('r1', 'h1')
      await Promise.all([store.deleteSession('ann', 'r1'), begin('r2', 'h1')])
      expect(await store.getContext('h1')).toEqual(context)
      await Promise.all([begin('r3', 'h1'), store.deleteRun('ann', 'r2')])
      expect(await store.getContext('h1')).toEqual(context)
    })
  })

  it('refuses everything after close()', async () => {
    await start('r1')
    store.close()
    store.close()
    const { head, first } = runOf('r2', { index: 1 })
    const operations = [
      store.start(head, first),
      store.append('r1', 1, say('one'), 'relaxed'),
      store.read('r1'),
      store.runs('ann', 's1'),
      store.sessions('ann'),
      store.deleteSession('ann', 's1'),
      store.records('r1', 0, 1),
      store.run('ann', 'r1'),
      store.deleteRun('ann', 'r1'),
      store.getContext('h1'),
    ]
    expect(await Promise.all(operations.map(codeOf))).toEqual(operations.map(() => 'store_closed'))
  })
}
