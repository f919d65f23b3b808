import { HandrailError } from '../../errors.js'
import { engineName, versionOf } from '../engine-name.js'
import { cpuFailure, crashFailure } from '../failures.js'
import type { Isolation } from './protocol.js'
import { longestBatch, replayFactor } from '../script.js'
import type { FedResult, Sandbox, Script, ScriptFailure, ScriptOptions, ScriptTurn } from '../script.js'
import { TurnReader, type Turns } from './turn-reader.js'
import { WorkerLost } from './worker-link.js'
import type { RequestBody, WorkerLink } from './worker-link.js'
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
    runs: (engine) => versionOf(engine) !== undefined,
    get isolation() {
      return pool.isolation
    },
    start: (options) => new RemoteScript(pool, options),
  }
}

class RemoteScript implements Script {
  readonly #pool: WorkerPool
  readonly #options: ScriptOptions
  readonly #reader: TurnReader
  readonly #stop = new AbortController()
  #link?: WorkerLink
  #isRunning = false
  /** Results that were asked to be fed, and are not yet. */
  readonly #line: { readonly fed: FedResult; readonly resolve: (turn: ScriptTurn) => void }[] = []
  #isFeeding = false
  #last: ScriptTurn = failedTurn(crashFailure('it was ended from outside'))

  constructor(pool: WorkerPool, options: ScriptOptions) {
    this.#pool = pool
    this.#options = options
    this.#reader = new TurnReader(options)
  }

  async start(at: number): Promise<ScriptTurn> {
    try {
      this.#link = await this.#pool.take(this.#stop.signal)
    } catch (error) {
      return this.#fail(crashFailure(messageOf(error)))
    }
    const [turn] = await this.#turns({ type: 'start', options: this.#options, at }, 0, this.#options.limits.cpuMs)
    return turn
  }

  async replay(at: number, results: readonly FedResult[]): Promise<Turns> {
    const mostCpu = this.#options.limits.cpuMs * replayFactor * (results.length + 1)
    try {
      this.#link = await this.#pool.take(this.#stop.signal)
    } catch (cause) {
      const message = `Cannot replay a script: ${messageOf(cause)}`
      throw new HandrailError('sandbox_unavailable', message, { cause, retryable: true })
    }
    return this.#turns({ type: 'replay', options: this.#options, at, results }, results.length, mostCpu)
  }

  resume(fed: FedResult): Promise<ScriptTurn> {
    return new Promise((resolve) => {
      this.#line.push({ fed, resolve })
      if (this.#isFeeding) return
      this.#isFeeding = true
      void this.#feed()
    })
  }

  end(): void {
    this.#stop.abort(new Error('the script was ended'))
    if (this.#isRunning) this.#link?.terminate()
    else this.#release()
  }

  /** Results that are there together go in one message, as a message takes longer than most turns. */
  async #feed(): Promise<void> {
    await Promise.resolve()
    while (this.#line.length > 0) {
      const results = this.#line.map(({ fed }) => fed)
      const turns = await this.#turns({ type: 'resume', results }, results.length, this.#options.limits.cpuMs)
      const isOver = turns.at(-1)!.outcome !== undefined
      const answered = this.#line.splice(0, isOver ? this.#line.length : turns.length)
      for (const [i, { resolve }] of answered.entries()) resolve(turns[i] ?? this.#last)
    }
    this.#isFeeding = false
  }

  async #turns(request: RequestBody, fed: number, mostCpu: number): Promise<Turns> {
    const link = this.#link
    if (!link) return [this.#last]
    const milliseconds = mostCpu + longestBatch + grace
    this.#isRunning = true
    try {
      const answer = await link.ask('turns', request, milliseconds)
      const isPart = request.type === 'resume' && answer.turns.length < fed
      const turns = this.#reader.read(answer.turns, isPart ? answer.turns.length : fed)
      if (!turns) {
        link.terminate()
        return [this.#fail(crashFailure('its worker sent what the script cannot have done'))]
      }
      this.#isRunning = false
      const { outcome } = turns.at(-1)!
      if (outcome) {
        this.#last = { ...endedTurn, outcome }
        this.#release()
      }
      return turns
    } catch (error) {
      const isLate = error instanceof WorkerLost && error.reason === 'time'
      const { cpuMs } = this.#options.limits
      return [this.#fail(isLate ? cpuFailure(cpuMs, false) : crashFailure(messageOf(error)))]
    }
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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const endedTurn: ScriptTurn = { calls: [], prints: [], cpuMs: 0, memoryBytes: 0 }
const failedTurn = (failure: ScriptFailure): ScriptTurn => ({ ...endedTurn, outcome: { status: 'error', failure } })
