import { openDB } from 'idb'
import type { RunEvent } from '../src/core/events.js'
import { openIndexedDbStore } from '../src/store/indexeddb.js'

const openBare = () =>
  openDB('bench', 1, { upgrade: (db) => void db.createObjectStore('events', { keyPath: ['runId', 'seq'] }) })

let bare: ReturnType<typeof openBare> | undefined
let store: ReturnType<typeof openIndexedDbStore> | undefined

/** Milliseconds an event: one transaction each, as durable as the log asks for what a read appends, and nothing else. */
export async function appendBare(events: readonly RunEvent[]): Promise<number> {
  const db = await (bare ??= openBare())
  const runId = crypto.randomUUID()
  const start = performance.now()
  for (const [seq, event] of events.entries()) {
    const tx = db.transaction('events', 'readwrite', { durability: 'relaxed' })
    await Promise.all([tx.store.add({ runId, seq, event }), tx.done])
  }
  return (performance.now() - start) / events.length
}

export async function appendByStore(events: readonly RunEvent[]): Promise<number> {
  const opened = await (store ??= openIndexedDbStore('bench-store'))
  const [runId, session] = [crypto.randomUUID(), crypto.randomUUID()]
  await opened.start({ runId, owner: 'bench', session, index: 0, startedAt: 0 }, events.slice(0, 1))
  const start = performance.now()
  for (const [i, event] of events.slice(1).entries()) await opened.append(runId, i + 1, event, 'relaxed')
  return (performance.now() - start) / (events.length - 1)
}
