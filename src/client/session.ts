import type { RunEvent } from '../core/events.js'
import type { AnswerFormat } from '../core/tool-definition.js'
import { fromFailure, HandrailError, toFailure } from '../errors.js'
import type { Notice, RunOptions } from '../runtime/protocol.js'
import { toJsonSchema, type OutputOf, type Schema } from '../tools/schema.js'
import { checkRun, type RunRequest } from './check-options.js'
import type { Link } from './link.js'
import { LiveRun, type Run, type RunPorts, type RunUpdate } from './run.js'

/** Called after each change. Without an update: the run was added, failed, was deleted, or a write of it was found done. */
export type SessionListener = (run: Run, update?: RunUpdate) => void

/** What a run answers: text, unless it says what. */
export type AnswerOf<Answer> = Answer extends Schema ? OutputOf<Answer> : string

/** A conversation: its runs, one after the other. */
export interface Session {
  readonly id: string
  /** When the history is there. @throws {HandrailError} if it cannot be read. */
  readonly opened: Promise<void>
  /** Oldest first, those of other tabs too. Empty until `opened`. */
  readonly runs: readonly Run[]
  /** The run that is not over: after a reload, the approvals that wait are here. */
  readonly openRun: Run | undefined
  /**
   * Starts a run. What goes wrong after this call is told by the run, `run_open` of another tab's run too.
   * @throws {HandrailError} `run_open` if a run is open, `session_closed`, `invalid_options`.
   */
  run<const Answer extends Schema | undefined = undefined>(
    text: string,
    options?: RunRequest<Answer>,
  ): Run<AnswerOf<Answer>>
  subscribe(listener: SessionListener): () => void
  /** Stops following. An open run stops here, as when the page is closed, and goes on when the session is opened again. */
  close(): void
}

export interface SessionPorts {
  readonly link: Link
  onClose(): void
}

export class LiveSession implements Session {
  opened: Promise<void>
  #following: Promise<ReadonlySet<string>> = Promise.resolve(new Set())
  #hasFailed = false
  #runs: LiveRun[] = []
  #closed: HandrailError | undefined
  readonly #listeners = new Set<SessionListener>()
  readonly #runPorts: RunPorts

  constructor(
    readonly id: string,
    private readonly ports: SessionPorts,
  ) {
    this.#runPorts = {
      command: (command) => ports.link.call((api) => api.command(id, command)),
      get parts() {
        return ports.link.parts
      },
      onUpdate: (run, update) => this.#onUpdate(run, update),
    }
    this.opened = this.#follow()
  }

  get runs(): readonly Run[] {
    return this.#runs
  }

  get openRun(): Run | undefined {
    return this.#runs.findLast((run) => !run.isOver)
  }

  run<const Answer extends Schema | undefined>(text: string, options: RunRequest<Answer> = {}): Run<AnswerOf<Answer>> {
    checkRun(text, options)
    const { answer, ...rest } = options
    const request = answer ? { ...rest, answer: toFormat(answer) } : rest
    if (this.#closed) throw this.#closed
    const open = this.openRun
    if (open)
      throw new HandrailError('run_open', `Cannot start a run in session "${this.id}": run "${open.id}" is open`)
    // What kept the history from being read may be over.
    if (this.#hasFailed) this.opened = this.#follow()
    const run = this.#add(crypto.randomUUID())
    run.started = this.#start(run, text, request)
    run.started.catch((error: unknown) => {
      this.#drop(run)
      run.fail(toError(error))
    })
    return run as Run<unknown> as Run<AnswerOf<Answer>>
  }

  subscribe(listener: SessionListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    if (this.#closed) return
    this.end(new HandrailError('session_closed', `Session "${this.id}" is closed`))
    this.ports.link.call((api) => api.unfollow(this.id)).catch(() => undefined)
    this.ports.onClose()
  }

  /** Nothing more will come from the worker. */
  end(error: HandrailError): void {
    this.#closed ??= error
    for (const run of this.#runs) run.fail(error)
  }

  receive(notice: Notice): void {
    if (this.#closed) return
    const run = this.#runs.find(({ id }) => id === notice.runId)
    switch (notice.type) {
      case 'event':
        return (run ?? this.#add(notice.runId)).receive(notice.seq, notice.event)
      case 'delta':
        return run?.showDelta(notice.delta)
      case 'progress':
        return run?.showProgress(notice.progress)
      case 'stalled':
        // It may be told before the history is: the run is then not known yet.
        return (run ?? this.#add(notice.runId)).fail(fromFailure(notice.failure))
      case 'deleted':
        this.#drop(run)
        if (run) this.#onUpdate(run)
    }
  }

  /** A new worker took over: what is durable goes on, what only the old worker knew is lost. */
  async resume(): Promise<void> {
    if (this.#closed) return
    const begun = this.#runs.filter((run) => !run.isOver && run.events.length > 0)
    this.opened = this.#follow()
    try {
      const found = await this.#following
      for (const run of begun)
        if (!found.has(run.id))
          run.fail(
            new HandrailError('worker_died', `Run "${run.id}" was lost with its worker: the store keeps nothing`),
          )
    } catch (error) {
      for (const run of begun) run.fail(toError(error))
    }
  }

  #follow(): Promise<void> {
    const { id } = this
    this.#hasFailed = false
    this.#following = this.#retry(async () => {
      const { runs } = await this.ports.link.call((api) => api.follow(id))
      for (const { runId, events } of runs)
        for (const [seq, event] of events.entries()) this.receive({ type: 'event', session: id, runId, seq, event })
      const order = runs.map(({ runId }) => runId)
      const place = (run: LiveRun) => (order.includes(run.id) ? order.indexOf(run.id) : order.length)
      this.#runs = this.#runs.toSorted((a, b) => place(a) - place(b))
      return new Set(order)
    })
    const opened = this.#following.then(() => undefined)
    opened.catch(() => (this.#hasFailed = true))
    return opened
  }

  /** Asking again after a death is safe: the run's id says that it is the same run. */
  async #start(run: LiveRun, text: string, options: Omit<RunOptions, 'runId'>): Promise<void> {
    await this.opened
    if (this.#closed) throw this.#closed
    await this.#retry(() => this.ports.link.call((api) => api.run(this.id, text, { ...options, runId: run.id })))
  }

  /** The next worker answers in place of one that died. */
  async #retry<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!HandrailError.is(error) || error.code !== 'worker_died' || this.ports.link.lost) throw error
      }
    }
  }

  #add(runId: string): LiveRun {
    const run = new LiveRun(runId, this.#runPorts)
    this.#runs = [...this.#runs, run]
    this.#onUpdate(run)
    return run
  }

  #drop(run?: LiveRun): void {
    this.#runs = this.#runs.filter((other) => other !== run)
  }

  #onUpdate(run: LiveRun, update?: RunUpdate): void {
    if (update?.type === 'event') this.#noteReconciled(run, update.event)
    for (const listener of this.#listeners) listener(run, update)
  }

  #noteReconciled(run: LiveRun, event: RunEvent): void {
    if (event.type !== 'tool-reconciled' || !event.done || event.runId === undefined || event.runId === run.id) return
    this.#runs.find(({ id }) => id === event.runId)?.noteReconciled(event.callId)
  }
}

function toFormat(schema: Schema): AnswerFormat {
  try {
    return { name: 'answer', schema: toJsonSchema(schema) }
  } catch (error) {
    throw new HandrailError(
      'invalid_options',
      `Cannot start a run: "answer" cannot be used: ${toFailure(error).message}`,
    )
  }
}

const toError = (error: unknown): HandrailError => (HandrailError.is(error) ? error : fromFailure(toFailure(error)))
