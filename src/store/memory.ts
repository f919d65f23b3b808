import type { RunEvent } from '../core/events.js'
import type { Context } from '../core/tool-definition.js'
import { HandrailError } from '../errors.js'
import { toSessions } from './sessions.js'
import { conflictWith, toStoreError } from './store-error.js'
import type { RunHead, SessionHead, Store } from './store.js'

/** A store that ends with its worker. It keeps copies, as a database does. */
export function createMemoryStore(): Store {
  return new MemoryStore()
}

class MemoryStore implements Store {
  readonly #runs = new Map<string, { readonly head: RunHead; readonly events: RunEvent[] }>()
  readonly #contexts = new Map<string, Context>()
  #isClosed = false

  async start(head: RunHead, first: readonly RunEvent[]): Promise<void> {
    const { runId, owner, session, index } = head
    const doing = `start run ${index} of session "${session}"`
    this.#checkOpen(doing)
    const count = this.#headsOf(owner, session).length
    if (count !== index) throw conflictWith(doing, `the session has ${count}`)
    if (this.#runs.has(runId)) throw conflictWith(doing, `run "${runId}" exists`)
    this.#runs.set(runId, copy({ head, events: [...first] }, doing))
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

  async runs(owner: string, session: string): Promise<RunHead[]> {
    const doing = `read session "${session}"`
    this.#checkOpen(doing)
    return copy(this.#headsOf(owner, session), doing)
  }

  async sessions(owner: string): Promise<SessionHead[]> {
    this.#checkOpen('list sessions')
    return toSessions(this.#headsOf(owner))
  }

  async deleteSession(owner: string, session: string): Promise<void> {
    this.#checkOpen(`delete session "${session}"`)
    for (const { runId } of this.#headsOf(owner, session)) this.#runs.delete(runId)
  }

  async putContext(hash: string, context: Context): Promise<void> {
    const doing = `store context "${hash}"`
    this.#checkOpen(doing)
    if (!this.#contexts.has(hash)) this.#contexts.set(hash, copy(context, doing))
  }

  async getContext(hash: string): Promise<Context | undefined> {
    const doing = `read context "${hash}"`
    this.#checkOpen(doing)
    return copy(this.#contexts.get(hash), doing)
  }

  close(): void {
    this.#isClosed = true
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
