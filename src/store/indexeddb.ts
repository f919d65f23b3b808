import type { IDBPDatabase, StoreNames } from 'idb'
import type { RunEvent } from '../core/events.js'
import type { Context } from '../core/tool-definition.js'
import { HandrailError } from '../errors.js'
import { checkContext, checkHead, checkLog, contextHashOf } from './check-stored.js'
import { toSessions } from './sessions.js'
import { openDatabase, type Schema, type Writing } from './database.js'
import { conflictWith, toStoreError } from './store-error.js'
import type { Durability, RunHead, SessionHead, Store, StoredEvent } from './store.js'

/**
 * Opens, or makes, the database `name` of this origin. When another tab upgrades it, the store closes itself.
 * @throws {HandrailError} `store_outdated` if a newer version has upgraded it, `store_blocked` if a tab of an older one does not
 * let go of it, `store_failed` if there is no IndexedDB here.
 */
export async function openIndexedDbStore(name = 'handrail'): Promise<Store> {
  try {
    return new IndexedDbStore(await openDatabase(name))
  } catch (error) {
    throw toStoreError(error, `open database "${name}"`)
  }
}

class IndexedDbStore implements Store {
  /** Why nothing can be done any more. */
  #end: string | undefined

  constructor(private readonly db: IDBPDatabase<Schema>) {
    db.addEventListener('versionchange', () => this.#close('another tab upgrades the database; reload'))
    db.addEventListener('close', () => this.#close('the browser closed the database'))
  }

  async start(head: RunHead, first: readonly RunEvent[], context?: Context): Promise<void> {
    const { runId, owner, session, index } = head
    const doing = `start run ${index} of session "${session}"`
    const contextHash = contextHashOf(first[0])
    await this.#write(doing, ['runs', 'events', 'contexts'], 'relaxed', async (tx) => {
      const runs = tx.objectStore('runs')
      const count = await runs.index('session').count(sessionRange(owner, session))
      if (count !== index) throw conflictWith(doing, `the session has ${count}`)
      if ((await runs.getKey(runId)) !== undefined) throw conflictWith(doing, `run "${runId}" exists`)
      await runs.add({ ...head, ...(contextHash !== undefined && { contextHash }) })
      const events = tx.objectStore('events')
      await Promise.all(first.map(async (event, seq) => events.add({ runId, seq, event })))
      const contexts = tx.objectStore('contexts')
      // With the run that refers to it: else the deletion of the last other one could come in between.
      if (contextHash !== undefined && context && (await contexts.getKey(contextHash)) === undefined)
        await contexts.add(context, contextHash)
    })
  }

  async append(runId: string, seq: number, event: RunEvent, durability: Durability): Promise<void> {
    const doing = `append event ${seq} to run "${runId}"`
    await this.#write(doing, ['events'], durability, async (tx) => {
      const events = tx.objectStore('events')
      const check = async () => {
        const last = await events.openKeyCursor(logRange(runId), 'prev')
        const length = last ? last.primaryKey[1] + 1 : 0
        if (length !== seq || seq === 0) throw conflictWith(doing, `the log has ${length}`)
      }
      const add = async () => {
        if (seq > 0) await events.add({ runId, seq, event })
      }
      // Both are asked for at once, which saves a round trip: the cursor sees the log as it was before.
      await Promise.all([check(), add()])
    })
  }

  read(runId: string, from = 0): Promise<RunEvent[]> {
    return this.#read(`read run "${runId}"`, async (db) => {
      const tx = db.transaction('events')
      const [first, records] = await Promise.all([tx.store.get([runId, 0]), tx.store.getAll(logRange(runId, from))])
      return records.length > 0 ? checkLog(runId, from, first, records as StoredEvent[]) : []
    })
  }

  records(runId: string, from: number, most: number): Promise<StoredEvent[]> {
    return this.#read(
      `read run "${runId}"`,
      async (db) => (await db.getAll('events', logRange(runId, from), most)) as StoredEvent[],
    )
  }

  run(owner: string, runId: string): Promise<RunHead | undefined> {
    return this.#read(`find run "${runId}"`, async (db) => {
      const record = await db.get('runs', runId)
      const head = record === undefined ? undefined : checkHead(record)
      return head?.owner === owner ? head : undefined
    })
  }

  runs(owner: string, session: string): Promise<RunHead[]> {
    return this.#read(`read session "${session}"`, async (db) => {
      const heads = await db.getAllFromIndex('runs', 'session', sessionRange(owner, session))
      return heads.map(checkHead)
    })
  }

  sessions(owner: string): Promise<SessionHead[]> {
    return this.#read('list sessions', async (db) => {
      const heads = await db.getAllFromIndex('runs', 'session', IDBKeyRange.bound([owner], [owner, []]))
      return toSessions(heads.map(checkHead))
    })
  }

  async deleteRun(owner: string, runId: string): Promise<void> {
    await this.#write(`delete run "${runId}"`, ['runs', 'events', 'contexts'], 'relaxed', async (tx) => {
      const record = await tx.objectStore('runs').get(runId)
      if (record === undefined) return
      const head = checkHead(record)
      if (head.owner !== owner) return
      await tx.objectStore('runs').put({ ...head, deleted: true })
      await tx.objectStore('events').delete(logRange(runId))
      await dropContexts(tx, [record])
    })
  }

  async deleteSession(owner: string, session: string): Promise<void> {
    await this.#write(`delete session "${session}"`, ['runs', 'events', 'contexts'], 'relaxed', async (tx) => {
      const runs = tx.objectStore('runs')
      const range = sessionRange(owner, session)
      const [runIds, records] = await Promise.all([
        runs.index('session').getAllKeys(range),
        runs.index('session').getAll(range),
      ])
      for (const runId of runIds) {
        await runs.delete(runId)
        await tx.objectStore('events').delete(logRange(runId))
      }
      await dropContexts(tx, records)
    })
  }

  getContext(hash: string): Promise<Context | undefined> {
    return this.#read(`read context "${hash}"`, async (db) => checkContext(hash, await db.get('contexts', hash)))
  }

  close(): void {
    this.#close('the store was closed')
  }

  /** Transactions that run are completed. */
  #close(why: string): void {
    this.#end ??= why
    this.db.close()
  }

  async #read<T>(doing: string, work: (db: IDBPDatabase<Schema>) => Promise<T>): Promise<T> {
    this.#checkOpen(doing)
    try {
      return await work(this.db)
    } catch (error) {
      throw toStoreError(error, doing)
    }
  }

  /** All or nothing: an exception alone would not undo what was put before it. `work` awaits nothing but its transaction. */
  async #write(
    doing: string,
    stores: StoreNames<Schema>[],
    durability: Durability,
    work: (tx: Writing) => Promise<void>,
  ): Promise<void> {
    this.#checkOpen(doing)
    let tx: Writing | undefined
    try {
      tx = this.db.transaction(stores, 'readwrite', { durability })
      await Promise.all([work(tx), tx.done])
    } catch (error) {
      throw toStoreError((tx && (await abort(tx))) ?? error, doing)
    }
  }

  #checkOpen(doing: string): void {
    if (this.#end !== undefined) throw new HandrailError('store_closed', `Cannot ${doing}: ${this.#end}`)
  }
}

/** Ends a transaction in which something failed. Why the platform ended it, if it did: a full disk shows only here. */
async function abort(tx: Writing): Promise<DOMException | null> {
  try {
    tx.abort()
  } catch (error) {
    if (!(error instanceof DOMException && error.name === 'InvalidStateError')) throw error
  }
  await tx.done.catch(() => undefined)
  return tx.error
}

/** Of runs that are gone, unless another refers to them. */
async function dropContexts(tx: Writing, gone: readonly unknown[]): Promise<void> {
  for (const hash of new Set(gone.map(contextHashOf)))
    if (hash !== undefined && (await tx.objectStore('runs').index('context').count(hash)) === 0)
      await tx.objectStore('contexts').delete(hash)
}

const logRange = (runId: string, from = 0) => IDBKeyRange.bound([runId, from], [runId, []])
const sessionRange = (owner: string, session: string) => IDBKeyRange.bound([owner, session], [owner, session, []])
