import { openDB } from 'idb'
import type { RunEvent } from '../src/core/events.js'
import { RunLog } from '../src/runtime/log.js'
import { SessionMemory } from '../src/runtime/memory.js'
import { openIndexedDbStore } from '../src/store/indexeddb.js'
import type { RunHead } from '../src/store/store.js'

const openBare = () =>
  openDB('bench', 1, { upgrade: (db) => void db.createObjectStore('events', { keyPath: ['runId', 'seq'] }) })

let bare: ReturnType<typeof openBare> | undefined
let store: ReturnType<typeof openIndexedDbStore> | undefined

const openStore = () => (store ??= openIndexedDbStore('bench-store'))

/** Milliseconds an event: one transaction each, as durable as the log wants it, and nothing else. */
export async function appendBare(events: readonly RunEvent[]): Promise<number> {
  const db = await (bare ??= openBare())
  const runId = crypto.randomUUID()
  const writes = new Set(events.flatMap((event) => (isWriteDecision(event) ? [event.callId] : [])))
  const isStrict = (event: RunEvent) =>
    event.type === 'approval-response' || (event.type === 'tool-start' && writes.has(event.callId))
  const start = performance.now()
  for (const [seq, event] of events.entries()) {
    const tx = db.transaction('events', 'readwrite', { durability: isStrict(event) ? 'strict' : 'relaxed' })
    await Promise.all([tx.store.add({ runId, seq, event }), tx.done])
  }
  return (performance.now() - start) / events.length
}

const isWriteDecision = (event: RunEvent): event is RunEvent & { type: 'tool-decision' } =>
  event.type === 'tool-decision' && event.mode === 'write'

/** The same events by the log of a run: is the effect due, the chain, the store, the fold. */
export async function appendByLog(events: readonly RunEvent[]): Promise<number> {
  const [runId, session] = [crypto.randomUUID(), crypto.randomUUID()]
  const head = { runId, owner: 'bench', session, index: 0, startedAt: 0 }
  const [first, ...rest] = startedAs(head, events)
  const log = await RunLog.start(await openStore(), head, [first!], context, () => 0, listenerOf(runId))
  const start = performance.now()
  for (const { chain: _chain, ...body } of rest) {
    const due = log.due[0]
    const isAppended = await (due ? log.perform(due.id, body) : log.accept(body))
    if (!isAppended) throw new Error(`Cannot append ${body.type}: it does not fit`)
  }
  return (performance.now() - start) / rest.length
}

let opened: { readonly log: number; readonly run: Promise<string> } | undefined

/** A log of a closed run, which is made once. */
export function prepareLog(events: readonly RunEvent[]): Promise<string> {
  if (opened?.log === events.length) return opened.run
  const make = async () => {
    const runId = crypto.randomUUID()
    const head = { runId, owner: 'bench', session: runId, index: 0, startedAt: 0 }
    const log = await RunLog.start(
      recorder,
      head,
      startedAs(head, events),
      context,
      () => 0,
      () => undefined,
    )
    await (await openStore()).start(log.head, log.events, context)
    return runId
  }
  opened = { log: events.length, run: make() }
  return opened.run
}

/** Milliseconds of reading the rows of the log, and nothing else. */
export async function getAllRows(events: readonly RunEvent[]): Promise<number> {
  const runId = await prepareLog(events)
  const db = await openDB('bench-store')
  const start = performance.now()
  const rows = await db.getAll('events', IDBKeyRange.bound([runId, 0], [runId, []]))
  const time = performance.now() - start
  db.close()
  if (rows.length !== events.length) throw new Error(`Read ${rows.length} rows of ${events.length}`)
  return time
}

/** Milliseconds of opening the log as a session does: read, checked, its chain proved, folded, and remembered. */
export async function openLog(events: readonly RunEvent[]): Promise<number> {
  const runId = await prepareLog(events)
  const store = await openStore()
  const head = { runId, owner: 'bench', session: runId, index: 0, startedAt: 0 }
  const start = performance.now()
  const log = await RunLog.open(store, head, () => 0, listenerOf(runId))
  const time = performance.now() - start
  if (log.failure || log.events.length !== events.length) throw log.failure ?? new Error('The log was not read')
  return time
}

function listenerOf(runId: string) {
  const memory = new SessionMemory()
  return (event: RunEvent, _seq: number, before: Parameters<SessionMemory['observe']>[2]) =>
    memory.observe(runId, event, before)
}

/** The log of this run. */
const startedAs = ({ runId, session, owner }: RunHead, [first, ...rest]: readonly RunEvent[]): RunEvent[] => [
  { ...first, runId, session, owner } as RunEvent,
  ...rest,
]

const context = { instructions: 'Help.', tools: [] }

/** Takes the first events of a run, so that they are chained as they are when they are stored. */
const recorder = { start: async () => undefined } as unknown as Awaited<ReturnType<typeof openIndexedDbStore>>
