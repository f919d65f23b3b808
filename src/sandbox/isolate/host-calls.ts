import { builtInNames } from '../../core/built-ins.js'
import type { Failure } from '../../core/events.js'
import { NotJson, TooLarge, encode, jsonBytes } from './codec.js'
import type { Decoded } from './codec.js'
import type { Deferred, Handle } from './engine.js'
import { callsFailure, inputsFailure } from '../failures.js'
import type { Guest } from './guest.js'
import { lineIn } from '../program.js'
import { inputsFactor, type FedResult, type HostCall, type ScriptFailure, type ScriptLimits } from '../script.js'
import type { Stopwatch } from './stopwatch.js'

interface OpenCall extends Omit<Deferred, 'promise'> {
  readonly toolName: string
  readonly site: Handle
  readonly line?: number
}

export interface HostCallsOptions {
  readonly limits: ScriptLimits
  readonly stopwatch: Stopwatch
  /** Ends the script, whatever it would catch. */
  readonly stop: (failure: ScriptFailure) => never
}

const noInput: Decoded = { value: {}, bytes: 2 }

/** The calls of one script: numbered as they are made, sent while there is room, settled one by one. */
export class HostCalls {
  readonly #open = new Map<number, OpenCall>()
  /** Made, and not yet sent: more than `openCalls` are waited for. */
  readonly #line: HostCall[] = []
  #sent = 0
  #made = 0
  #inputBytes = 0
  /** Inputs whose bytes are known at most: they are measured when that would be too many. */
  readonly #unmeasured: Decoded[] = []

  constructor(private readonly options: HostCallsOptions) {}

  get isNoneOpen(): boolean {
    return this.#open.size === 0
  }

  /** Where the last call was made, while it is open. */
  get line(): number | undefined {
    return this.#open.get(this.#made - 1)?.line
  }

  /** Returns the promise of its result, or what the guest throws. */
  make(guest: Guest, toolName: string, args: readonly Handle[]): Handle {
    const { limits, stop } = this.options
    const name = shownName(toolName)
    const refuse = (type: 'TypeError' | 'RangeError', code: string, message: string) =>
      guest.engine.throw(guest.toError({ type, code, message: `Cannot call ${name}${message}` }))
    if (this.#made >= limits.calls) return stop(callsFailure(limits))
    if (args.length > 1) return refuse('TypeError', 'failed', ` with ${args.length} arguments: it takes one, an object`)
    try {
      const input = args[0] === undefined ? noInput : guest.read(args[0], `${name}: input`, limits.inputBytes)
      if ('error' in input) return guest.engine.throw(input.error)
      const most = limits.inputBytes * inputsFactor
      if (this.#countInput(input) > most) return stop(inputsFailure(most))
      const deferred = guest.engine.newPromise()
      const site = guest.site()
      const line = lineIn(guest.stackOf(site) ?? '')
      const n = this.#made++
      this.#open.set(n, { resolve: deferred.resolve, reject: deferred.reject, toolName, site, line })
      this.#line.push({ n, toolName, input: input.value ?? {}, ...(line !== undefined && { line }) })
      return deferred.promise
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error
      return refuse('RangeError', 'script_output', `: its input has more than ${limits.inputBytes} bytes as JSON`)
    }
  }

  /** The calls that are sent now. */
  send(): HostCall[] {
    const calls = this.#line.splice(0, this.options.limits.openCalls - this.#sent)
    this.#sent += calls.length
    return calls
  }

  /** False: no such call is open. */
  settle(guest: Guest, { n, result }: FedResult): boolean {
    const call = this.#open.get(n)
    if (!call || this.#line.some((waiting) => waiting.n === n)) return false
    this.#open.delete(n)
    this.#sent--
    const { engine } = guest
    const given = result.status === 'ok' ? this.#written(result.value) : { failure: result.failure }
    const value =
      'bytes' in given
        ? engine.read(given.bytes)
        : guest.toError({ type: 'ToolError', ...given.failure, ...originOf(call, result) }, call.site)
    const settled = engine.call('bytes' in given ? call.resolve : call.reject, value)
    engine.free(value, settled.error ?? settled.value, call.resolve, call.reject, call.site)
    return true
  }

  /** Returns the bytes of all inputs so far: at most, or exactly if those were too many. */
  #countInput(input: Decoded): number {
    const { limits, stopwatch } = this.options
    this.#unmeasured.push(input)
    this.#inputBytes += input.bytes
    if (this.#inputBytes > limits.inputBytes * inputsFactor)
      stopwatch.aside(() => {
        for (const { value, bytes } of this.#unmeasured.splice(0)) this.#inputBytes += jsonBytes(value ?? null) - bytes
      })
    return this.#inputBytes
  }

  #written(value: Parameters<typeof encode>[0]): { bytes: Uint8Array } | { failure: Failure } {
    const { stopwatch, limits } = this.options
    const refuse = (why: string) => {
      const message = `The tool's result cannot enter the script: ${why}`
      return { failure: { code: 'script_output', message, retryable: false } }
    }
    try {
      const bytes = stopwatch.aside(() => encode(value))
      // In this format a value is never longer than as JSON, and seldom shorter than a quarter of it.
      if (bytes.length * 4 <= limits.resultBytes) return { bytes }
      const size = stopwatch.aside(() => jsonBytes(value))
      return size <= limits.resultBytes
        ? { bytes }
        : refuse(`it has ${size} bytes as JSON, the limit is ${limits.resultBytes}`)
    } catch (error) {
      if (!(error instanceof NotJson)) throw error
      return refuse(error.message)
    }
  }
}

const originOf = ({ toolName }: OpenCall, result: FedResult['result']) => ({
  tool: toolName,
  ...(result.status === 'error' && result.callId !== undefined && { callId: result.callId }),
})

/** As the script wrote it. */
const shownName = (toolName: string): string =>
  (builtInNames as readonly string[]).includes(toolName) ? toolName.slice('script.'.length) : `tools.${toolName}`
