import type { JsonObject } from '../../src/core/json.js'
import { compileEngine } from '../../src/sandbox/worker/compile.js'
import { createRemoteSandbox, type RemoteSandbox } from '../../src/sandbox/worker/remote.js'
import type { FedResult, Script as SandboxScript, ScriptTurn } from '../../src/sandbox/script.js'
import { compare, timeOf, type Comparison, type Way } from '../compare.js'
import { bodyOf, timeOfRun, type Contender, type Script, type Tools } from './contender.js'
import { drive, driveAtOnce, handrailIn, handrailOver, optionsOf, valueOf } from './handrail.js'
import { native } from './native.js'
import { atOnce, calls, inTurn, orderTools, trivial } from './scripts.js'

const rounds = 7
const compile = () => compileEngine(new URL('../../workers/quickjs.wasm', import.meta.url))
const spawn = () => new Worker(new URL('../../workers/sandbox.worker.ts', import.meta.url), { type: 'module' })
const spawnEcho = () => new Worker(new URL('../echo.worker.ts', import.meta.url), { type: 'module' })

/** In the place of the agent worker, with the sandbox workers that it has. */
export async function* measureThreads(): AsyncGenerator<Comparison> {
  const module = await compile()
  const sandbox = createRemoteSandbox({ spawn, module: async () => module })
  await warmUp(sandbox)
  const echo = spawnEcho()
  yield* toolCalls(sandbox, echo)
  yield await deadlock(sandbox, echo)
  yield await hung(sandbox, echo)
  yield* memory(sandbox)
  yield* resuming(sandbox)
  yield* sideBySide(module)
  echo.terminate()
}

async function* toolCalls(sandbox: RemoteSandbox, echo: Worker): AsyncGenerator<Comparison> {
  const way = (driver: typeof drive, script: Script): Way => {
    const contender = handrailOver(sandbox, driver)
    return { what: contender.name, run: async () => (await timeOfRun(contender, script, orderTools)) / calls }
  }
  const plan = { unit: 'call', rounds, baseline: roundTrip(echo, calls) }
  yield await compare({
    ...plan,
    what: 'A tool call across threads, one after the other',
    subject: way(drive, inTurn),
    aim: { of: 'subject', under: 0.06 },
  })
  yield await compare({
    ...plan,
    what: `A tool call across threads, ${calls} at once, each result fed when the turn before is over`,
    subject: way(drive, atOnce),
  })
  yield await compare({
    ...plan,
    what: `A tool call across threads, ${calls} at once, results fed at once`,
    subject: way(driveAtOnce, atOnce),
    aim: { of: 'subject', under: 0.02 },
  })
}

const roundTrip = (echo: Worker, times: number): Way => ({
  what: 'a bare postMessage to a worker and back, one after the other',
  run: async () => {
    const milliseconds = await timeOf(async () => {
      for (let i = 0; i < times; i++) await ask(echo, { n: i, toolName: 'get_order', input: { order_id: 'O-1' } })
    })
    return milliseconds / times
  },
})

const ask = (worker: Worker, message: unknown): Promise<unknown> =>
  new Promise((resolve) => {
    worker.onmessage = resolve
    worker.postMessage(message)
  })

const bareWorker: Way = {
  what: 'a module worker that is spawned and answers one message',
  run: () =>
    timeOf(async () => {
      const worker = spawnEcho()
      await ask(worker, 'hello')
      worker.terminate()
    }),
}

const deadlock = (sandbox: RemoteSandbox, echo: Worker): Promise<Comparison> =>
  compare({
    what: 'A deadlock, from the start of the script to its report',
    unit: 'script',
    rounds,
    subject: {
      what: 'handrail, in a sandbox worker',
      run: () => timeOf(() => runOnce(sandbox, 'await new Promise(() => {})')),
    },
    baseline: roundTrip(echo, 100),
    aim: { of: 'subject', under: 5 },
  })

/** A loop of the engine that never asks whether to stop: only the end of the worker ends it. */
const hanging = 'Array.prototype.reverse.call({ length: 2 ** 53 - 1 })'

const hung = (sandbox: RemoteSandbox, echo: Worker): Promise<Comparison> =>
  compare({
    what: 'From the end of a script that hangs to the result of the next one, with a spare worker',
    unit: 'script',
    rounds: 5,
    subject: {
      what: 'handrail, in a sandbox worker',
      run: async () => {
        await warmUp(sandbox)
        const script = sandbox.start(optionsOf(hanging, []))
        const ended = script.start(Date.now())
        await pause(50)
        const milliseconds = await timeOf(async () => {
          script.end()
          await runOnce(sandbox, bodyOf(trivial))
        })
        await ended
        return milliseconds
      },
    },
    baseline: {
      what: 'from the end of a bare worker that hangs to the answer of another one',
      run: async () => {
        const hanging = new Worker(new URL('../hang.worker.ts', import.meta.url), { type: 'module' })
        hanging.postMessage('begin')
        await pause(100)
        return timeOf(() => {
          hanging.terminate()
          return ask(echo, 'hello')
        })
      },
    },
    aim: { of: 'subject', under: 10 },
  })

async function* memory(sandbox: RemoteSandbox): AsyncGenerator<Comparison> {
  const memoryBytes = 64 << 20
  for (const [what, code] of Object.entries(hoarders)) {
    const run = async () => {
      const script = sandbox.start(optionsOf(code, [], { memoryBytes, cpuMs: 20_000 }))
      const turn = await script.start(Date.now())
      if (turn.outcome?.status !== 'error' || turn.outcome.failure.code !== 'script_memory') valueOf(turn.outcome)
      return turn.memoryBytes
    }
    yield await compare({
      what: `Memory of a script that takes all: ${what}`,
      quantity: 'bytes',
      unit: 'script',
      rounds: 1,
      subject: { what: 'wasm memory at its end', run },
      baseline: { what: 'the limit', run: () => memoryBytes },
      aim: { of: 'ratio', under: 1.1 },
    })
  }
}

const hoarders = {
  objects: 'const all = []; for (;;) all.push({})',
  'typed arrays': 'const all = []; for (;;) all.push(new Uint8Array(100_000))',
  'one long array': 'const all = []; for (;;) all.push(1)',
}

async function* resuming(sandbox: RemoteSandbox): AsyncGenerator<Comparison> {
  yield await compare({
    what: 'Resume after a reload: from a new sandbox to the next call, 10 calls replayed',
    unit: 'script',
    rounds,
    subject: {
      what: 'handrail: engine fetched and compiled, worker spawned',
      run: async () => {
        const workers: Worker[] = []
        const spawnKnown = () => {
          const worker = spawn()
          workers.push(worker)
          return worker
        }
        const milliseconds = await timeOf(() =>
          replay(createRemoteSandbox({ spawn: spawnKnown, module: compile, maxWorkers: 1 }), 10),
        )
        for (const worker of workers) worker.terminate()
        return milliseconds
      },
    },
    baseline: bareWorker,
    aim: { of: 'subject', under: 50 },
  })
  for (const count of [200, 1_000]) {
    yield await compare({
      what: `Replay of ${count} calls, on a warm worker`,
      unit: 'script',
      rounds,
      subject: {
        what: 'handrail, in a sandbox worker',
        run: () => timeOf(async () => (await replay(sandbox, count)).end()),
      },
      baseline: {
        what: 'the same calls made',
        run: () => timeOf(() => drive(sandbox.start(optionsOf(callsOf(count), ['get_order'])), orderTools)),
      },
    })
  }
}

/** So many calls, one after the other, and one more. */
const callsOf = (count: number): string =>
  `for (let i = 0; i < ${count}; i++) await tools.get_order({ order_id: 'O-' + i })
await tools.get_order({ order_id: 'last' })`

async function replay(sandbox: RemoteSandbox, count: number): Promise<SandboxScript> {
  const at = Date.now()
  const results = Array.from({ length: count }, (_, n): FedResult => {
    const value = orderTools['get_order']!({ order_id: `O-${n}` } as never) as JsonObject
    return { n, at: at + n, result: { status: 'ok', value } }
  })
  const script = sandbox.start(optionsOf(callsOf(count), ['get_order']))
  const turns = await script.replay(at, results)
  if (turns.length !== count + 1 || turns.at(-1)!.calls.length !== 1) valueOf(turns.at(-1)!.outcome)
  return script
}

const scripts = 50

/** Of ten waits of ten milliseconds each. */
const waits: Script = async (tools) => {
  for (let i = 0; i < 10; i++) await tools['wait']!({})
  return 1
}
const waitTools: Tools = { wait: () => pause(10, null) }

async function* sideBySide(module: WebAssembly.Module): AsyncGenerator<Comparison> {
  const remote = (maxWorkers: number): Contender =>
    handrailOver(createRemoteSandbox({ spawn, module: async () => module, maxWorkers }), drive)
  const contenders = [
    { contender: handrailIn(module), how: `${scripts} isolates in one worker` },
    { contender: remote(4), how: '4 sandbox workers, the default; the others wait in line' },
    { contender: remote(16), how: '16 sandbox workers' },
  ]
  for (const { contender, how } of contenders) {
    yield await compare({
      what: `${scripts} scripts side by side, each of 10 waits of 10 ms: ${how}`,
      unit: `${scripts} scripts`,
      rounds: 3,
      subject: { what: contender.name, run: () => timeOf(() => all(contender)) },
      baseline: { what: native.name, run: () => timeOf(() => all(native)) },
      aim: { of: 'ratio', under: 2 },
    })
  }
}

const all = (contender: Contender): Promise<unknown> =>
  Promise.all(
    Array.from({ length: scripts }, async () => {
      const { run, close } = await contender.prepare(waits, waitTools)
      await run()
      close()
    }),
  )

async function runOnce(sandbox: RemoteSandbox, code: string): Promise<ScriptTurn> {
  const script = sandbox.start(optionsOf(code, []))
  const turn = await script.start(Date.now())
  script.end()
  return turn
}

/** A spare worker says nothing when it is ready. */
async function warmUp(sandbox: RemoteSandbox): Promise<void> {
  await Promise.all([runOnce(sandbox, 'return 1'), runOnce(sandbox, 'return 1')])
  await pause(300)
}

const pause = <T>(milliseconds: number, value?: T): Promise<T | undefined> =>
  new Promise((resolve) => setTimeout(() => resolve(value), milliseconds))

/** Runs so many scripts one after the other, each of ten calls and twenty thousand objects. Milliseconds a script. */
export async function runMany(count: number): Promise<number> {
  many ??= createRemoteSandbox({ spawn, module: compile })
  const contender = handrailOver(many, drive)
  const milliseconds = await timeOf(async () => {
    for (let i = 0; i < count; i++) {
      const { run, close } = await contender.prepare(busy, orderTools)
      await run()
      close()
    }
  })
  return milliseconds / count
}
let many: RemoteSandbox | undefined

const busy: Script = async (tools) => {
  const kept = []
  for (let i = 0; i < 10; i++) {
    await tools['get_order']!({ order_id: 'O-' + i })
    for (let j = 0; j < 2_000; j++) kept.push({ j })
  }
  return kept.length
}
