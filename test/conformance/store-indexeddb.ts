import { deleteDB, openDB } from 'idb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openIndexedDbStore } from '../../src/store/indexeddb.js'
import type { Store } from '../../src/store/store.js'
import { codeOf, runOf, say } from './store-fixtures.js'

/** The promises of the store in IndexedDB about its database: what other tabs, other versions and other code do to it. */
export function indexedDbConformance(): void {
  const name = 'test-database'
  const open: { close(): void }[] = []
  const opened = async <T extends { close(): void }>(opening: Promise<T>): Promise<T> => {
    const one = await opening
    open.push(one)
    return one
  }
  const openStore = (): Promise<Store> => opened(openIndexedDbStore(name))
  let store: Store

  beforeEach(async () => {
    store = await openStore()
    const { head, first } = runOf('r1')
    await store.start(head, first)
    await store.append('r1', 1, say('one'), 'relaxed')
  })
  afterEach(async () => {
    for (const one of open.splice(0)) one.close()
    await deleteDB(name)
  })

  it('keeps everything for the next one that opens the database', async () => {
    store.close()
    const next = await openStore()
    expect(await next.read('r1')).toEqual([...runOf('r1').first, say('one')])
    expect(await next.runs('ann', 's1')).toEqual([runOf('r1').head])
  })

  it('lets one of two connections have a position', async () => {
    const other = await openStore()
    const race = (seq: number) =>
      Promise.all([store, other].map((one, i) => codeOf(one.append('r1', seq, say(`by ${i}`), 'strict'))))
    for (let seq = 2; seq < 12; seq++) expect((await race(seq)).toSorted()).toEqual(['none', 'store_conflict'])
    expect(await store.read('r1')).toHaveLength(12)
  })

  it('lets one of two connections start the next run', async () => {
    const other = await openStore()
    const begin = (one: Store, runId: string) => {
      const { head, first } = runOf(runId, { index: 1 })
      return codeOf(one.start(head, first))
    }
    const codes = await Promise.all([begin(store, 'r2'), begin(other, 'r3')])
    expect(codes.toSorted()).toEqual(['none', 'store_conflict'])
  })

  it('closes itself when another tab upgrades the database, so that it can', async () => {
    const version = await opened(openDB(name, 3))
    expect(version.version).toBe(3)
    expect(await codeOf(store.read('r1'))).toBe('store_closed')
    expect(await codeOf(store.append('r1', 2, say('two'), 'strict'))).toBe('store_closed')
  })

  it('completes what it is writing before an upgrade', async () => {
    const writing = codeOf(store.append('r1', 2, say('two'), 'strict'))
    const version = await opened(openDB(name, 3))
    expect(await writing).toBe('none')
    expect(await version.count('events')).toBe(3)
  })

  it('refuses to open a database of a newer version', async () => {
    await opened(openDB(name, 3))
    await expect(openIndexedDbStore(name)).rejects.toMatchObject({
      code: 'store_outdated',
      message: `Cannot open database "${name}": a newer version has upgraded it; reload`,
    })
  })

  describe('a database of version 1', () => {
    const old = 'test-database-1'
    /** As version 1 of the store made it, with what it wrote. */
    const makeOld = async () => {
      const db = await opened(
        openDB(old, 1, {
          upgrade(made) {
            made.createObjectStore('events', { keyPath: ['runId', 'seq'] })
            made.createObjectStore('runs', { keyPath: 'runId' }).createIndex('session', ['owner', 'session', 'index'], {
              unique: true,
            })
            made.createObjectStore('contexts')
          },
        }),
      )
      for (const [runId, session] of [
        ['r1', 's1'],
        ['r2', 's2'],
      ] as const) {
        const { head, first } = runOf(runId, { session })
        await db.put('runs', head)
        await db.put('events', { runId, seq: 0, event: first[0] })
        await db.put('events', { runId, seq: 1, event: say('one') })
      }
      await db.put('runs', { runId: 'r3', owner: 'ann', session: 's3', index: 0, startedAt: 1 })
      await db.put('contexts', { instructions: 'Help.', tools: [] }, 'c1')
      return db
    }
    afterEach(async () => {
      for (const one of open.splice(0)) one.close()
      await deleteDB(old)
    })
    const openNew = () => opened(openIndexedDbStore(old))

    it('is upgraded: its logs go on, and its contexts are known by their runs', async () => {
      ;(await makeOld()).close()
      const upgraded = await openNew()
      expect(await upgraded.read('r1')).toEqual([...runOf('r1').first, say('one')])
      expect(await upgraded.runs('ann', 's1')).toEqual([runOf('r1').head])
      await upgraded.append('r1', 2, say('two'), 'strict')
      await upgraded.deleteSession('ann', 's1')
      expect(await upgraded.getContext('c1')).toEqual({ instructions: 'Help.', tools: [] })
      await upgraded.deleteRun('ann', 'r2')
      expect(await upgraded.getContext('c1')).toBeUndefined()
      expect(await upgraded.runs('ann', 's3')).toHaveLength(1)
    })

    it('is upgraded while another tab has it open, which lets go of it as it was written to', async () => {
      const tab = await makeOld()
      tab.addEventListener('versionchange', () => tab.close())
      const upgraded = await openNew()
      expect(await upgraded.read('r2')).toHaveLength(2)
      await expect(tab.get('runs', 'r1')).rejects.toMatchObject({ name: 'InvalidStateError' })
    })

    it('is not waited for without end when another tab does not let go of it', { timeout: 15_000 }, async () => {
      await makeOld()
      await expect(openIndexedDbStore(old)).rejects.toMatchObject({ code: 'store_blocked', retryable: true })
      for (const one of open.splice(0)) one.close()
      const upgraded = await openNew()
      expect(await upgraded.read('r1')).toHaveLength(2)
    })
  })

  describe('read() does not believe what is in the database', () => {
    const tamper = async (records: readonly object[]) => {
      const db = await opened(openDB(name))
      const tx = db.transaction('events', 'readwrite')
      await Promise.all([...records.map((record) => tx.store.put({ runId: 'r1', ...record })), tx.done])
    }
    const cases: [what: string, record: object, message: string][] = [
      ['an event that is no object', { seq: 1, event: 'text' }, 'event 1 of run "r1": expected an object, got "text"'],
      ['no event', { seq: 1 }, 'event 1 of run "r1": expected an object, got undefined'],
      [
        'an unknown type',
        { seq: 1, event: { type: 'x', at: 1 } },
        'event 1 of run "r1": expected a known type, got "x"',
      ],
      [
        'a prototype key as type',
        { seq: 1, event: { type: 'constructor', at: 1 } },
        'event 1 of run "r1": expected a known type, got "constructor"',
      ],
      [
        'a time that is no number',
        { seq: 1, event: { type: 'user-message', text: '', at: 'now' } },
        'event 1 of run "r1": expected a time "at", got "now"',
      ],
      ['a missing event', { seq: 3, event: say('three') }, 'event 2 of run "r1": expected position 2, got 3'],
      [
        'a first event without format',
        { seq: 0, event: { type: 'run-start', at: 1 } },
        'event 0 of run "r1": expected a run-start with a format, got "run-start"',
      ],
    ]
    it.each(cases)('such as %s', async (_, record, message) => {
      await tamper([record])
      await expect(store.read('r1')).rejects.toMatchObject({ code: 'store_failed', message: `Cannot read ${message}` })
    })

    it('but returns a log of a newer format as it is', async () => {
      const first = { ...runOf('r1').first[0], format: 99 }
      const event = { type: 'something-new', at: 1 }
      await tamper([
        { seq: 0, event: first },
        { seq: 1, event },
      ])
      expect(await store.read('r1')).toEqual([first, event])
      expect(await store.read('r1', 1)).toEqual([event])
    })

    it('nor in a head or a context', async () => {
      const db = await opened(openDB(name))
      await db.put('runs', { runId: 'r9', owner: 'ann', session: 's1', index: 1, startedAt: 'once' })
      await db.put('contexts', { instructions: 1 }, 'h1')
      expect(await codeOf(store.runs('ann', 's1'))).toBe('store_failed')
      expect(await codeOf(store.sessions('ann'))).toBe('store_failed')
      expect(await codeOf(store.getContext('h1'))).toBe('store_failed')
    })
  })
}
