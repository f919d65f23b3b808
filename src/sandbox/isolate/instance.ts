import emscriptenLoader from '@jitl/quickjs-wasmfile-release-sync/emscripten-module'
import { QuickJSFFI } from '@jitl/quickjs-wasmfile-release-sync/ffi'
import { engineName } from '../engine-name.js'
import { outOfMemory } from './poisoned.js'

/** What this build starts with, 5 MB of it being its stack. */
const initialPages = 256
const pageBytes = 65_536

/** What the clock shows while an instance is made. A new context keeps it, in microseconds, as the seed of its random numbers. */
const bootTime = 1_234_567_890_123
const bootSeed = BigInt(bootTime) * 1000n
/** Bytes of the engine's context that are searched for the seed. */
const contextBytes = 400

/** In words: the one field of C's `struct tm` that the engine reads of a local time. */
const offsetField = 9

/** What the build imports from its host, by the names that its minifier gave. */
const Import = { now: 'p', localTime: 'm', timeZone: 'n', resize: 'k' } as const

/** The C functions that are used. Every number but a length, count, flag or state is an address in the wasm memory. */
export interface Functions {
  QTS_NewRuntime(): number
  QTS_RuntimeSetMaxStackSize(runtime: number, bytes: number): void
  QTS_RuntimeEnableInterruptHandler(runtime: number): void
  QTS_NewContext(runtime: number, intrinsics: number): number
  QTS_GetUndefined(): number
  QTS_GetGlobalObject(context: number): number
  QTS_NewObjectProto(context: number, prototype: number): number
  QTS_GetNull(): number
  QTS_DefineProp(
    context: number,
    object: number,
    name: number,
    value: number,
    getter: number,
    setter: number,
    configurable: boolean,
    enumerable: boolean,
    hasValue: boolean,
  ): void
  QTS_NewFunction(context: number, name: string, length: number, isConstructor: boolean, id: number): number
  QTS_ArgvGetJSValueConstPointer(args: number, index: number): number
  QTS_Call(context: number, callee: number, self: number, count: number, args: number): number
  QTS_Throw(context: number, error: number): number
  QTS_ResolveException(context: number, value: number): number
  QTS_Eval(context: number, code: number, bytes: number, fileName: string, detectModule: number, flags: number): number
  QTS_NewPromiseCapability(context: number, resolvers: number): number
  QTS_PromiseState(context: number, value: number): number
  QTS_PromiseResult(context: number, promise: number): number
  QTS_ExecutePendingJob(runtime: number, most: number, context: number): number
  QTS_IsJobPending(runtime: number): number
  QTS_GetProp(context: number, object: number, name: number): number
  QTS_GetPropNumber(context: number, array: number, index: number): number
  QTS_NewArrayBuffer(context: number, bytes: number, length: number): number
  QTS_GetArrayBuffer(context: number, buffer: number): number
  QTS_GetArrayBufferLength(context: number, buffer: number): number
  QTS_bjson_encode(context: number, value: number): number
  QTS_bjson_decode(context: number, buffer: number): number
  QTS_DupValuePointer(context: number, value: number): number
  QTS_FreeValuePointer(context: number, value: number): void
}

/** What the loader of the build gives and asks for. */
export interface Emscripten {
  HEAPU8: Uint8Array<ArrayBuffer>
  _malloc(bytes: number): number
  _free(address: number): void
  lengthBytesUTF8(text: string): number
  stringToUTF8(text: string, address: number, bytes: number): void
  callbacks: Callbacks
}
export interface Callbacks {
  callFunction(asyncify: undefined, context: number, self: number, count: number, args: number, id: number): number
  shouldInterrupt(): 0 | 1
  freeHostRef(): void
  loadModuleSource(): number
  normalizeModule(): number
}

export interface Instance {
  readonly functions: Functions
  readonly emscripten: Emscripten
  readonly runtime: number
  readonly context: number
  /** Shows the guest another clock, which also seeds its random numbers. Once, before any code of a script. */
  setClock(clock: Clock): void
}

export interface Clock {
  /** What the guest's clock shows, in milliseconds since 1970. */
  readonly now: () => number
  /** Seconds east of UTC of the guest's time zone, at a time in seconds since 1970. */
  readonly offsetAt: (seconds: number) => number
}

/**
 * An instance of the engine with a memory of its own.
 * @param maximum bytes of memory; the least is 16 MB
 * @throws {Error} when loader and module are not the build that this file was written for
 */
export async function createInstance(module: WebAssembly.Module, maximum: number): Promise<Instance> {
  const pages = Math.max(initialPages, Math.ceil(maximum / pageBytes))
  const memory = new WebAssembly.Memory({ initial: initialPages, maximum: pages })
  const grow = memory.grow.bind(memory)
  // The loader asks for a fifth more than is needed, and would not get the last part of what there may be.
  memory.grow = (delta) => grow(Math.min(delta, pages - memory.buffer.byteLength / pageBytes))
  let clock: Clock = { now: () => bootTime, offsetAt: () => 0 }

  const adapt = (imports: WebAssembly.ModuleImports) => {
    const resize = imports[Import.resize] as (bytes: number) => boolean
    imports[Import.resize] = (bytes: number) => {
      // Some loops of the engine look at a failed allocation only at their end, and the guest may catch it: unwind.
      if (bytes >>> 0 > pages * pageBytes) throw outOfMemory()
      return resize(bytes)
    }
    imports[Import.now] = () => clock.now()
    imports[Import.timeZone] = () => undefined
    imports[Import.localTime] = (seconds: bigint, address: number) => {
      new Int32Array(memory.buffer, address, offsetField + 1)[offsetField] = clock.offsetAt(Number(seconds))
    }
  }

  const emscripten = await load({
    wasmMemory: memory,
    instantiateWasm(imports, onSuccess) {
      adapt(Object.values(imports)[0]!)
      const instance = new WebAssembly.Instance(module, imports)
      onSuccess(instance)
      return instance.exports
    },
    print: () => undefined,
    printErr: () => undefined,
  })
  const functions = new Ffi(emscripten)
  const runtime = functions.QTS_NewRuntime()
  const context = functions.QTS_NewContext(runtime, 0)
  const seeds = new BigInt64Array(memory.buffer.slice(context, context + contextBytes))
  const at = seeds.indexOf(bootSeed)
  if (at < 0 || at !== seeds.lastIndexOf(bootSeed))
    throw new Error(`Cannot start the engine: the build is not ${engineName}`)
  return {
    functions,
    emscripten,
    runtime,
    context,
    setClock(given) {
      clock = given
      // As a new context would: zero is no seed.
      new BigInt64Array(memory.buffer, context + at * 8, 1)[0] = BigInt(clock.now()) * 1000n || 1n
    },
  }
}

interface Loading {
  wasmMemory: WebAssembly.Memory
  instantiateWasm(
    imports: WebAssembly.Imports,
    onSuccess: (instance: WebAssembly.Instance) => void,
  ): WebAssembly.Exports
  print(): void
  printErr(): void
}
interface Loader {
  readonly Ffi: new (emscripten: Emscripten) => Functions
  readonly load: (options: Loading) => Promise<Emscripten>
}

/** Imported at once: bundlers make a file of what is imported late, and the policy of a sandbox worker allows no second file. */
const { Ffi, load } = { Ffi: QuickJSFFI, load: emscriptenLoader } as unknown as Loader
