import type { RunEvent } from '../core/events.js'
import type { Context } from '../core/tool-definition.js'
import { HandrailError } from '../errors.js'
import { contextHashOf } from './check-stored.js'
import { toSessions } from './sessions.js'
import { conflictWith, toStoreError } from './store-error.js'
import type { RunHead, SessionHead, Store, StoredEvent } from './store.js'

/** A store that ends with its worker. It keeps copies, as a database does. */
export function createMemoryStore(): Store {
  return new MemoryStore()
}

interface MemoryRun {
  readonly head: RunHead
  readonly events: RunEvent[]
}

class MemoryStore implements Store {
  readonly #runs = new Map<string, MemoryRun>()
  readonly #contexts = new Map<string, Context>()
  #isClosed = false

  async start(head: RunHead, first: readonly RunEvent[], context?: Context): Promise<void> {
    const { runId, owner, session, index } = head
    const doing = `start run ${index} of session "${session}"`
    this.#checkOpen(doing)
    const count = this.#headsOf(owner, session).length
    if (count !== index) throw conflictWith(doing, `the session has ${count}`)
    if (this.#runs.has(runId)) throw conflictWith(doing, `run "${runId}" exists`)
    const hash = contextHashOf(first[0])
    const stored = copy({ head, events: [...first], context }, doing)
    this.#runs.set(runId, stored)
    if (hash !== undefined && stored.context && !this.#contexts.has(hash)) this.#contexts.set(hash, stored.context)
  }

  async append(runId: string, seq: number, event: RunEvent): Promise<void> {
    const doing = `append event ${seq} to run "${runId}"`
    this.#checkOpen(doing)
    const events = this.#runs.get(runId)?.events
    if (events?.length !== seq) throw conflictWith(doing, `the log has ${events?.length ?? 0}`)
    events.push(copy(event, doing))
  }

  async read(runId: string, from = 0): Promise<RunEvent[]> {
    const doing = `read run "${runId}"`
    this.#checkOpen(doing)
    return copy(this.#runs.get(runId)?.events.slice(from) ?? [], doing)
  }

  async records(runId: string, from: number, most: number): Promise<StoredEvent[]> {
    const doing = `read run "${runId}"`
    this.#checkOpen(doing)
    const events = this.#runs.get(runId)?.events.slice(from, from + most) ?? []
    return copy(events, doing).map((event, i) => ({ seq: from + i, event }))
  }

  async run(owner: string, runId: string): Promise<RunHead | undefined> {
    const doing = `find run "${runId}"`
    this.#checkOpen(doing)
    const head = this.#runs.get(runId)?.head
    return head?.owner === owner ? copy(head, doing) : undefined
  }

  async runs(owner: string, session: string): Promise<RunHead[]> {
    const doing = `read session "${session}"`
    this.#checkOpen(doing)
    return copy(this.#headsOf(owner, session), doing)
  }

  async sessions(owner: string): Promise<SessionHead[]> {
    this.#checkOpen('list sessions')
    return toSessions(this.#headsOf(owner))
  }

  async deleteRun(owner: string, runId: string): Promise<void> {
    this.#checkOpen(`delete run "${runId}"`)
    const run = this.#runs.get(runId)
    if (run?.head.owner !== owner) return
    this.#runs.set(runId, { head: { ...run.head, deleted: true }, events: [] })
    this.#dropContexts([run])
  }

  async deleteSession(owner: string, session: string): Promise<void> {
    this.#checkOpen(`delete session "${session}"`)
    const gone = this.#headsOf(owner, session).map(({ runId }) => this.#runs.get(runId)!)
    for (const { head } of gone) this.#runs.delete(head.runId)
    this.#dropContexts(gone)
  }

  async getContext(hash: string): Promise<Context | undefined> {
    const doing = `read context "${hash}"`
    this.#checkOpen(doing)
    return copy(this.#contexts.get(hash), doing)
  }

  close(): void {
    this.#isClosed = true
  }

  /** Of runs that are gone, unless another refers to them. */
  #dropContexts(gone: readonly MemoryRun[]): void {
    const isUsed = (hash: string) => [...this.#runs.values()].some(({ events }) => contextHashOf(events[0]) === hash)
    for (const { events } of gone) {
      const hash = contextHashOf(events[0])
      if (hash !== undefined && !isUsed(hash)) this.#contexts.delete(hash)
    }
  }

  #headsOf(owner: string, session?: string): RunHead[] {
    const heads = [...this.#runs.values()].map(({ head }) => head)
    return heads
      .filter((head) => head.owner === owner && (session === undefined || head.session === session))
      .toSorted((a, b) => a.index - b.index)
  }

  #checkOpen(doing: string): void {
    if (this.#isClosed) throw new HandrailError('store_closed', `Cannot ${doing}: the store was closed`)
  }
}

/** @throws {HandrailError} `store_failed` for what a database could not hold either. */
function copy<T>(value: T, doing: string): T {
  try {
    return structuredClone(value)
  } catch (error) {
    throw toStoreError(error, doing)
  }
}
