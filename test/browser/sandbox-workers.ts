import wasmUrl from '@jitl/quickjs-wasmfile-release-sync/wasm?url'
import { compileEngine } from '../../src/sandbox/worker/compile.js'
import { createRemoteSandbox } from '../../src/sandbox/worker/remote.js'
import type { RemoteSandboxOptions } from '../../src/sandbox/worker/remote.js'

export const spawnSandboxWorker = (): Worker =>
  new Worker(new URL('../../workers/sandbox.worker.ts', import.meta.url), { type: 'module' })

let compiled: Promise<WebAssembly.Module> | undefined
export const engineModule = (): Promise<WebAssembly.Module> => (compiled ??= compileEngine(wasmUrl))

/** The sandbox as the agent worker has it, and the workers that it spawned. */
export function createBrowserSandbox(options: Partial<RemoteSandboxOptions> = {}) {
  const workers: Worker[] = []
  const spawn = () => {
    const worker = (options.spawn ?? spawnSandboxWorker)()
    workers.push(worker)
    return worker
  }
  return { sandbox: createRemoteSandbox({ module: engineModule, ...options, spawn }), workers }
}
