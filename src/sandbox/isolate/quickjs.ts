import type { ScriptOutcome } from '../../core/script-outcome.js'
import { isJsonObject, type Json } from '../../core/json.js'
import { TooLarge } from './codec.js'
import { beginScript } from './begin-script.js'
import { versionOf } from '../engine-name.js'
import type { Handle } from './engine.js'
import { Failures, cpuFailure, deadlockFailure, divergedFailure } from '../failures.js'
import { createGuest } from './guest.js'
import { HostCalls } from './host-calls.js'
import { Poisoned } from './poisoned.js'
import { prepareGuest, type PreparedGuest } from './prepared-guest.js'
import { Printer } from './printer.js'
import type { FedResult, ScriptFailure, ScriptOptions, ScriptTurn } from '../script.js'
import { replayFactor } from '../script.js'
import { seedTime } from './seed.js'
import { createStopwatch } from './stopwatch.js'

/** A script in an isolate of its own. Synchronous: each method runs the guest to its next wait, and none throws. */
export interface Isolate {
  start(at: number): ScriptTurn
  replay(at: number, results: readonly FedResult[]): ScriptTurn[]
  resume(fed: FedResult): ScriptTurn
}

/** Jobs between two looks at the clock. */
const jobsAtOnce = 256

/**
 * @param prepared an instance of the engine that was made before it was known which script it is for; used if it fits
 * @throws {Error} when there is no such engine
 */
export async function createIsolate(
  module: WebAssembly.Module,
  options: ScriptOptions,
  prepared?: PreparedGuest,
): Promise<Isolate> {
  const { limits } = options
  const version = versionOf(options.engine)
  if (version === undefined) throw new Error(`Cannot start the isolate: there is no engine "${options.engine}"`)
  const fits = prepared?.version === version && prepared.memory === limits.memoryBytes
  const stopwatch = createStopwatch()
  const printer = new Printer(limits.printBytes, stopwatch)
  const calls = new HostCalls({ limits, stopwatch, stop })
  const failures = new Failures(options)
  let clock = seedTime(options.seed)
  let spent = 0
  let budget = Infinity
  /** A limit that ends the script, whatever it catches. */
  let stopped: ScriptFailure | undefined
  let outcome: ScriptOutcome | undefined
  let result: Handle | undefined
  /** Of a callback of a timer. */
  let uncaught: ScriptFailure | undefined

  const guest = createGuest(fits ? prepared : await prepareGuest(module, limits.memoryBytes, version), {
    ...options,
    stack: limits.stackBytes,
    stopwatch,
    now: () => clock,
    shouldStop,
    callTool: (name, args) => calls.make(guest, name, args),
    print: (args) => printer.print(guest, args),
    fail: (thrown) => (uncaught ??= failures.ofThrown(guest.describe(thrown))),
  })
  const { engine } = guest

  function shouldStop(): boolean {
    if (stopwatch.isOver()) stopped ??= cpuFailure(budget, budget < limits.cpuMs)
    return stopped !== undefined
  }

  /** Unwinds the guest, whatever it would catch. */
  function stop(failure: ScriptFailure): never {
    stopped = failure
    throw new Poisoned('stopped', failure.message)
  }

  function turn(at: number, isReplay: boolean, advance: () => ScriptOutcome | undefined): ScriptTurn {
    if (outcome) return { calls: [], prints: [], outcome, cpuMs: 0, memoryBytes: engine.memoryBytes }
    clock = at
    budget = isReplay ? limits.cpuMs * replayFactor : Math.min(limits.cpuMs, limits.totalCpuMs - spent)
    stopwatch.start(budget)
    outcome = endedBy(() => (shouldStop() ? undefined : (advance() ?? settle())))
    const state = outcome && stateAtEnd()
    const cpuMs = stopwatch.stop()
    if (!isReplay) spent += cpuMs
    return {
      calls: calls.send(),
      prints: printer.take(),
      ...(outcome && { outcome }),
      ...(state && { state }),
      cpuMs,
      memoryBytes: engine.memoryBytes,
      ...(!outcome && calls.line !== undefined && { line: calls.line }),
    }
  }

  function endedBy(run: () => ScriptOutcome | undefined): ScriptOutcome | undefined {
    try {
      const ended = run()
      return stopped ? failed(stopped) : ended
    } catch (error) {
      if (error instanceof Poisoned) return failed(stopped ?? failures.ofPoison(error))
      throw error
    }
  }

  /** One settle, one drain: the order of the script's steps then depends on the order of results alone. */
  function settle(): ScriptOutcome | undefined {
    while (engine.runJobs(jobsAtOnce)) if (shouldStop()) break
    if (stopped || result === undefined) return undefined
    if (uncaught) return failed(uncaught)
    const state = engine.promiseState(result)
    if (state === 'pending') return calls.isNoneOpen ? failed(deadlockFailure) : undefined
    const value = engine.promiseResult(result)
    return state === 'fulfilled' ? returned(value) : failed(failures.ofThrown(guest.describe(value)))
  }

  function returned(value: Handle): ScriptOutcome {
    try {
      const read = guest.read(value, 'result', limits.returnBytes)
      return 'error' in read
        ? failed(failures.ofThrown(guest.describe(read.error)))
        : { status: 'ok', value: read.value ?? null }
    } catch (error) {
      if (error instanceof TooLarge) return failed(failures.ofReturn())
      throw error
    }
  }

  /** Read while the guest is whole: a limit that ended it may have left anything half done. */
  function stateAtEnd(): ScriptTurn['state'] {
    if (stopped) return undefined
    let state: Json | undefined
    const fault = endedBy(() => {
      try {
        const read = guest.changedState(limits.stateBytes)
        if (read && 'error' in read) return failed(failures.ofThrown(guest.describe(read.error)))
        state = read?.value
      } catch (error) {
        if (!(error instanceof TooLarge)) throw error
        return failed(failures.ofState())
      }
      return undefined
    })
    if (fault && outcome?.status === 'ok') outcome = fault
    return fault === undefined && isJsonObject(state) ? state : undefined
  }

  function begin(): ScriptOutcome | undefined {
    const begun = beginScript(guest, failures, options, shouldStop)
    if ('failure' in begun) return failed(begun.failure)
    failures.program = begun.program
    result = begun.result
    return undefined
  }

  const feed = (fed: FedResult) => (calls.settle(guest, fed) ? undefined : failed(divergedFailure(fed.n)))

  return {
    start: (at) => turn(at, false, begin),
    replay(at, results) {
      const turns = [turn(at, true, begin)]
      for (const fed of results) {
        if (outcome) break
        turns.push(turn(fed.at, true, () => feed(fed)))
      }
      return turns
    },
    resume: (fed) => turn(fed.at, false, () => feed(fed)),
  }
}

const failed = (failure: ScriptFailure): ScriptOutcome => ({ status: 'error', failure })
