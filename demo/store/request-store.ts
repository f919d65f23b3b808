import { ToolError } from 'handrail'
import { openDB, type DBSchema } from 'idb'
import { refusalOf, type AfterSalesRequest, type AfterSalesType } from './after-sales.js'
import { today } from './dates.js'
import type { Order } from './orders.js'

/** What became of an idempotency key: it made a request, or it never will. */
type LedgerEntry = { readonly state: 'done'; readonly requestId: string } | { readonly state: 'void' }

interface Schema extends DBSchema {
  requests: { key: string; value: AfterSalesRequest; indexes: { owner: string; order: string } }
  ledger: { key: [owner: string, idempotencyKey: string]; value: LedgerEntry }
  counters: { key: string; value: number }
  notes: { key: [owner: string, orderId: string]; value: string }
}

export interface NewRequest {
  readonly owner: string
  readonly orderId: string
  readonly type: AfterSalesType
  readonly reason: string
  readonly idempotencyKey: string
}

export type LedgerAnswer =
  | { readonly state: 'done'; readonly request: AfterSalesRequest }
  | { readonly state: 'void' | 'unknown' }

/** The shop's after-sales requests. They outlive the page; a real shop has this on its server. */
export interface RequestStore {
  ofOwner(owner: string): Promise<readonly AfterSalesRequest[]>
  ofOrder(orderId: string): Promise<AfterSalesRequest | undefined>
  /**
   * The same key gives the request that it made before.
   * @throws {ToolError} with the code of the refusal, or `void_key`: nothing was done.
   */
  submit(request: NewRequest): Promise<AfterSalesRequest>
  /** Finds what a key did. One that did nothing is made void, so that a late request with it is refused. */
  reconcile(owner: string, idempotencyKey: string): Promise<LedgerAnswer>
  /** By order: what the customer wants the parcel service to know. */
  notesOf(owner: string): Promise<ReadonlyMap<string, string>>
  /** An empty note takes it away. */
  setNote(owner: string, orderId: string, note: string): Promise<void>
  /** Called when requests changed, in this tab or another. */
  subscribe(listener: () => void): () => void
}

const firstNumber = 1001
const stores = ['requests', 'ledger', 'counters'] as const

export async function openRequestStore(findOrder: (owner: string, id: string) => Order | undefined) {
  const db = await openDB<Schema>('order-desk', 2, {
    upgrade(database, oldVersion) {
      database.createObjectStore('notes')
      if (oldVersion > 0) return
      const requests = database.createObjectStore('requests', { keyPath: 'id' })
      requests.createIndex('owner', 'owner')
      requests.createIndex('order', 'orderId', { unique: true })
      database.createObjectStore('ledger')
      database.createObjectStore('counters')
    },
    blocking: () => db.close(),
  })
  const channel = new BroadcastChannel('order-desk')
  const listeners = new Set<() => void>()
  const tell = () => {
    for (const listener of listeners) listener()
  }
  channel.addEventListener('message', tell)
  const changed = () => {
    tell()
    channel.postMessage('changed')
  }
  /** One transaction over everything: the id, the request and the key are written together or not at all. */
  const begin = () => db.transaction(stores, 'readwrite', { durability: 'strict' })

  const store: RequestStore = {
    ofOwner: (owner) => db.getAllFromIndex('requests', 'owner', owner),
    ofOrder: (orderId) => db.getFromIndex('requests', 'order', orderId),
    async submit({ idempotencyKey, ...wanted }) {
      const { owner, orderId } = wanted
      const tx = begin()
      const requests = tx.objectStore('requests')
      const ledger = tx.objectStore('ledger')
      const counters = tx.objectStore('counters')
      const entry = await ledger.get([owner, idempotencyKey])
      if (entry?.state === 'void') throw new ToolError('void_key', 'This request was given up: make a new one.')
      const before = entry && (await requests.get(entry.requestId))
      if (before) return before
      const existing = await requests.index('order').get(orderId)
      const refusal = refusalOf(orderId, findOrder(owner, orderId), existing, today())
      if (refusal) throw new ToolError(refusal.code, refusal.message)
      const number = (await counters.get('request')) ?? firstNumber
      const request: AfterSalesRequest = { id: `AS-${number}`, ...wanted, requestedOn: today() }
      await Promise.all([
        counters.put(number + 1, 'request'),
        requests.add(request),
        ledger.put({ state: 'done', requestId: request.id }, [owner, idempotencyKey]),
        tx.done,
      ])
      changed()
      return request
    },
    async reconcile(owner, idempotencyKey) {
      const tx = begin()
      const ledger = tx.objectStore('ledger')
      const entry = await ledger.get([owner, idempotencyKey])
      if (entry?.state === 'done') {
        const request = await tx.objectStore('requests').get(entry.requestId)
        return request ? { state: 'done', request } : { state: 'unknown' }
      }
      if (!entry) await ledger.put({ state: 'void' }, [owner, idempotencyKey])
      await tx.done
      return { state: 'void' }
    },
    async notesOf(owner) {
      const range = IDBKeyRange.bound([owner], [owner, []])
      const tx = db.transaction('notes')
      const [keys, values] = await Promise.all([tx.store.getAllKeys(range), tx.store.getAll(range)])
      return new Map(keys.map(([, orderId], i) => [orderId, values[i]!]))
    },
    async setNote(owner, orderId, note) {
      if (note === '') await db.delete('notes', [owner, orderId])
      else await db.put('notes', note, [owner, orderId])
      changed()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  return store
}
