import type { RunEvent, ToolCall } from '../core/events.js'
import type { Json } from '../core/json.js'
import { evolve, initialState, type RunState } from '../core/state.js'
import type { Risk } from '../core/tool-definition.js'
import { HandrailError, toFailure } from '../errors.js'
import type { Command, ModelDelta, ScriptProgress } from '../runtime/protocol.js'
import { answerOf } from './answer.js'
import { asJson } from './as-json.js'
import { checkApproval, checkDone, checkReason } from './check-options.js'

/** What happens in a run: an event of its log, a piece of the reply that is being streamed, how a script goes. */
export type RunUpdate =
  | { readonly type: 'event'; readonly seq: number; readonly event: RunEvent }
  | { readonly type: 'delta'; readonly delta: ModelDelta }
  | { readonly type: 'progress'; readonly progress: ScriptProgress }

/** A tool call that waits for a person. */
export interface Approval {
  readonly callId: string
  readonly toolName: string
  /** As it will be executed. */
  readonly input: Json
  /** Absent for a tool that is not the page's. */
  readonly risk?: Risk
  readonly reasons: readonly string[]
  /** Of all that is shown here. */
  readonly hash: string
}

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
  /**
   * The text of the last complete message of the model; of a run with an `answer`, the value.
   * @throws {HandrailError} `run_failed`, `run_cancelled` or `budget_exceeded`, with the reason as its cause; or why the run
   * could not be started or go on here: `run_open`, `worker_died`, `agent_closed`, codes of the store.
   */
  readonly answer: Promise<Answer>
  /**
   * `input`: what to execute in its place; the gate checks it again. `hash`: of the approval that the person was shown, when
   * another may have taken its place since; absent: of the one that is open now.
   * @throws {HandrailError} `not_asking` if the call does not wait for a person, `stale_approval` if it asks something else now,
   * `input_not_json`, `invalid_options`, or what the gate says of the input.
   */
  approve(callId: string, options?: { readonly input?: Json; readonly hash?: string }): Promise<void>
  /** @throws {HandrailError} `not_asking`, `stale_approval`, `invalid_options` */
  deny(callId: string, reason?: string): Promise<void>
  /** Reads end at once, a write that was sent is awaited, nothing more is sent. @throws {HandrailError} `run_over` */
  cancel(): Promise<void>
  /** Says what a person found out about a write whose outcome is unknown. @throws {HandrailError} `not_unknown`, `invalid_options` */
  reconcile(callId: string, done: boolean): Promise<void>
}

export interface RunPorts {
  /** Resolves when the command is accepted. */
  command(command: Command): Promise<unknown>
  riskOf(toolName: string): Risk | undefined
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
  #state = initialState
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
    return [...this.#state.calls.values()]
      .filter(({ phase }) => phase === 'asking')
      .map(({ callId, toolName, checked = null, reasons = [], hash = '', executor }) => {
        // A provider's own tool may have the name of one of the page.
        const risk = executor ? undefined : this.ports.riskOf(toolName)
        return { callId, toolName, input: checked, ...(risk && { risk }), reasons, hash }
      })
  }

  get unknown(): readonly ToolCall[] {
    return [...this.#state.unknown.values()].filter(({ callId }) => !this.#reconciled.has(callId))
  }

  async approve(callId: string, options: { readonly input?: Json; readonly hash?: string } = {}): Promise<void> {
    checkApproval(options)
    const { input, hash } = options
    const asked = this.#asked(callId)
    if (hash !== undefined && hash !== asked.hash)
      throw new HandrailError(
        'stale_approval',
        `Cannot approve call "${callId}" of run "${this.id}": it asks something else now`,
      )
    const edit = input === undefined ? {} : { input: asJson(input, 'input_not_json', `the input for call "${callId}"`) }
    await this.#command({ type: 'approve', runId: this.id, callId, hash: asked.hash, ...edit })
  }

  async deny(callId: string, reason?: string): Promise<void> {
    checkReason(reason)
    const { hash } = this.#asked(callId)
    await this.#command({ type: 'deny', runId: this.id, callId, hash, ...(reason !== undefined && { reason }) })
  }

  async cancel(): Promise<void> {
    if (this.#state.status !== 'running')
      throw new HandrailError('run_over', `Cannot cancel run "${this.id}": it is ${this.#state.status}`)
    await this.#command({ type: 'cancel', runId: this.id })
  }

  async reconcile(callId: string, done: boolean): Promise<void> {
    checkDone(done)
    if (!this.unknown.some((call) => call.callId === callId))
      throw new HandrailError(
        'not_unknown',
        `Cannot reconcile call "${callId}" of run "${this.id}": its outcome is not unknown`,
      )
    await this.#command({ type: 'reconcile', runId: this.id, callId, done })
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
        this.#state = evolve(this.#state, next)
      } catch (error) {
        return this.fail(new HandrailError('log_invalid', `Cannot read run "${this.id}": ${toFailure(error).message}`))
      }
      this.#events.push(next)
      if (next.type === 'run-end') {
        const answer = answerOf(this.id, this.#events, next)
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

  #asked(callId: string): Approval {
    const asked = this.approvals.find((approval) => approval.callId === callId)
    if (asked) return asked
    const open = this.approvals.map((approval) => `"${approval.callId}"`).join(', ')
    const instead = open ? `it asks for ${open}` : 'it asks for nothing'
    throw new HandrailError('not_asking', `Cannot answer for call "${callId}" of run "${this.id}": ${instead}`)
  }

  async #command(command: Command): Promise<void> {
    await this.started
    await this.ports.command(command)
  }
}
