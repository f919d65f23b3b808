import type { RunModes } from '../core/approval.js'
import type { RunEvent, ToolCall } from '../core/events.js'
import { initialState, type RunState } from '../core/run-state.js'
import type { Json } from '../core/json.js'
import { HandrailError, toFailure } from '../errors.js'
import type { Command, ModelDelta, ScriptProgress } from '../runtime/protocol.js'
import type { Approval, ApproveOptions, DenyOptions, FailedCall } from './answers.js'
import type { RunParts } from './run-parts.js'

/** What happens in a run: an event of its log, a piece of the reply that is being streamed, how a script goes. */
export type RunUpdate =
  | { readonly type: 'event'; readonly seq: number; readonly event: RunEvent }
  | { readonly type: 'delta'; readonly delta: ModelDelta }
  | { readonly type: 'progress'; readonly progress: ScriptProgress }

/**
 * One user message to its end. Iterating gives all events from the first on, whenever it starts, and the deltas from then on;
 * it ends with the run, and throws if the run cannot go on here.
 */
export interface Run<Answer = unknown> extends AsyncIterable<RunUpdate> {
  readonly id: string
  readonly events: readonly RunEvent[]
  /** The fold of `events`. */
  readonly state: RunState
  readonly approvals: readonly Approval[]
  /** Writes that may or may not have taken effect, until somebody finds that they did. */
  readonly unknown: readonly ToolCall[]
  /** Calls that failed, and that a person must be told of: their tools say so by `onFailure.tellPerson`. */
  readonly toTell: readonly FailedCall[]
  /**
   * The text of the last complete message of the model; of a run with an `answer`, the value.
   * @throws {HandrailError} `run_failed`, `run_cancelled` or `budget_exceeded`, with the reason as its cause; or why the run
   * could not be started or go on here: `run_open`, `worker_died`, `agent_closed`, codes of the store.
   */
  readonly answer: Promise<Answer>
  /**
   * Of several calls, each is approved as it asks now; `input`, `hash` and `rest` are for one.
   * @throws {HandrailError} `not_asking` if a call does not wait for a person, `stale_approval` if it asks something else now,
   * `approval_expired`, `input_not_json`, `invalid_options`, or what the gate says of the input.
   */
  approve(callIds: string | readonly string[], options?: ApproveOptions): Promise<void>
  /**
   * @param options a text is the reason
   * @throws {HandrailError} `not_asking`, `stale_approval`, `approval_expired`, `invalid_options`
   */
  deny(callIds: string | readonly string[], options?: string | DenyOptions): Promise<void>
  /** What may be called from now on, in place of all that was said before. @throws {HandrailError} `run_over`, `invalid_options` */
  setModes(modes: RunModes): Promise<void>
  /** Reads end at once, a write that was sent is awaited, nothing more is sent. @throws {HandrailError} `run_over` */
  cancel(): Promise<void>
  /** Says what a person found out about a write whose outcome is unknown. @throws {HandrailError} `not_unknown`, `invalid_options` */
  reconcile(callId: string, done: boolean): Promise<void>
}

export interface RunPorts {
  /** Resolves when the command is accepted. */
  command(command: Command): Promise<unknown>
  /** Asked for only when there is an event, or the run has started. */
  readonly parts: RunParts
  /** Without an update: it failed, or was found to be over. */
  onUpdate(run: LiveRun, update?: RunUpdate): void
}

interface Settle {
  resolve(answer: Json): void
  reject(error: HandrailError): void
}

export class LiveRun implements Run {
  readonly answer: Promise<Json>
  readonly #settle: Settle
  readonly #events: RunEvent[] = []
  /** Events whose predecessors are still on their way. */
  readonly #early = new Map<number, RunEvent>()
  readonly #listeners = new Set<(update?: RunUpdate) => void>()
  readonly #reconciled = new Set<string>()
  #state: RunState = initialState
  #failure: HandrailError | undefined
  /** Resolves when the worker has it. Commands wait for it. */
  started: Promise<unknown> = Promise.resolve()

  constructor(
    readonly id: string,
    private readonly ports: RunPorts,
  ) {
    let settle!: Settle
    this.answer = new Promise((resolve, reject) => (settle = { resolve, reject }))
    this.#settle = settle
    // Nobody has to wait for the answer.
    this.answer.catch(() => undefined)
  }

  get events(): readonly RunEvent[] {
    return this.#events
  }

  get state(): RunState {
    return this.#state
  }

  /** Nothing more will come. */
  get isOver(): boolean {
    return this.#failure !== undefined || this.#state.status !== 'running'
  }

  get approvals(): readonly Approval[] {
    if (this.isOver || this.#state.asking === 0) return []
    return this.ports.parts.toApprovals(this.#state)
  }

  get unknown(): readonly ToolCall[] {
    return [...this.#state.unknown.values()].filter(({ callId }) => !this.#reconciled.has(callId))
  }

  get toTell(): readonly FailedCall[] {
    return this.#events.length > 0 ? this.ports.parts.toFailedCalls(this.#events) : []
  }

  /** What is asked for now is what is answered: what comes while the answer is prepared is not. */
  async approve(callIds: string | readonly string[], options: ApproveOptions = {}): Promise<void> {
    const { approvals } = this
    await this.started
    await this.#command(...this.ports.parts.toApprove(this, approvals, callIds, options))
  }

  async deny(callIds: string | readonly string[], options: string | DenyOptions = {}): Promise<void> {
    const { approvals } = this
    await this.started
    await this.#command(...this.ports.parts.toDeny(this, approvals, callIds, options))
  }

  async setModes(modes: RunModes): Promise<void> {
    await this.#command({ type: 'mode', runId: this.id, modes })
  }

  async cancel(): Promise<void> {
    if (this.#state.status !== 'running')
      throw new HandrailError('run_over', `Cannot cancel run "${this.id}": it is ${this.#state.status}`)
    await this.#command({ type: 'cancel', runId: this.id })
  }

  async reconcile(callId: string, done: boolean): Promise<void> {
    await this.started
    await this.#command(this.ports.parts.toReconcile(this, callId, done))
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RunUpdate, void, undefined> {
    const waiting: RunUpdate[] = this.#events.map((event, seq) => ({ type: 'event', seq, event }))
    let wake: () => void = () => undefined
    const listener = (update?: RunUpdate) => {
      if (update) waiting.push(update)
      wake()
    }
    this.#listeners.add(listener)
    try {
      for (;;) {
        while (waiting.length > 0) yield waiting.shift()!
        if (this.#failure) throw this.#failure
        if (this.isOver) return
        await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      this.#listeners.delete(listener)
    }
  }

  /** Takes event `seq`, once, in the log's order, however often and in whatever order it comes. */
  receive(seq: number, event: RunEvent): void {
    if (seq < this.#events.length) return
    this.#early.set(seq, event)
    for (;;) {
      const at = this.#events.length
      const next = this.#early.get(at)
      if (!next) return
      this.#early.delete(at)
      try {
        this.#state = this.ports.parts.evolve(this.#state, next)
      } catch (error) {
        return this.fail(new HandrailError('log_invalid', `Cannot read run "${this.id}": ${toFailure(error).message}`))
      }
      this.#events.push(next)
      if (next.type === 'run-end') {
        const answer = this.ports.parts.answerOf(this.id, this.#events, next)
        if (HandrailError.is(answer)) this.#settle.reject(answer)
        else this.#settle.resolve(answer)
      }
      this.#tell({ type: 'event', seq: at, event: next })
    }
  }

  showDelta(delta: ModelDelta): void {
    if (!this.isOver) this.#tell({ type: 'delta', delta })
  }

  showProgress(progress: ScriptProgress): void {
    if (!this.isOver) this.#tell({ type: 'progress', progress })
  }

  /** It cannot go on here. Its log, and what it is elsewhere, are as they were. */
  fail(error: HandrailError): void {
    if (this.isOver) return
    this.#failure = error
    this.#settle.reject(error)
    this.#tell()
  }

  /** A later run's log says that this write took effect. */
  noteReconciled(callId: string): void {
    this.#reconciled.add(callId)
    this.#tell()
  }

  #tell(update?: RunUpdate): void {
    for (const listener of this.#listeners) listener(update)
    this.ports.onUpdate(this, update)
  }

  /** One after the other. What one of them meets does not keep the others back. */
  async #command(...commands: readonly Command[]): Promise<void> {
    await this.started
    const errors: unknown[] = []
    for (const command of commands) await this.ports.command(command).catch((error: unknown) => errors.push(error))
    if (errors.length > 0) throw errors[0]
  }
}
