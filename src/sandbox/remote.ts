import { engineName } from './engine-name.js'
import { cpuFailure, crashFailure } from './failures.js'
import type { Isolation } from './protocol.js'
import { replayFactor } from './script.js'
import type { HostCall, HostResult, Sandbox, Script, ScriptFailure, ScriptOptions, ScriptTurn } from './script.js'
import { WorkerLost } from './worker-link.js'
import type { WorkerLink } from './worker-link.js'
import { WorkerPool } from './worker-pool.js'

export interface RemoteSandboxOptions {
  /** Makes a sandbox worker, as `new Worker(url, { type: 'module' })`. */
  readonly spawn: () => Worker
  /** The engine, compiled once for all workers. */
  readonly module: () => Promise<WebAssembly.Module>
  /** Scripts that run or wait at the same time; more wait in line. Default 4. */
  readonly maxWorkers?: number
}

export interface RemoteSandbox extends Sandbox {
  /** How well the workers are shut in; none until the first is ready. */
  readonly isolation: Isolation | undefined
}

/** Milliseconds after its CPU limit in which a turn may still answer before its worker is terminated. */
const grace = 500
/** Milliseconds in which a worker lets go of a script. */
const endTimeout = 1_000

/**
 * A sandbox in workers: each script has a worker for itself from its start to its end, and a turn that does not answer in
 * time loses it, whatever it does.
 */
export function createRemoteSandbox({ spawn, module, maxWorkers = 4 }: RemoteSandboxOptions): RemoteSandbox {
  const pool = new WorkerPool({ spawn, module, maxWorkers })
  pool.warm()
  return {
    engine: engineName,
    get isolation() {
      return pool.isolation
    },
    start: (options) => new RemoteScript(pool, options),
  }
}

class RemoteScript implements Script {
  readonly #pool: WorkerPool
  readonly #options: ScriptOptions
  readonly #stop = new AbortController()
  #link?: WorkerLink
  #isRunning = false
  #calledSoFar = 0
  #last: ScriptTurn = failedTurn(crashFailure('it was ended from outside'))

  constructor(pool: WorkerPool, options: ScriptOptions) {
    this.#pool = pool
    this.#options = options
  }

  async start(at: number, replayed = false): Promise<ScriptTurn> {
    try {
      this.#link = await this.#pool.take(this.#stop.signal)
    } catch (error) {
      return this.#fail(crashFailure(error instanceof Error ? error.message : String(error)))
    }
    return this.#turn(replayed, (link, milliseconds) =>
      link.ask('turn', { type: 'start', options: this.#options, at, replayed }, milliseconds),
    )
  }

  async resume(n: number, at: number, result: HostResult, replayed = false): Promise<ScriptTurn> {
    return this.#turn(replayed, (link, milliseconds) =>
      link.ask('turn', { type: 'resume', n, at, result, replayed }, milliseconds),
    )
  }

  end(): void {
    this.#stop.abort(new Error('the script was ended'))
    if (this.#isRunning) this.#link?.terminate()
    else this.#release()
  }

  async #turn(
    replayed: boolean,
    ask: (link: WorkerLink, milliseconds: number) => Promise<{ turn: ScriptTurn }>,
  ): Promise<ScriptTurn> {
    const link = this.#link
    if (!link) return this.#last
    const milliseconds = this.#options.limits.cpu * (replayed ? replayFactor : 1) + grace
    this.#isRunning = true
    try {
      const { turn } = await ask(link, milliseconds)
      if (!turn.calls.every((call) => this.#isExpected(call))) {
        link.terminate()
        return this.#fail(crashFailure('its worker sent calls that the script cannot have made'))
      }
      if (turn.outcome) this.#last = { calls: [], prints: [], outcome: turn.outcome, cpu: 0 }
      this.#isRunning = false
      if (turn.outcome) this.#release()
      return turn
    } catch (error) {
      const isLate = error instanceof WorkerLost && error.reason === 'time'
      return this.#fail(isLate ? cpuFailure(milliseconds, false) : crashFailure(String((error as Error).message)))
    }
  }

  #isExpected({ n, toolName }: HostCall): boolean {
    return n === this.#calledSoFar++ && this.#options.tools.includes(toolName)
  }

  #fail(failure: ScriptFailure): ScriptTurn {
    this.#isRunning = false
    this.#last = failedTurn(failure)
    this.#release()
    return this.#last
  }

  #release(): void {
    const link = this.#link
    this.#link = undefined
    if (!link) return
    // Its next script may come at once: a worker answers in order. One that is lost meanwhile is not used.
    if (!link.isLost) link.ask('ended', { type: 'end' }, endTimeout).catch(() => undefined)
    this.#pool.give(link)
  }
}

const failedTurn = (failure: ScriptFailure): ScriptTurn => ({
  calls: [],
  prints: [],
  outcome: { status: 'error', failure },
  cpu: 0,
})
