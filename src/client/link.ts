import { fromFailure, HandrailError, toFailure } from '../errors.js'
import type { AgentApi, AgentSetup, ModelDelta, Reply } from '../runtime/protocol.js'
import type { PageHost, PageHostOptions } from './page-host.js'
import type { Connection } from './rpc.js'
import type { RunParts } from './run-parts.js'

export interface LinkPorts {
  readonly setup: AgentSetup
  /** `standard` makes the worker that comes with this library. */
  spawn(standard: () => Worker): Worker
  /** Whether `spawn` can be called again. */
  readonly mayRestart: boolean
  readonly host: PageHostOptions
  /** A new worker has taken the place of a dead one, and knows nothing. */
  onRestart(): void
  /** There is no worker, and there will be none. */
  onLost(error: HandrailError): void
}

/** Restarts within `restartWindow` milliseconds. */
const mostRestarts = 5
const restartWindow = 60_000

/** The way to the agent worker, whichever is alive: one that dies is replaced. */
export class Link {
  #connection: Promise<Connection>
  #api: AgentApi | undefined
  #host: PageHost | undefined
  #parts: RunParts | undefined
  #lost: HandrailError | undefined
  #deaths: number[] = []

  constructor(private readonly ports: LinkPorts) {
    this.#connection = this.#start()
  }

  get ready(): Promise<void> {
    const retry = () => {
      if (this.#lost) throw this.#lost
      return this.ready
    }
    return this.#connection.then(() => undefined, retry)
  }

  /** Why there is no worker any more. */
  get lost(): HandrailError | undefined {
    return this.#lost
  }

  /** Whoever has an event has it from a worker. */
  get parts(): RunParts {
    return this.#parts!
  }

  /** @throws {HandrailError} the failure that was answered, or `worker_died` if the worker died meanwhile. */
  async call<T>(ask: (api: AgentApi) => Promise<Reply<T>>): Promise<T> {
    const { api } = await this.#connection
    return valueOf(await ask(api))
  }

  /** Sent at once, so that it comes before the reply it is a piece of. */
  delta(id: string, delta: ModelDelta): void {
    this.#api?.delta(id, delta).catch(() => undefined)
  }

  close(): void {
    const connection = this.#connection
    this.#lose(new HandrailError('agent_closed', 'The agent is closed'))
    connection.then((open) => open.close()).catch(() => undefined)
  }

  #start(): Promise<Connection> {
    const started = this.#open()
    started.catch((error: unknown) => {
      // Otherwise it died on the way, and is being replaced.
      if (this.#connection === started)
        this.#lose(HandrailError.is(error) ? error : fromFailure(toFailure(error, 'worker_failed')))
    })
    return started
  }

  async #open(): Promise<Connection> {
    // Not before there is an agent: a page may load this library long before anybody asks for one.
    const [{ connect }, { PageHost }, { spawnAgentWorker }, { runParts }] = await Promise.all([
      import('./rpc.js'),
      import('./page-host.js'),
      import('./spawn.js'),
      import('./run-parts.js'),
    ])
    this.#parts = runParts
    const host = new PageHost(this.ports.host, this.#host)
    this.#host = host
    const connection = await connect(this.ports.spawn(spawnAgentWorker), host)
    this.#api = connection.api
    void connection.died.then((error) => {
      host.end()
      this.#onDeath(error)
    })
    try {
      valueOf(await connection.api.open(this.ports.setup))
    } catch (error) {
      connection.close()
      throw error
    }
    return connection
  }

  #onDeath(error: HandrailError): void {
    if (this.#lost) return
    const now = performance.now()
    this.#deaths = [...this.#deaths.filter((at) => now - at < restartWindow), now]
    if (!this.ports.mayRestart || this.#deaths.length > mostRestarts) return this.#lose(error)
    this.#connection = this.#start()
    this.#connection.then(() => this.ports.onRestart()).catch(() => undefined)
  }

  #lose(error: HandrailError): void {
    this.#lost = error
    this.#connection = Promise.reject(error)
    this.#connection.catch(() => undefined)
    this.ports.onLost(error)
  }
}

function valueOf<T>(reply: Reply<T>): T {
  if (reply.ok) return reply.value
  throw fromFailure(reply.failure)
}
