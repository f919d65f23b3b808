import { Worker } from 'node:worker_threads'

/** Megabytes of JavaScript in a thread: one that has no more dies alone. */
const heap = 1024

/**
 * @param {string} code an ECMAScript module in one file
 * @param {unknown} [workerData]
 */
export const startThread = (code, workerData) =>
  new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: heap },
  })
