import type { Json } from '../core/json.js'
import { NotJson, decode, encode, isBare } from './codec.js'
import type { Decoded } from './codec.js'
import { createEngine } from './engine.js'
import type { Completion, Engine, EngineOptions, Handle } from './engine.js'
import { prelude } from './prelude.js'
import type { Stopwatch } from './stopwatch.js'

/** What an uncaught exception says of itself, read without getters. */
export interface Thrown {
  readonly name?: string
  readonly message: string
  readonly code?: string
  readonly stack?: string
}

export type GuestError =
  | { readonly type: 'ToolError'; readonly code: string; readonly message: string; readonly retryable: boolean }
  | { readonly type: 'TypeError' | 'RangeError'; readonly code: string; readonly message: string }

export interface GuestOptions extends Omit<EngineOptions, 'call'> {
  readonly tools: readonly string[]
  readonly stopwatch: Stopwatch
  callTool(name: string, args: readonly Handle[]): Handle
  print(args: readonly Handle[]): void
}

/** Bytes, as JSON, of what describes an exception. */
const describedBytes = 64_000
const NativeId = { isPromise: 1, print: 2, firstTool: 3 } as const
const consoleMethods = ['log', 'info', 'warn', 'error', 'debug'] as const

/** The engine with our globals in it: `tools`, `print`, `console`, `ToolError`. Values go in and come out as JSON. */
export interface Guest {
  readonly engine: Engine
  toHandle(value: Json): Handle
  /**
   * The value as JSON, or an error of the guest that names the path of what JSON cannot hold. Borrows the value.
   * @param limit bytes as JSON
   * @throws {TooLarge}
   */
  read(value: Handle, path: string, limit: number): Decoded | { readonly error: Handle }
  /** As a console shows it. */
  show(value: Handle, limit: number): string
  describe(thrown: Handle): Thrown
  /** @param site where it comes from, if not from where the guest is now */
  toError(error: GuestError, site?: Handle): Handle
  /** An error that knows where the guest is now. */
  site(): Handle
}

type Five = [Handle, Handle, Handle, Handle, Handle]

export async function createGuest(module: WebAssembly.Module, options: GuestOptions): Promise<Guest> {
  const { tools, stopwatch } = options
  const engine: Engine = await createEngine(module, { ...options, call: callNative })

  function callNative(id: number, args: readonly Handle[]): Handle {
    if (id === NativeId.isPromise) return toHandle(args[0] !== undefined && engine.promiseState(args[0]) !== undefined)
    if (id !== NativeId.print) return options.callTool(tools[id - NativeId.firstTool]!, args)
    options.print(args)
    return engine.newUndefined()
  }

  const toHandle = (value: Json): Handle => engine.read(stopwatch.aside(() => encode(value)))
  const defineOn = (object: Handle, name: string, value: Handle, enumerable: boolean) => {
    const key = toHandle(name)
    engine.define(object, key, value, enumerable)
    engine.free(key)
  }

  const toolsHandle = engine.newRecord()
  for (const [i, name] of tools.entries()) {
    const native = engine.newFunction(name, NativeId.firstTool + i)
    defineOn(toolsHandle, name, native, true)
    engine.free(native)
  }
  const print = engine.newFunction('print', NativeId.print)
  const console = toHandle({})
  for (const method of consoleMethods) defineOn(console, method, print, true)
  const globals = { tools: toolsHandle, print, console }
  const global = engine.global()
  for (const [name, value] of Object.entries(globals)) defineOn(global, name, value, false)
  const isPromise = engine.newFunction('isPromise', NativeId.isPromise)
  const boot = own(engine.evaluate(prelude, 'prelude.js'))
  const ours = own(engine.call(boot, isPromise, toolsHandle))
  const [copy, show, describe, makeError, site] = [0, 1, 2, 3, 4].map((i) => engine.item(ours, i)) as Five

  const readBare = (value: Handle, limit: number): Decoded | undefined => {
    const bytes = engine.write(value)
    if (!bytes) return undefined
    try {
      return stopwatch.aside(() => decode(bytes, limit))
    } catch (error) {
      if (error instanceof NotJson) return undefined
      throw error
    }
  }

  const readWith = (
    reader: Handle,
    value: Handle,
    path: string,
    limit: number,
  ): Decoded | { readonly error: Handle } => {
    const key = toHandle(path)
    const { error, value: copied } = engine.call(reader, value, key)
    engine.free(key)
    if (error !== undefined) return { error }
    const decoded = readBare(copied, limit)
    engine.free(copied)
    return decoded ?? { error: toError({ type: 'TypeError', code: 'failed', message: `${path} is not JSON` }) }
  }

  const toError = (error: GuestError, site?: Handle): Handle => {
    const data = toHandle({ ...error })
    const made = site === undefined ? engine.call(makeError, data) : engine.call(makeError, data, site)
    engine.free(data)
    return made.error ?? made.value
  }

  return {
    engine,
    toHandle,
    toError,
    site() {
      const { error, value } = engine.call(site)
      return error ?? value
    },
    read: (value, path, limit) => readBare(value, limit) ?? readWith(copy, value, path, limit),
    show(value, limit) {
      const bytes = engine.write(value)
      const plain = bytes && !isBare(bytes) ? readBare(value, limit) : undefined
      const shown = plain ?? readWith(show, value, 'value', limit)
      if ('error' in shown) {
        engine.free(shown.error)
        return '[a value that throws when it is looked at]'
      }
      return typeof shown.value === 'string' ? shown.value : JSON.stringify(shown.value)
    },
    describe(thrown) {
      const described = readWith(describe, thrown, 'error', describedBytes)
      if ('error' in described) return { message: 'An exception that throws when it is looked at' }
      return described.value as unknown as Thrown
    },
  }

  function own({ error, value }: Completion): Handle {
    if (error !== undefined) throw new Error('Cannot start the isolate: its prelude throws')
    return value
  }
}
