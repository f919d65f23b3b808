import type { Worker as Thread } from 'node:worker_threads'

type Listener = (event: { data?: unknown; message?: string }) => void

/** A thread of Node as the worker of a browser, as far as a sandbox uses one. */
export function toWorker(thread: Thread): Worker {
  thread.unref()
  const worker = {
    postMessage: (message: unknown) => thread.postMessage(message),
    terminate: () => void thread.terminate(),
    addEventListener(type: 'message' | 'messageerror' | 'error', listener: Listener) {
      if (type !== 'error') {
        thread.on(type, (data) => listener({ data }))
        return
      }
      thread.on('error', (error) => listener({ message: error.message }))
      thread.on('exit', (code) => listener({ message: `its thread ended with code ${code}` }))
    },
  }
  return worker as unknown as Worker
}
