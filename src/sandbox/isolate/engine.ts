import { createCallbacks, type Host } from './callbacks.js'
import { createCountdown } from './countdown.js'
import { GuestMemory, type Handle } from './guest-memory.js'
import { outOfMemory, Poisoned, toPoisoned } from './poisoned.js'
import type { Clock, Functions, Instance } from './instance.js'

export type { Handle } from './guest-memory.js'

export type Completion =
  | { readonly value: Handle; readonly error?: undefined }
  | { readonly error: Handle; readonly value?: undefined }
export interface Deferred {
  readonly promise: Handle
  readonly resolve: Handle
  readonly reject: Handle
}

export interface EngineOptions extends Clock, Host {
  /** Bytes. */
  readonly stack: number
}

const EvalFlag = { strict: 8, compileOnly: 32 } as const

/**
 * The C functions of the build as a guest with values, calls and promises. They are bound directly, because the package's
 * own handles cost 3 to 5 times as much a call, write to address 0 when memory has run out, and swallow what a callback
 * throws. Any exception that is not the guest's poisons: unwinding wasm leaves its stack and locks as they were.
 * There is no dispose: the package aborts in it when a promise is pending. Drop the engine, and its memory goes too.
 */
export class Engine {
  readonly #instance: Instance
  readonly #functions: Functions
  readonly #memory: GuestMemory
  readonly #runtime: number
  readonly #context: number
  readonly #undefined: number
  /** Room for the addresses of two arguments or resolvers. */
  readonly #pair: number
  #poison?: Poisoned

  constructor(instance: Instance) {
    const { functions, context, runtime } = instance
    this.#instance = instance
    this.#functions = functions
    this.#memory = new GuestMemory(instance)
    this.#runtime = runtime
    this.#context = context
    this.#undefined = functions.QTS_GetUndefined()
    this.#pair = this.#memory.allocate(8)
  }

  /** Gives it to a script, for good. */
  begin(options: EngineOptions): void {
    const instance = this.#instance
    const askSooner = createCountdown(instance)
    instance.emscripten.callbacks = createCallbacks(this.#functions, options, () => this.#check(), askSooner)
    instance.setClock(options)
    this.#functions.QTS_RuntimeSetMaxStackSize(this.#runtime, options.stack)
    this.#functions.QTS_RuntimeEnableInterruptHandler(this.#runtime)
  }

  /** Of the guest's whole memory. */
  get memoryBytes(): number {
    return this.#memory.bytes.length
  }

  evaluate(code: string, fileName: string, onlyCompile = false): Completion {
    return this.#enter(() => {
      const { address, length } = this.#memory.place(code)
      const flags = EvalFlag.strict | (onlyCompile ? EvalFlag.compileOnly : 0)
      const result = this.#functions.QTS_Eval(this.#context, address, length, fileName, 0, flags)
      this.#memory.free(address)
      return this.#complete(result)
    })
  }

  call(callee: Handle, first?: Handle, second?: Handle): Completion {
    this.#check()
    try {
      if (first !== undefined) this.#memory.setWord(this.#pair, first)
      if (second !== undefined) this.#memory.setWord(this.#pair + 4, second)
      const count = second !== undefined ? 2 : first !== undefined ? 1 : 0
      const result = this.#functions.QTS_Call(this.#context, callee, this.#undefined, count, this.#pair)
      this.#check()
      return this.#complete(result)
    } catch (error) {
      throw this.#poisonedBy(error)
    }
  }

  /** Runs queued jobs, at most so many. Returns whether more are queued. */
  runJobs(most: number): boolean {
    return this.#enter(() => {
      this.free(this.#own(this.#functions.QTS_ExecutePendingJob(this.#runtime, most, this.#pair)))
      return this.#functions.QTS_IsJobPending(this.#runtime) !== 0
    })
  }

  newFunction(name: string, id: number): Handle {
    return this.#enter(() => this.#own(this.#functions.QTS_NewFunction(this.#context, name, 0, false, id)))
  }

  newUndefined(): Handle {
    return this.#enter(() => this.#own(this.#functions.QTS_DupValuePointer(this.#context, this.#undefined)))
  }

  /** An object without a prototype. */
  newRecord(): Handle {
    return this.#enter(() =>
      this.#own(this.#functions.QTS_NewObjectProto(this.#context, this.#functions.QTS_GetNull())),
    )
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
      const [resolve, reject] = [this.#memory.wordAt(this.#pair), this.#memory.wordAt(this.#pair + 4)]
      return { promise, resolve: this.#own(resolve), reject: this.#own(reject) }
    })
  }

  /** How a promise stands; none for what is not a promise. Calls nothing of the guest. */
  promiseState(value: Handle): 'pending' | 'fulfilled' | 'rejected' | undefined {
    return this.#enter(
      () => (['pending', 'fulfilled', 'rejected'] as const)[this.#functions.QTS_PromiseState(this.#context, value)],
    )
  }

  item(array: Handle, index: number): Handle {
    return this.#enter(() => this.#own(this.#functions.QTS_GetPropNumber(this.#context, array, index)))
  }

  property(object: Handle, name: Handle): Handle {
    return this.#enter(() => this.#own(this.#functions.QTS_GetProp(this.#context, object, name)))
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
      const buffer = this.#memory.toBuffer(bytes)
      const completion = this.#complete(this.#functions.QTS_bjson_decode(this.#context, buffer))
      this.#memory.freeBuffer(buffer)
      // What was written for it is whole: it had no room on the guest's stack to read it.
      if (completion.error !== undefined) throw new Poisoned('stack', 'The engine has no stack left to read a value')
      return completion.value
    })
  }

  /** Writes a value in the engine's object format; none when the format has nothing for it. Borrows the value. */
  write(value: Handle): Uint8Array<ArrayBuffer> | undefined {
    return this.lend(value, (memory, from, to) => memory.slice(from, to))
  }

  /** The same without a copy: whoever gets the bytes lets go of them before anything of the guest is used. */
  lend<T>(value: Handle, use: (memory: Uint8Array<ArrayBuffer>, from: number, to: number) => T): T | undefined {
    const written = this.#written(value)
    if (!written) return undefined
    try {
      return use(this.#memory.bytes, written.address, written.address + written.length)
    } finally {
      this.#memory.free(written.address)
    }
  }

  #written(value: Handle): { readonly address: number; readonly length: number } | undefined {
    return this.#enter(() => {
      const { error, value: buffer } = this.#complete(this.#functions.QTS_bjson_encode(this.#context, value))
      if (error !== undefined) {
        this.free(error)
        return undefined
      }
      const copy = this.#memory.copyOf(buffer)
      this.free(buffer)
      return copy
    })
  }

  free(...values: readonly Handle[]): void {
    this.#check()
    try {
      for (const value of values) this.#functions.QTS_FreeValuePointer(this.#context, value)
    } catch (error) {
      throw this.#poisonedBy(error)
    }
  }

  #enter<T>(run: () => T): T {
    this.#check()
    try {
      const result = run()
      this.#check()
      return result
    } catch (error) {
      throw this.#poisonedBy(error)
    }
  }

  #poisonedBy(error: unknown): Poisoned {
    return (this.#poison ??= toPoisoned(error))
  }

  #check(): void {
    if (this.#poison) throw this.#poison
  }

  /** The build gives 0 when it has no memory for a value's cell. */
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
