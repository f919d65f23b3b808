import { parentPort } from 'node:worker_threads'
import { serveSandbox } from '../src/sandbox/worker/serve.js'

/** The sandbox worker as a thread of Node. It holds `parentPort` alone: `process`, `require` and the rest are stripped. */
const port = parentPort!

serveSandbox({
  postMessage: (message) => port.postMessage(message),
  addEventListener: (type, listener) => port.on(type, (data) => listener({ data })),
})
