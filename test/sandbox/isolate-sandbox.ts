import { engineName, versionOf } from '../../src/sandbox/engine-name.js'
import { createIsolate } from '../../src/sandbox/isolate/quickjs.js'
import type { Sandbox } from '../../src/sandbox/script.js'
import { wasmModule } from './wasm-module.js'

/** The real engine in this thread: what the sandbox worker does, without worker and watchdog. */
export function createIsolateSandbox(): Sandbox {
  return {
    engine: engineName,
    runs: (engine) => versionOf(engine) !== undefined,
    start(options) {
      const isolate = createIsolate(wasmModule, options)
      return {
        start: async (at) => (await isolate).start(at),
        replay: async (at, results) => (await isolate).replay(at, results),
        resume: async (fed) => (await isolate).resume(fed),
        end: () => undefined,
      }
    },
  }
}
