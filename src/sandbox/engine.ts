import { createCountdown } from './countdown.js'
import { createInstance } from './instance.js'
import { outOfMemory, Poisoned, toPoisoned } from './poisoned.js'
import type { Emscripten, Functions, Instance } from './instance.js'

/** A value of the guest: the address of its cell in the wasm memory. Whoever gets one frees it, once. */
export type Handle = number & { readonly handle: true }
export type Completion =
  | { readonly value: Handle; readonly error?: undefined }
  | { readonly error: Handle; readonly value?: undefined }
export interface Deferred {
  readonly promise: Handle
  readonly resolve: Handle
  readonly reject: Handle
}

export interface EngineOptions {
  /** Bytes; the least is 16 MB. */
  readonly memory: number
  /** Bytes. */
  readonly stack: number
  /** What the guest's clock shows, in milliseconds since 1970. */
  readonly now: () => number
  /** Seconds east of UTC of its time zone, at a time in seconds since 1970. */
  readonly offsetAt: (seconds: number) => number
  /** The guest called a native function; the arguments are borrowed. Returns a handle, which it gives away. */
  readonly call: (id: number, args: readonly Handle[]) => Handle
  /** Asked every few milliseconds: true ends the guest's code, which cannot catch it. */
  readonly shouldStop: () => boolean
}

/** There is no dispose: the package aborts in it when a promise is pending. Drop the engine, and its memory goes too. */
export async function createEngine(module: WebAssembly.Module, options: EngineOptions): Promise<Engine> {
  return new Engine(await createInstance(module, options.memory, options.now, options.offsetAt), options)
}

const EvalFlag = { strict: 8, compileOnly: 32 } as const

/**
 * The C functions of the build as a guest with values, calls and promises. They are bound directly, because the package's
 * own handles cost 3 to 5 times as much a call, write to address 0 when memory has run out, and swallow what a callback
 * throws. Any exception that is not the guest's poisons: unwinding wasm leaves its stack and locks as they were.
 */
export class Engine {
  readonly #functions: Functions
  readonly #emscripten: Emscripten
  readonly #instance: Instance
  readonly #context: number
  readonly #undefined: number
  /** Room for the addresses of two arguments or resolvers. */
  readonly #pair: number
  #poison?: Poisoned

  constructor(instance: Instance, options: EngineOptions) {
    const { functions, emscripten, context, runtime } = instance
    this.#instance = instance
    this.#functions = functions
    this.#emscripten = emscripten
    this.#context = context
    this.#undefined = functions.QTS_GetUndefined()
    this.#pair = emscripten._malloc(8)
    const askSooner = createCountdown(instance)
    emscripten.callbacks = {
      callFunction: (_asyncify, _context, _self, count, args, id) => {
        this.#check()
        // An interrupt that falls into a call of ours comes back as an error that the guest could catch for ever.
        if (options.shouldStop()) throw new Poisoned('stopped', 'A limit ended the script')
        const values: Handle[] = []
        for (let i = 0; i < count; i++) values.push(functions.QTS_ArgvGetJSValueConstPointer(args, i) as Handle)
        return options.call(id, values)
      },
      shouldInterrupt: () => {
        askSooner()
        return options.shouldStop() ? 1 : 0
      },
      freeHostRef: () => undefined,
      loadModuleSource: () => 0,
      normalizeModule: () => 0,
    }
    functions.QTS_RuntimeSetMaxStackSize(runtime, options.stack)
    functions.QTS_RuntimeEnableInterruptHandler(runtime)
  }

  /** Of the guest's whole memory. */
  get memoryBytes(): number {
    return this.#emscripten.HEAPU8.length
  }

  evaluate(code: string, fileName: string, onlyCompile = false): Completion {
    return this.#enter(() => {
      const bytes = this.#emscripten.lengthBytesUTF8(code)
      const address = this.#allocate(bytes + 1)
      this.#emscripten.stringToUTF8(code, address, bytes + 1)
      const flags = EvalFlag.strict | (onlyCompile ? EvalFlag.compileOnly : 0)
      const result = this.#functions.QTS_Eval(this.#context, address, bytes, fileName, 0, flags)
      this.#emscripten._free(address)
      return this.#complete(result)
    })
  }

  call(callee: Handle, ...args: readonly [] | readonly [Handle] | readonly [Handle, Handle]): Completion {
    return this.#enter(() => {
      new Int32Array(this.#emscripten.HEAPU8.buffer, this.#pair, 2).set(args)
      const result = this.#functions.QTS_Call(this.#context, callee, this.#undefined, args.length, this.#pair)
      return this.#complete(result)
    })
  }

  /** Runs queued jobs, at most so many. Returns whether more are queued. */
  runJobs(most: number): boolean {
    return this.#enter(() => {
      const { runtime } = this.#instance
      this.free(this.#own(this.#functions.QTS_ExecutePendingJob(runtime, most, this.#pair)))
      return this.#functions.QTS_IsJobPending(runtime) !== 0
    })
  }

  newFunction(name: string, id: number): Handle {
    return this.#enter(() => this.#own(this.#functions.QTS_NewFunction(this.#context, name, 0, false, id)))
  }

  newUndefined(): Handle {
    return this.#enter(() => this.#own(this.#functions.QTS_DupValuePointer(this.#context, this.#undefined)))
  }

  /** A second handle of the value. */
  duplicate(value: Handle): Handle {
    return this.#enter(() => this.#own(this.#functions.QTS_DupValuePointer(this.#context, value)))
  }

  /** An object without a prototype. */
  newRecord(): Handle {
    return this.#enter(() => {
      const none = this.#functions.QTS_GetNull()
      return this.#own(this.#functions.QTS_NewObjectProto(this.#context, none))
    })
  }

  /** Defines an own property that can be neither written nor removed. */
  define(object: Handle, name: Handle, value: Handle, enumerable: boolean): void {
    this.#enter(() => {
      const none = this.#undefined
      this.#functions.QTS_DefineProp(this.#context, object, name, value, none, none, false, enumerable, true)
    })
  }

  global(): Handle {
    return this.#enter(() => this.#own(this.#functions.QTS_GetGlobalObject(this.#context)))
  }

  newPromise(): Deferred {
    return this.#enter(() => {
      const promise = this.#own(this.#functions.QTS_NewPromiseCapability(this.#context, this.#pair))
      const [resolve = 0, reject = 0] = new Int32Array(this.#emscripten.HEAPU8.buffer, this.#pair, 2)
      return { promise, resolve: this.#own(resolve), reject: this.#own(reject) }
    })
  }

  /** How a promise stands; none for what is not a promise. Calls nothing of the guest. */
  promiseState(value: Handle): 'pending' | 'fulfilled' | 'rejected' | undefined {
    const states = ['pending', 'fulfilled', 'rejected'] as const
    return this.#enter(() => states[this.#functions.QTS_PromiseState(this.#context, value)])
  }

  item(array: Handle, index: number): Handle {
    return this.#enter(() => this.#own(this.#functions.QTS_GetPropNumber(this.#context, array, index)))
  }

  promiseResult(promise: Handle): Handle {
    return this.#enter(() => this.#own(this.#functions.QTS_PromiseResult(this.#context, promise)))
  }

  /** Throws in the guest, when returned from a native function. Frees the error. */
  throw(error: Handle): Handle {
    return this.#enter(() => {
      const thrown = this.#own(this.#functions.QTS_Throw(this.#context, error))
      this.free(error)
      return thrown
    })
  }

  /** Makes the value that is written in the engine's object format. */
  read(bytes: Uint8Array): Handle {
    return this.#enter(() => {
      const address = this.#allocate(bytes.length)
      this.#emscripten.HEAPU8.set(bytes, address)
      const buffer = this.#own(this.#functions.QTS_NewArrayBuffer(this.#context, address, bytes.length))
      const completion = this.#complete(this.#functions.QTS_bjson_decode(this.#context, buffer))
      this.free(buffer)
      // What was written for it is whole: it had no room on the guest's stack to read it.
      if (completion.error !== undefined) throw new Poisoned('stack', 'The engine has no stack left to read a value')
      return completion.value
    })
  }

  /** Writes a value in the engine's object format; none when the format has nothing for it. Borrows the value. */
  write(value: Handle): Uint8Array<ArrayBuffer> | undefined {
    return this.#enter(() => {
      const { error, value: buffer } = this.#complete(this.#functions.QTS_bjson_encode(this.#context, value))
      if (error !== undefined) {
        this.free(error)
        return undefined
      }
      const length = this.#functions.QTS_GetArrayBufferLength(this.#context, buffer)
      const address = this.#functions.QTS_GetArrayBuffer(this.#context, buffer)
      if (address === 0) throw outOfMemory()
      const bytes = this.#emscripten.HEAPU8.slice(address, address + length)
      this.#emscripten._free(address)
      this.free(buffer)
      return bytes
    })
  }

  free(...values: readonly Handle[]): void {
    this.#enter(() => {
      for (const value of values) this.#functions.QTS_FreeValuePointer(this.#context, value)
    })
  }

  #enter<T>(run: () => T): T {
    this.#check()
    try {
      const result = run()
      this.#check()
      return result
    } catch (error) {
      throw (this.#poison ??= toPoisoned(error))
    }
  }

  #check(): void {
    if (this.#poison) throw this.#poison
  }

  #allocate(bytes: number): number {
    const address = this.#emscripten._malloc(bytes)
    if (address === 0) throw outOfMemory()
    return address
  }

  /** The build hands out address 0 when it has no memory for a value's cell. */
  #own(value: number): Handle {
    if (value === 0) throw outOfMemory()
    return value as Handle
  }

  #complete(result: number): Completion {
    const value = this.#own(result)
    const error = this.#functions.QTS_ResolveException(this.#context, value)
    if (error === 0) return { value }
    this.#functions.QTS_FreeValuePointer(this.#context, value)
    return { error: error as Handle }
  }
}
