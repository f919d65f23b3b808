import type { Failure, ScriptOutcome } from '../core/events.js'
import { NotJson, TooLarge, encode, jsonBytes } from './codec.js'
import type { Decoded } from './codec.js'
import { Poisoned } from './poisoned.js'
import type { Deferred, Handle } from './engine.js'
import {
  callsFailure,
  cpuFailure,
  crashFailure,
  deadlockFailure,
  divergedFailure,
  inputsFailure,
  memoryFailure,
  returnFailure,
  stackFailure,
  thrownFailure,
} from './failures.js'
import { createGuest } from './guest.js'
import { beginScript } from './begin-script.js'
import type { Program } from './program.js'
import type { HostCall, HostResult, ScriptFailure, ScriptOptions, ScriptTurn } from './script.js'
import { replayFactor } from './script.js'
import { seedTime } from './seed.js'
import { createStopwatch } from './stopwatch.js'

/** A script in an isolate of its own. Synchronous: each method runs the guest to its next wait, and none throws. */
export interface Isolate {
  start(at: number, replayed?: boolean): ScriptTurn
  resume(n: number, at: number, result: HostResult, replayed?: boolean): ScriptTurn
}

interface OpenCall extends Deferred {
  readonly site: Handle
}

/** The inputs of all calls together may be this many times as long as the input of one. */
const inputsFactor = 16
/** Jobs between two looks at the clock. */
const jobsAtOnce = 256
const cutNote = (bytes: number) => `[cut: a script may print ${bytes} bytes]`

export async function createIsolate(module: WebAssembly.Module, options: ScriptOptions): Promise<Isolate> {
  const { limits } = options
  const stopwatch = createStopwatch()
  const open = new Map<number, OpenCall>()
  let clock = seedTime(options.seed)
  let calls: HostCall[] = []
  let prints: string[] = []
  let calledSoFar = 0
  let inputBytes = 0
  let printBytes = 0
  let spent = 0
  let budget = Infinity
  /** A limit that ends the script, whatever it catches. */
  let stopped: ScriptFailure | undefined
  let outcome: ScriptOutcome | undefined
  let result: Handle | undefined
  let program: Program | undefined

  const guest = await createGuest(module, {
    tools: options.tools,
    memory: limits.memory,
    stack: limits.stack,
    stopwatch,
    now: () => clock,
    shouldStop,
    callTool,
    print,
  })
  const { engine } = guest

  function shouldStop(): boolean {
    if (stopwatch.isOver()) stopped ??= cpuFailure(budget, budget < limits.cpu)
    return stopped !== undefined
  }

  function callTool(toolName: string, args: readonly Handle[]): Handle {
    if (calledSoFar >= limits.calls) return stop(callsFailure(limits))
    if (open.size >= limits.open) {
      const message = `Cannot call tools.${toolName}: ${limits.open} calls are open, await some of them first`
      return refuse('RangeError', 'script_calls', message)
    }
    if (args.length > 1)
      return refuse(
        'TypeError',
        'failed',
        `Cannot call tools.${toolName} with ${args.length} arguments: it takes one, an object`,
      )
    try {
      const input = args[0] === undefined ? noInput : guest.read(args[0], `tools.${toolName}: input`, limits.output)
      if ('error' in input) return engine.throw(input.error)
      inputBytes += input.bytes
      if (inputBytes > limits.output * inputsFactor) return stop(inputsFailure(limits.output * inputsFactor))
      const deferred = engine.newPromise()
      const n = calledSoFar++
      open.set(n, { ...deferred, site: guest.site() })
      calls.push({ n, toolName, input: input.value ?? {} })
      return deferred.promise
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error
      return refuse(
        'RangeError',
        'script_output',
        `Cannot call tools.${toolName}: its input has more than ${limits.output} bytes as JSON`,
      )
    }
  }

  /** Unwinds the guest, whatever it would catch. */
  function stop(failure: ScriptFailure): never {
    stopped = failure
    throw new Poisoned('stopped', failure.message)
  }

  function refuse(type: 'TypeError' | 'RangeError', errorCode: string, message: string): Handle {
    return engine.throw(guest.toError({ type, code: errorCode, message }))
  }

  function print(args: readonly Handle[]): void {
    if (printBytes > limits.output) return
    let line = ''
    for (const [i, arg] of args.entries()) {
      line += (i === 0 ? '' : ' ') + show(arg)
      if (line.length > limits.output) break
    }
    printBytes += stopwatch.aside(() => jsonBytes(line)) + 1
    prints.push(printBytes > limits.output ? cutNote(limits.output) : line)
  }

  function show(value: Handle): string {
    try {
      return guest.show(value, limits.output)
    } catch (error) {
      if (error instanceof TooLarge) return cutNote(limits.output)
      throw error
    }
  }

  function turn(at: number, replayed: boolean, advance: () => ScriptOutcome | undefined): ScriptTurn {
    if (outcome) return { calls: [], prints: [], outcome, cpu: 0 }
    clock = at
    calls = []
    prints = []
    budget = replayed ? limits.cpu * replayFactor : Math.min(limits.cpu, limits.totalCpu - spent)
    stopwatch.start(budget)
    outcome = endedBy(() => (shouldStop() ? undefined : (advance() ?? settle())))
    const cpu = stopwatch.stop()
    if (!replayed) spent += cpu
    return { calls, prints, ...(outcome && { outcome }), cpu }
  }

  function endedBy(run: () => ScriptOutcome | undefined): ScriptOutcome | undefined {
    try {
      const ended = run()
      return stopped ? failed(stopped) : ended
    } catch (error) {
      if (error instanceof Poisoned) return failed(stopped ?? poisonFailure(error))
      throw error
    }
  }

  function poisonFailure({ reason, message }: Poisoned): ScriptFailure {
    if (reason === 'memory') return memoryFailure(limits)
    return reason === 'stack' ? stackFailure : crashFailure(message)
  }

  /** One settle, one drain: the order of the script's steps then depends on the order of results alone. */
  function settle(): ScriptOutcome | undefined {
    while (engine.runJobs(jobsAtOnce)) if (shouldStop()) break
    if (stopped || result === undefined) return undefined
    const state = engine.promiseState(result)
    if (state === 'pending') return open.size === 0 ? failed(deadlockFailure) : undefined
    const value = engine.promiseResult(result)
    return state === 'fulfilled' ? returned(value) : failed(thrownFailure(guest.describe(value), program!))
  }

  function returned(value: Handle): ScriptOutcome {
    try {
      const read = guest.read(value, 'result', limits.output)
      return 'error' in read
        ? failed(thrownFailure(guest.describe(read.error), program!))
        : { status: 'ok', value: read.value ?? null }
    } catch (error) {
      if (error instanceof TooLarge) return failed(returnFailure(limits))
      throw error
    }
  }

  function begin(): ScriptOutcome | undefined {
    const begun = beginScript(guest, options.code, shouldStop)
    if ('failure' in begun) return failed(begun.failure)
    program = begun.program
    result = begun.result
    return undefined
  }

  function feed(n: number, hostResult: HostResult): ScriptOutcome | undefined {
    const call = open.get(n)
    if (!call) return failed(divergedFailure(n))
    open.delete(n)
    const given = toGiven(hostResult)
    const value =
      'failure' in given ? guest.toError({ type: 'ToolError', ...given.failure }, call.site) : engine.read(given.bytes)
    const settled = engine.call('failure' in given ? call.reject : call.resolve, value)
    engine.free(value, settled.error ?? settled.value, call.resolve, call.reject, call.site)
    return undefined
  }

  function toGiven(hostResult: HostResult): { bytes: Uint8Array } | { failure: Failure } {
    if (hostResult.status === 'error') return hostResult
    try {
      return { bytes: stopwatch.aside(() => encode(hostResult.value)) }
    } catch (error) {
      if (!(error instanceof NotJson)) throw error
      return {
        failure: {
          code: 'script_output',
          message: `The tool's result cannot enter the script: ${error.message}`,
          retryable: false,
        },
      }
    }
  }

  return {
    start: (at, replayed = false) => turn(at, replayed, begin),
    resume: (n, at, result, replayed = false) => turn(at, replayed, () => feed(n, result)),
  }
}

const noInput: Decoded = { value: {}, bytes: 2 }

const failed = (failure: ScriptFailure): ScriptOutcome => ({ status: 'error', failure })
