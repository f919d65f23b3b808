import { bundle } from '../../scripts/script-bundle.mjs'
import { startThread } from '../../scripts/script-thread.mjs'
import { toWorker } from '../../scripts/script-worker.js'
import { createRemoteSandbox, type RemoteSandboxOptions } from '../../src/sandbox/worker/remote.js'
import { wasmModule } from './wasm-module.js'

/** The sandbox as the agent worker has it, with threads of Node for workers, and the threads that it started. */
export async function createNodeSandbox(options: Partial<RemoteSandboxOptions> = {}) {
  const code = await bundle('scripts/script-sandbox.ts', 'browser')
  const threads: Worker[] = []
  const spawn = () => {
    const worker = toWorker(startThread(code))
    threads.push(worker)
    return worker
  }
  return { sandbox: createRemoteSandbox({ spawn, module: async () => wasmModule, ...options }), threads }
}
