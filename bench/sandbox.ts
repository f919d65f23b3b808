import { compileEngine } from '../src/sandbox/worker/compile.js'
import { createRemoteSandbox } from '../src/sandbox/worker/remote.js'
import { compare, timeOf, type Comparison, type Outcome } from './compare.js'
import { between, runOnce, scriptModel, startAgent } from './agent.js'
import { openEcho, spawnBenchWorker } from './bench-worker.js'
import { optionsOf, valueOf } from './sandbox/handrail.js'
import type { SandboxBenchAnswer, SandboxBenchRequest } from './sandbox-agent.worker.js'

/** The scripts' engine and its workers, from the inside to the outside. */
export async function measure(): Promise<Outcome[]> {
  return [
    ...(await inWorker('engines')).comparisons,
    ...(await inWorker('threads')).comparisons,
    ...(await throughTheRuntime()),
    await coldStart(),
    ...(await growth()),
  ]
}

interface BenchWorker {
  ask(request: SandboxBenchRequest): Promise<{ readonly done: number; readonly comparisons: Outcome[] }>
  close(): void
}

function openBenchWorker(): BenchWorker {
  const worker = new Worker(new URL('./sandbox-agent.worker.ts', import.meta.url), { type: 'module' })
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        const comparisons: Outcome[] = []
        worker.onerror = ({ message }) => reject(new Error(message))
        worker.onmessage = ({ data }: MessageEvent<SandboxBenchAnswer>) => {
          if ('comparison' in data) comparisons.push(data.comparison)
          else if ('error' in data) reject(new Error(data.error))
          else resolve({ done: data.done, comparisons })
        }
        worker.postMessage(request)
      }),
    close: () => worker.terminate(),
  }
}

async function inWorker(request: SandboxBenchRequest) {
  const worker = openBenchWorker()
  const answer = await worker.ask(request)
  worker.close()
  return answer
}

const calls = 1_000
const inTurn = `for (let i = 0; i < ${calls}; i++) await tools.get_order({ order_id: 'O-' + i })`
const atOnce = `await Promise.all(Array.from({ length: ${calls} }, (_, i) => tools.get_order({ order_id: 'O-' + i })))`

/** From the script to the tool on the page and back, through the gate and the log. */
async function throughTheRuntime(): Promise<Comparison[]> {
  const comparisons: Comparison[] = []
  for (const [how, code, under] of [
    ['one after the other', inTurn, 0.06],
    [`${calls} at once, as many open as by default`, atOnce, 0.02],
  ] as const) {
    const worker = spawnBenchWorker()
    const agent = startAgent({ model: scriptModel(code), store: 'memory', worker })
    await agent.ready
    const echo = openEcho(worker)
    const isTurn = ({ type }: { readonly type: string }) => type === 'script-turn'
    comparisons.push(
      await compare({
        what: `A tool call through the whole runtime, store memory, ${how}`,
        unit: 'call',
        rounds: 3,
        subject: {
          what: 'a page tool, from the first turn to the last',
          run: async () => between(await runOnce(agent), isTurn, isTurn) / calls,
        },
        baseline: {
          what: 'a bare postMessage from the page to the agent worker and back',
          run: async () => {
            const milliseconds = await timeOf(async () => {
              for (let i = 0; i < calls; i++) await echo({ toolName: 'get_order', input: { order_id: 'O-1' } })
            })
            return milliseconds / calls
          },
        },
        aim: { of: 'subject', under },
      }),
    )
    agent.close()
  }
  return comparisons
}

const coldStart = (): Promise<Comparison> =>
  compare({
    what: 'Cold start: from new Worker to the first result, wasm fetched',
    unit: 'start',
    rounds: 9,
    subject: {
      what: 'handrail: a remote sandbox',
      run: async () => {
        const workers: Worker[] = []
        const spawn = () => {
          const worker = new Worker(new URL('../workers/sandbox.worker.ts', import.meta.url), { type: 'module' })
          workers.push(worker)
          return worker
        }
        const module = () => compileEngine(new URL('../workers/quickjs.wasm', import.meta.url))
        const milliseconds = await timeOf(async () => {
          const script = createRemoteSandbox({ spawn, module, maxWorkers: 1 }).start(optionsOf('return 1', []))
          valueOf((await script.start(Date.now())).outcome)
        })
        for (const worker of workers) worker.terminate()
        return milliseconds
      },
    },
    baseline: {
      what: 'quickjs-emscripten as in its README, in a worker',
      run: async () => {
        let worker: Worker | undefined
        const milliseconds = await timeOf(
          () =>
            new Promise((resolve) => {
              worker = new Worker(new URL('./readme.worker.ts', import.meta.url), { type: 'module' })
              worker.onmessage = resolve
            }),
        )
        worker?.terminate()
        return milliseconds
      },
    },
    aim: { of: 'ratio', under: 1 },
  })

/** Bytes of memory that the browser holds, all its processes together; none where this cannot be told. */
declare const residentBytes: () => Promise<number | undefined>

async function growth(): Promise<Outcome[]> {
  const what = '1,000 scripts of 10 calls and 20,000 objects, one after the other'
  const worker = openBenchWorker()
  await worker.ask({ scripts: 200 })
  const before = await residentBytes()
  const { done: first } = await worker.ask({ scripts: 100 })
  await worker.ask({ scripts: 600 })
  const { done: last } = await worker.ask({ scripts: 100 })
  const after = await residentBytes()
  worker.close()
  const time = await compare({
    what: `${what}: time`,
    unit: 'script',
    rounds: 1,
    subject: { what: 'the last hundred', run: () => last },
    baseline: { what: 'the third hundred', run: () => first },
    aim: { of: 'ratio', under: 1.1 },
  })
  if (before === undefined || after === undefined)
    return [time, { what: `${what}: memory`, why: 'The memory of a browser is only read on Linux' }]
  const bytes = await compare({
    what: `${what}: memory of the browser`,
    quantity: 'bytes',
    unit: 'browser',
    rounds: 1,
    subject: { what: 'after the last one', run: () => after },
    baseline: { what: 'after 200', run: () => before },
    aim: { of: 'ratio', under: 1.1 },
  })
  return [time, bytes]
}
