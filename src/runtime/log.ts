import { isNewer, logFormat, type EventBody, type RunEvent } from '../core/events.js'
import { accepts, next, type Effect } from '../core/next.js'
import { evolve, initialState, type RunState } from '../core/state.js'
import type { Context } from '../core/tool-definition.js'
import { HandrailError } from '../errors.js'
import type { Durability, RunHead, Store } from '../store/store.js'
import { chained } from './chain.js'
import { readLog } from './read-log.js'

/** Told of an event after it is durable. `before` is the state that it changed. */
export type LogListener = (event: RunEvent, seq: number, before: RunState) => void

/** One run's log: the only place where a run's state changes. Every event is durable before it is visible. */
export class RunLog {
  readonly runId: string
  #state: RunState = initialState
  #due: readonly Effect[] | undefined
  #events: RunEvent[] = []
  /** Of the last event. Undefined in a log whose format has none. */
  #chain: string | undefined
  #tail: Promise<unknown> = Promise.resolve()
  #failure: HandrailError | undefined
  readonly #refused = new AbortController()
  readonly #listeners = new Set<LogListener>()

  private constructor(
    private readonly store: Store,
    readonly head: RunHead,
    private readonly now: () => number,
  ) {
    this.runId = head.runId
  }

  /** Starts a run with its first events. */
  static async start(
    store: Store,
    head: RunHead,
    first: readonly EventBody[],
    context: Context,
    now: () => number,
    listener: LogListener,
  ): Promise<RunLog> {
    const log = new RunLog(store, { ...head, format: logFormat }, now)
    log.subscribe(listener)
    log.#chain = ''
    const events: RunEvent[] = []
    for (const body of first) events.push(log.#stamped(body, head.startedAt))
    await store.start(log.head, events, context)
    for (const event of events) log.#take(event)
    return log
  }

  /** Never fails because of what the log holds: what can't be trusted, or gone on with, is opened to be shown. */
  static async open(store: Store, head: RunHead, now: () => number, listener: LogListener): Promise<RunLog> {
    const log = new RunLog(store, head, now)
    log.subscribe(listener)
    const { chain, damage } = await readLog(store, head, {
      take: (event) => log.#take(event),
      show: (event) => log.#events.push(event),
    })
    log.#chain = chain
    if (damage !== undefined) log.close(new HandrailError('log_damaged', damaged(log, damage)))
    if (isNewer(log.state.header)) log.close(new HandrailError('log_newer', newer(log)))
    if (head.imported)
      log.close(new HandrailError('run_imported', `Cannot write to run "${log.runId}": it was imported`))
    return log
  }

  get state(): RunState {
    return this.#state
  }

  /**
   * Why nothing can be appended any more: until the log is read again, or for ever if its format is newer than ours, if it is
   * damaged, or if it was imported.
   */
  get failure(): HandrailError | undefined {
    return this.#failure
  }

  /** Aborted when an append fails, whoever asked for it. */
  get refused(): AbortSignal {
    return this.#refused.signal
  }

  /** Of a damaged log also what comes after the damage, of which `state` knows nothing. */
  get events(): readonly RunEvent[] {
    return this.#events
  }

  /** The effects due now. */
  get due(): readonly Effect[] {
    return (this.#due ??= next(this.#state))
  }

  /** Appends what came of an effect. False, and nothing is stored, when the effect is no longer due. */
  perform(effectId: string, body: EventBody): Promise<boolean> {
    return this.#append(body, () => this.due.some(({ id }) => id === effectId))
  }

  /** Appends what a person, a timer or another tab sent. False, and nothing is stored, when it does not fit the state now. */
  accept(body: EventBody): Promise<boolean> {
    return this.#append(body, (at) => accepts(this.#state, body, at))
  }

  subscribe(listener: LogListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Refuses every later append: this log is no longer ours to write. */
  close(failure: HandrailError): void {
    this.#failure ??= failure
  }

  #append(body: EventBody, fits: (at: number) => boolean): Promise<boolean> {
    const written = this.#tail.then(async () => {
      if (this.#failure) throw this.#failure
      const at = Math.max(this.now(), this.#state.lastAt)
      if (!fits(at)) return false
      await this.#write(body, at)
      return true
    })
    this.#tail = written.catch(() => undefined)
    return written
  }

  async #write(body: EventBody, at: number): Promise<void> {
    const chain = this.#chain
    const event = this.#stamped(body, at)
    try {
      await this.store.append(this.runId, this.#events.length, event, this.#durabilityOf(event))
    } catch (error) {
      this.#chain = chain
      this.#failure ??= HandrailError.is(error)
        ? error
        : new HandrailError('store_failed', String(error), { cause: error })
      this.#refused.abort()
      throw this.#failure
    }
    this.#take(event)
  }

  #stamped(body: EventBody, at: number): RunEvent {
    const event = { ...body, at }
    if (this.#chain === undefined) return event
    const stamped = chained(event, this.#chain)
    this.#chain = stamped.chain
    return stamped
  }

  /** What must survive a power cut before anything is done about it: a person's word, and the intent to write. */
  #durabilityOf(event: RunEvent): Durability {
    if (event.type === 'approval-response') return 'strict'
    return event.type === 'tool-start' && this.#state.calls.get(event.callId)?.mode === 'write' ? 'strict' : 'relaxed'
  }

  #take(event: RunEvent): void {
    const before = this.#state
    const seq = this.#events.length
    this.#events.push(event)
    this.#state = evolve(before, event)
    this.#due = undefined
    for (const listener of this.#listeners) listener(event, seq, before)
  }
}

const damaged = ({ runId }: RunLog, damage: string): string =>
  `The log of run "${runId}" is not as it was written, from ${damage}. It can be shown, exported and deleted`

const newer = ({ runId, state }: RunLog): string =>
  `Cannot write to run "${runId}": its log has the format ${state.header?.format}, and this version knows ${logFormat}; reload the page`
