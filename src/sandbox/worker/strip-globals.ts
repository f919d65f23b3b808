/** What the language has, and what the worker itself needs: its port, a clock, text encoding, wasm. */
const kept = new Set(
  `Object Function Array Number parseFloat parseInt Infinity NaN undefined Boolean String Symbol Date Promise RegExp Error
  AggregateError EvalError RangeError ReferenceError SyntaxError TypeError URIError SuppressedError globalThis JSON Math Intl
  ArrayBuffer SharedArrayBuffer Atomics Uint8Array Int8Array Uint16Array Int16Array Uint32Array Int32Array Float16Array
  Float32Array Float64Array Uint8ClampedArray BigUint64Array BigInt64Array DataView Map BigInt Set Iterator WeakMap WeakSet
  WeakRef Proxy Reflect FinalizationRegistry DisposableStack AsyncDisposableStack decodeURI decodeURIComponent encodeURI
  encodeURIComponent escape unescape isFinite isNaN WebAssembly self postMessage close setTimeout clearTimeout queueMicrotask
  performance console TextEncoder TextDecoder structuredClone MessagePort MessageChannel MessageEvent Event EventTarget
  addEventListener removeEventListener dispatchEvent onmessage onmessageerror onerror constructor`.split(/\s+/),
)

/**
 * Removes every global of this worker that is not on the list, so that what a later browser adds is gone too. It is the
 * second wall, for an escape from wasm; the first is the policy of the worker's response, because `import()` is syntax.
 * Returns the names that could not be removed.
 */
export function stripGlobals(): string[] {
  const left: string[] = []
  const scope: object = globalThis
  for (let at: object | null = scope; at && at !== Object.prototype; at = Object.getPrototypeOf(at) as object | null) {
    for (const name of Object.getOwnPropertyNames(at)) {
      if (kept.has(name)) continue
      const found = Object.getOwnPropertyDescriptor(at, name)
      if (found?.configurable) Reflect.deleteProperty(at, name)
      else if (found?.writable) Reflect.set(at, name, undefined)
      if (Reflect.get(scope, name) !== undefined) left.push(name)
    }
  }
  // A bundle that is no module says `self.location.href` for `import.meta.url`, which the engine's loader reads each time.
  Reflect.defineProperty(scope, 'location', { value: Object.freeze({ href: '' }) })
  return left
}
