import { isNewer, logFormat, type EventBody, type RunEvent } from '../core/events.js'
import { accepts, next, type Effect } from '../core/next.js'
import { evolve, initialState, type RunState } from '../core/state.js'
import { HandrailError } from '../errors.js'
import type { Durability, RunHead, Store } from '../store/store.js'

/** Told of an event after it is durable. `before` is the state that it changed. */
export type LogListener = (event: RunEvent, seq: number, before: RunState) => void

/** One run's log: the only place where a run's state changes. Every event is durable before it is visible. */
export class RunLog {
  readonly runId: string
  #state: RunState = initialState
  #due: readonly Effect[] | undefined
  #events: RunEvent[] = []
  #tail: Promise<unknown> = Promise.resolve()
  #failure: HandrailError | undefined
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
    now: () => number,
    listener: LogListener,
  ): Promise<RunLog> {
    const log = new RunLog(store, head, now)
    log.subscribe(listener)
    const events = first.map((body): RunEvent => ({ ...body, at: head.startedAt }))
    await store.start(head, events)
    for (const event of events) log.#take(event)
    return log
  }

  static async open(store: Store, head: RunHead, now: () => number, listener: LogListener): Promise<RunLog> {
    const log = new RunLog(store, head, now)
    log.subscribe(listener)
    for (const event of await store.read(head.runId)) log.#take(event)
    if (isNewer(log.state.header)) log.close(new HandrailError('log_newer', newer(log)))
    return log
  }

  get state(): RunState {
    return this.#state
  }

  /** Why nothing can be appended any more: until the log is read again, or for ever if its format is newer than ours. */
  get failure(): HandrailError | undefined {
    return this.#failure
  }

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
    const event: RunEvent = { ...body, at }
    try {
      await this.store.append(this.runId, this.#events.length, event, this.#durabilityOf(event))
    } catch (error) {
      this.#failure ??= HandrailError.is(error)
        ? error
        : new HandrailError('store_failed', String(error), { cause: error })
      throw this.#failure
    }
    this.#take(event)
  }

  /** What must survive a power cut before anything is done about it: a person's word, and the intent to write. */
  #durabilityOf(event: RunEvent): Durability {
    if (event.type === 'approval-response') return 'strict'
    return event.type === 'tool-start' && this.#state.calls.get(event.callId)?.mode === 'write' ? 'strict' : 'relaxed'
  }

  #take(event: RunEvent): void {
    const before = this.#state
    const seq = this.#events.length
    this.#state = evolve(before, event)
    this.#due = undefined
    this.#events.push(event)
    for (const listener of this.#listeners) listener(event, seq, before)
  }
}

const newer = ({ runId, state }: RunLog): string =>
  `Cannot write to run "${runId}": its log has the format ${state.header?.format}, and this version knows ${logFormat}; reload the page`
