import type { RunEvent } from '../src/core/events.js'

/** What the benchmarks ask of the worker, beside what the agent asks. Answers come on the port that is sent along. */
export type BenchRequest =
  | { readonly bench: 'echo' }
  | { readonly bench: LogWork; readonly events: readonly RunEvent[] }

export type LogWork = 'append' | 'append-log' | 'get-all' | 'open-log'

export const spawnBenchWorker = () =>
  new Worker(new URL('./bench-agent.worker.ts', import.meta.url), { type: 'module', name: 'bench-agent' })

/** Milliseconds of an append, or of the whole log, as the worker measured it. */
export function askForLog(worker: Worker, bench: LogWork, events: readonly RunEvent[]) {
  const { port1, port2 } = new MessageChannel()
  worker.postMessage({ bench, events } satisfies BenchRequest, [port2])
  return new Promise<number>((resolve) => {
    port1.onmessage = ({ data }: MessageEvent<number>) => {
      port1.close()
      resolve(data)
    }
  })
}

/** A function that sends a message to the worker, and resolves with the answer: the least that a call to another thread costs. */
export function openEcho(worker: Worker): (message: unknown) => Promise<unknown> {
  const { port1, port2 } = new MessageChannel()
  worker.postMessage({ bench: 'echo' } satisfies BenchRequest, [port2])
  let answer: (value: unknown) => void
  port1.onmessage = ({ data }) => answer(data)
  return (message) =>
    new Promise((resolve) => {
      answer = resolve
      port1.postMessage(message)
    })
}
