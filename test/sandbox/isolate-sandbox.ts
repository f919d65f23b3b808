import { engineName } from '../../src/sandbox/engine-name.js'
import { createIsolate } from '../../src/sandbox/quickjs.js'
import type { Sandbox } from '../../src/sandbox/script.js'
import { wasmModule } from './wasm-module.js'

/** The real engine in this thread: what the sandbox worker does, without worker and watchdog. */
export function createIsolateSandbox(): Sandbox {
  return {
    engine: engineName,
    start(options) {
      const isolate = createIsolate(wasmModule, options)
      return {
        start: async (at, replayed) => (await isolate).start(at, replayed),
        resume: async (n, at, result, replayed) => (await isolate).resume(n, at, result, replayed),
        end: () => undefined,
      }
    },
  }
}
