import type { Failure } from '../core/events.js'
import { fromFailure, HandrailError, toFailure } from '../errors.js'
import type { Agent } from './agent.js'
import { leaseName, takeLease, type Lease, type LeaseMode } from './lease.js'
import type { RunLog } from './log.js'
import type { Command, Reply, RunOptions, SessionView } from './protocol.js'
import { Audience } from './audience.js'
import { cancelledBy, SessionChannel, type Request } from './channel.js'
import { applyCommand } from './command.js'
import { deleteRun } from './delete-run.js'
import { beginEpoch, Driver } from './driver.js'
import { isOpen, noLogs, readSession, rememberAndTell, type EventTeller, type SessionLogs } from './session-logs.js'
import { startRun } from './start-run.js'

/**
 * A session in this worker. Whoever holds its lease drives it; the others follow: they hear what happens over the channel,
 * send what their person says to the driver, and take over when it ends or does not answer.
 */
export class LiveSession {
  #past: SessionLogs = noLogs()
  #lease: Lease | undefined
  #driver: Driver | undefined
  readonly #channel: SessionChannel
  readonly #audience: Audience
  readonly #closing = new AbortController()
  #opening: Promise<void> | undefined
  #cancelled: string | undefined
  /** Runs are started and deleted one after the other: a second start finds the first one's run open. */
  #changing: Promise<unknown> = Promise.resolve()
  /** The logs are as the store had them when the lease was taken, and followed since. */
  #isLoaded = false
  #isViewed = false
  /** The page learns the past from its first `view`: until then nothing that is only read is told. */
  #isQuiet = false

  private constructor(
    private readonly agent: Agent,
    readonly id: string,
  ) {
    const name = leaseName(agent.setup.owner, id)
    this.#channel = new SessionChannel(agent.platform.openChannel(name), agent.platform.newId, {
      onNotice: (notice) => void (this.#lease || this.#audience.show(notice)),
      onAsk: (request) => (this.#lease ? this.#answer(request) : undefined),
    })
    this.#audience = new Audience(agent.notices, this.#channel, id)
  }

  static async open(agent: Agent, id: string): Promise<LiveSession> {
    const session = new LiveSession(agent, id)
    try {
      if (!(await session.#take('now'))) void session.#takeWhenFree()
    } catch (error) {
      if (!session.#isLoaded) {
        await session.close()
        throw error
      }
      // The past can be shown though nothing can be written.
      session.#stall(toFailure(error))
    }
    return session
  }

  /** The past. What happens from here on is told. */
  async view(): Promise<SessionView> {
    // What a tab that follows knows of the past: the store alone.
    const { logs } = this.#lease ? this.#past : await readSession(this.agent, this.id)
    if (!this.#lease) this.#audience.showFailures(logs)
    for (const { runId, events } of logs) this.#audience.noteShown(runId, events.length)
    this.#isViewed = true
    return { session: this.id, runs: logs.map(({ runId, events }) => ({ runId, events })) }
  }

  /** Starts a run. @throws {HandrailError} `run_open` while another is open. */
  run(text: string, options: RunOptions): Promise<void> {
    return this.#request({ type: 'run', text, options })
  }

  command(command: Command): Promise<void> {
    return this.#request({ type: 'command', command })
  }

  /** @throws {HandrailError} `session_busy` if another tab drives it, `run_open` */
  deleteRun(runId: string): Promise<void> {
    return this.#change(async () => {
      this.#checkLease()
      if (!this.#isLoaded) await this.#load()
      await deleteRun(this.agent, this.#past, runId)
      this.#audience.tellDeleted(runId)
      await this.#resume()
    })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#channel.close()
    await this.#stop(new HandrailError('session_closed', `Session "${this.id}" was closed`))
    await this.#changing
  }

  async #request(request: Request): Promise<void> {
    if (!this.#lease) {
      const reply = await this.#channel.ask(request)
      if (reply?.ok) return
      if (reply) throw fromFailure(reply.failure)
      this.#cancelled = cancelledBy(request)
      await this.#take('force')
    }
    await this.#do(request)
  }

  async #answer(request: Request): Promise<Reply<null>> {
    try {
      await this.#do(request)
      return { ok: true, value: null }
    } catch (error) {
      return { ok: false, failure: toFailure(error) }
    }
  }

  async #do(request: Request): Promise<void> {
    this.#checkLease()
    if (!this.#isLoaded || this.#failed) await this.#resume()
    this.#checkLease()
    if (this.#failed) throw this.#failed.failure
    const { logs, memory } = this.#past
    if (request.type === 'command') return applyCommand(this.agent, logs.at(-1), memory, request.command)
    await this.#change(() => this.#startRun(request.text, request.options))
  }

  async #change(work: () => Promise<void>): Promise<void> {
    const changed = this.#changing.then(work)
    this.#changing = changed.catch(() => undefined)
    await changed
  }

  async #startRun(text: string, options: RunOptions): Promise<void> {
    try {
      await this.#start(text, options)
    } catch (error) {
      if (!HandrailError.is(error) || error.code !== 'store_conflict') throw error
      // Another tab has written to this session since it was read.
      await this.#resume()
      await this.#start(text, options)
    }
  }

  async #start(text: string, options: RunOptions): Promise<void> {
    const past = this.#past
    if (past.logs.some(({ runId }) => runId === options.runId)) return
    const listener = rememberAndTell(past.memory, options.runId, this.#tellEvent)
    const log = await startRun(this.agent, this.id, past, { text, options, listener })
    this.#past = { ...past, logs: [...past.logs, log], places: past.places + 1 }
    this.#checkLease()
    this.#drive(log)
  }

  #checkLease(): void {
    if (this.#lease) return
    const message = `Session "${this.id}" was closed here, or another tab drives it now`
    throw new HandrailError('session_busy', message, { retryable: true })
  }

  async #take(mode: LeaseMode): Promise<boolean> {
    const { platform, setup } = this.agent
    if (this.#closing.signal.aborted) return false
    const lease = await takeLease(platform.locks, leaseName(setup.owner, this.id), mode, this.#closing.signal)
    if (!lease) return false
    if (this.#closing.signal.aborted) return lease.release().then(() => false)
    this.#lease = lease
    lease.lost.addEventListener('abort', () => this.#onLost(lease), { once: true })
    await this.#resume()
    return true
  }

  async #takeWhenFree(): Promise<void> {
    try {
      await this.#take('wait')
    } catch (error) {
      this.#stall(toFailure(error))
    }
  }

  #onLost(lease: Lease): void {
    if (this.#lease !== lease || this.#closing.signal.aborted) return
    void this.#stop(new HandrailError('lease_lost', `Another tab took over session "${this.id}"`))
    void this.#takeWhenFree()
  }

  async #stop(reason: HandrailError): Promise<void> {
    const lease = this.#lease
    this.#driver?.stop(reason)
    this.#driver = undefined
    this.#lease = undefined
    await lease?.release()
  }

  /** A log that nothing can be appended to: the session's later ones can't be trusted to go on from it. */
  get #failed(): RunLog | undefined {
    return this.#past.logs.find(({ failure }) => failure)
  }

  /** Reads the session again, and goes on with the run that is open, under a new epoch. */
  #resume(): Promise<void> {
    this.#opening ??= this.#load()
      .then(async () => {
        const log = this.#past.logs.at(-1)
        if (!log || this.#failed || !isOpen(log) || !this.#lease) return
        if ((await beginEpoch(log, this.#cancelled)) && this.#lease) this.#drive(log)
      })
      .finally(() => (this.#opening = undefined))
    return this.#opening
  }

  async #load(): Promise<void> {
    this.#driver?.stop(new HandrailError('session_reloaded', `Session "${this.id}" was read again`))
    this.#driver = undefined
    this.#isLoaded = false
    const { known } = this.#audience
    this.#isQuiet = !this.#isViewed
    this.#past = await readSession(this.agent, this.id, this.#tellEvent)
    this.#isQuiet = false
    this.#isLoaded = true
    const { logs } = this.#past
    for (const runId of known) if (!logs.some((log) => log.runId === runId)) this.#audience.tellDeleted(runId)
    this.#audience.showFailures(logs)
  }

  #drive(log: RunLog): void {
    const of = { session: this.id, runId: log.runId }
    this.#driver = new Driver(this.agent, log, this.#past.memory, {
      onDelta: (delta) => this.#audience.tell({ type: 'delta', ...of, delta }),
      onProgress: (progress) => this.#audience.tell({ type: 'progress', ...of, progress }),
      onFailure: (failure) => this.#stall(failure),
      newest: () => this.#past.logs.at(-1) ?? log,
    })
  }

  readonly #tellEvent: EventTeller = (runId, seq, event) => {
    if (!this.#isQuiet) this.#audience.tell({ type: 'event', session: this.id, runId, seq, event })
  }

  /** Of the newest run: no other can be open. */
  #stall(failure: Failure): void {
    const runId = this.#past.logs.at(-1)?.runId ?? this.#audience.newest
    if (runId !== undefined && !this.#closing.signal.aborted)
      this.#audience.tell({ type: 'stalled', session: this.id, runId, failure })
  }
}
