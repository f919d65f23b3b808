import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction, type StoreNames } from 'idb'
import { HandrailError } from '../errors.js'
import { contextHashOf } from './check-stored.js'

const databaseVersion = 2

/** Milliseconds in which a tab of an older version must let go of the database: it closes it when it is asked to. */
const blockedTimeout = 5_000

/** Values are `unknown` because they are checked when they come out. */
export interface Schema extends DBSchema {
  /** `{ runId, seq, event }`: the key is inside, so that a missing event shows. */
  events: { key: [runId: string, seq: number]; value: unknown }
  /**
   * Heads, with the `contextHash` that their first event has. The index `session` is unique: two tabs cannot both start the same
   * run of a session.
   */
  runs: {
    key: string
    value: unknown
    indexes: { session: [owner: string, session: string, index: number]; context: string }
  }
  contexts: { key: string; value: unknown }
}
type Stores = StoreNames<Schema>[]
export type Writing = IDBPTransaction<Schema, Stores, 'readwrite'>
type Upgrading = IDBPTransaction<Schema, Stores, 'versionchange'>

/** @throws {HandrailError} `store_blocked`, and what the platform says. */
export async function openDatabase(name: string): Promise<IDBPDatabase<Schema>> {
  let isLate = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let giveUp: (error: HandrailError) => void
  const blocked = new Promise<never>((_, reject) => (giveUp = reject))
  const opening = openDB<Schema>(name, databaseVersion, {
    upgrade,
    blocked: () => {
      timer ??= setTimeout(() => {
        isLate = true
        const message = `Cannot open database "${name}": another tab keeps an older version of it open; close that tab`
        giveUp(new HandrailError('store_blocked', message, { retryable: true }))
      }, blockedTimeout)
    },
  })
  opening.then(
    (db) => isLate && db.close(),
    () => undefined,
  )
  try {
    return await Promise.race([opening, blocked])
  } finally {
    clearTimeout(timer)
  }
}

async function upgrade(db: IDBPDatabase<Schema>, from: number, _to: number | null, tx: Upgrading): Promise<void> {
  if (from < 1) {
    db.createObjectStore('events', { keyPath: ['runId', 'seq'] })
    db.createObjectStore('runs', { keyPath: 'runId' }).createIndex('session', ['owner', 'session', 'index'], {
      unique: true,
    })
    db.createObjectStore('contexts')
  }
  if (from < 2) await addContextHashes(tx)
}

/** From version 2 on a context that no run refers to is removed: heads say which one they refer to. */
async function addContextHashes(tx: Upgrading): Promise<void> {
  const runs = tx.objectStore('runs')
  runs.createIndex('context', 'contextHash')
  for (let cursor = await runs.openCursor(); cursor; cursor = await cursor.continue()) {
    const first = (await tx.objectStore('events').get([cursor.primaryKey, 0])) as { event?: unknown } | undefined
    const contextHash = contextHashOf(first?.event)
    if (contextHash !== undefined) await cursor.update({ ...(cursor.value as object), contextHash })
  }
}
