import type { Failure } from '../core/events.js'
import { fromFailure, HandrailError, toFailure } from '../errors.js'
import type { Agent } from './agent.js'
import { leaseName, takeLease, type Lease, type LeaseMode } from './lease.js'
import { RunLog, type LogListener } from './log.js'
import { SessionMemory } from './memory.js'
import type { Command, Notice, Reply, RunOptions, SessionView } from './protocol.js'
import { SessionChannel, type Request } from './channel.js'
import { applyCommand } from './command.js'
import { Driver } from './driver.js'
import { startRun } from './start-run.js'

/**
 * A session in this worker. Whoever holds its lease drives it; the others follow: they hear what happens over the channel,
 * send what their person says to the driver, and take over when it ends or does not answer.
 */
export class LiveSession {
  #logs: RunLog[] = []
  #memory = new SessionMemory()
  #lease: Lease | undefined
  #driver: Driver | undefined
  /** Next position that the page has not seen, by run. */
  readonly #shown = new Map<string, number>()
  readonly #channel: SessionChannel
  readonly #closing = new AbortController()
  #opening: Promise<void> | undefined
  /** One start after the other: the second finds the first one's run open. */
  #starting: Promise<unknown> = Promise.resolve()
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
      onNotice: (notice) => void (this.#lease || this.#show(notice)),
      onAsk: (request) => (this.#lease ? this.#answer(request) : undefined),
    })
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
    const runs = this.#lease ? this.#logs.map(({ runId, events }) => ({ runId, events })) : await this.#read()
    for (const { runId, events } of runs) this.#shown.set(runId, events.length)
    this.#isViewed = true
    return { session: this.id, runs }
  }

  /** Starts a run. @throws {HandrailError} `run_open` while another is open. */
  run(text: string, options: RunOptions): Promise<void> {
    return this.#request({ type: 'run', text, options })
  }

  command(command: Command): Promise<void> {
    return this.#request({ type: 'command', command })
  }

  async close(): Promise<void> {
    this.#closing.abort()
    this.#channel.close()
    await this.#stop(new HandrailError('session_closed', `Session "${this.id}" was closed`))
    await this.#starting
  }

  async #request(request: Request): Promise<void> {
    if (!this.#lease) {
      const reply = await this.#channel.ask(request)
      if (reply?.ok) return
      if (reply) throw fromFailure(reply.failure)
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
    if (!this.#isLoaded || this.#logs.at(-1)?.failure) await this.#resume()
    this.#checkLease()
    if (request.type === 'command') return applyCommand(this.agent, this.#logs.at(-1), this.#memory, request.command)
    const started = this.#starting.then(() => this.#startRun(request.text, request.options))
    this.#starting = started.catch(() => undefined)
    await started
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
    if (this.#logs.some(({ runId }) => runId === options.runId)) return
    const listener = this.#listener(options.runId, this.#memory)
    const log = await startRun(this.agent, this.id, this.#logs, { text, options, listener })
    this.#logs.push(log)
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

  /** Reads the session again, and goes on with the run that is open, under a new epoch. */
  #resume(): Promise<void> {
    this.#opening ??= this.#load()
      .then(async () => {
        const log = this.#logs.at(-1)
        if (log?.state.status !== 'running' || !this.#lease) return
        if (log.failure) return this.#stall(toFailure(log.failure))
        const isTaken = await log.accept({ type: 'lease-start', epoch: log.state.epoch + 1 })
        if (isTaken && this.#lease) this.#drive(log)
      })
      .finally(() => (this.#opening = undefined))
    return this.#opening
  }

  async #load(): Promise<void> {
    const { store, setup, platform } = this.agent
    this.#driver?.stop(new HandrailError('session_reloaded', `Session "${this.id}" was read again`))
    this.#driver = undefined
    this.#isLoaded = false
    const memory = new SessionMemory()
    const logs: RunLog[] = []
    this.#isQuiet = !this.#isViewed
    for (const head of await store.runs(setup.owner, this.id))
      logs.push(await RunLog.open(store, head, platform.now, this.#listener(head.runId, memory)))
    this.#isQuiet = false
    this.#memory = memory
    this.#logs = logs
    this.#isLoaded = true
  }

  /** What a tab that follows knows of the past: the store alone. */
  async #read(): Promise<SessionView['runs']> {
    const { store, setup } = this.agent
    const heads = await store.runs(setup.owner, this.id)
    return Promise.all(heads.map(async ({ runId }) => ({ runId, events: await store.read(runId) })))
  }

  #drive(log: RunLog): void {
    this.#driver = new Driver(this.agent, log, this.#memory, {
      onDelta: (delta) => this.#tell({ type: 'delta', session: this.id, runId: log.runId, delta }),
      onProgress: (progress) => this.#tell({ type: 'progress', session: this.id, runId: log.runId, progress }),
      onFailure: (failure) => this.#stall(failure),
      newest: () => this.#logs.at(-1) ?? log,
    })
  }

  #listener(runId: string, memory: SessionMemory): LogListener {
    return (event, seq, before) => {
      memory.observe(runId, event, before)
      if (!this.#isQuiet) this.#tell({ type: 'event', session: this.id, runId, seq, event })
    }
  }

  /** Of the newest run: no other can be open. */
  #stall(failure: Failure): void {
    const runId = this.#logs.at(-1)?.runId ?? [...this.#shown.keys()].at(-1)
    if (runId !== undefined && !this.#closing.signal.aborted)
      this.#tell({ type: 'stalled', session: this.id, runId, failure })
  }

  /** To our page, and to the tabs that follow. */
  #tell(notice: Notice): void {
    if (this.#show(notice)) this.#channel.tell(notice)
  }

  /** False: the page has seen it. */
  #show(notice: Notice): boolean {
    if (notice.type === 'event') {
      const next = this.#shown.get(notice.runId) ?? 0
      if (notice.seq < next) return false
      this.#shown.set(notice.runId, notice.seq + 1)
    }
    this.agent.notices.tell(notice)
    return true
  }
}
