import { compileEngine } from '../../src/sandbox/worker/compile.js'
import { latestVersion } from '../../src/sandbox/engine-name.js'
import { prepareGuest } from '../../src/sandbox/isolate/prepared-guest.js'
import { createIsolate } from '../../src/sandbox/isolate/quickjs.js'
import { compare, timeOf, type Comparison, type Outcome, type Way } from '../compare.js'
import { bodyOf, timeOfAll, timeOfEcho, timeOfRun, type Contender } from './contender.js'
import { handrailIn, optionsOf, valueOf } from './handrail.js'
import { native } from './native.js'
import { readmeStyle } from './quickjs-emscripten.js'
import { quickjsWasi } from './quickjs-wasi.js'
import { atOnce, calls, compute, inTurn, orderTools, rowsOf, trivial } from './scripts.js'

const rounds = 7
const isolatesAtOnce = 5

/** All in one worker: what the engine takes, with no thread in between. */
export async function* measureEngines(): AsyncGenerator<Outcome> {
  const module = await compileEngine(new URL('../../workers/quickjs.wasm', import.meta.url))
  const handrail = handrailIn(module)
  for (const peer of [readmeStyle, quickjsWasi, native]) yield* toolCalls(handrail, peer)
  yield* freshIsolates(module, handrail)
  for (const peer of [readmeStyle, native]) yield* computing(handrail, peer)
  yield* values(handrail)
  yield* withNodeModules(handrail)
}

/** The parts of Node that it imports are there or not: a bundler puts nothing in their place. */
async function* withNodeModules(handrail: Contender): AsyncGenerator<Outcome> {
  try {
    const { sebastianwessel } = await import('./sebastianwessel.js')
    await timeOfAll(sebastianwessel, trivial, 1)
    yield* toolCalls(handrail, sebastianwessel)
  } catch (error) {
    yield { what: '@sebastianwessel/quickjs in a worker of a browser', why: String(error) }
  }
}

async function* toolCalls(subject: Contender, peer: Contender): AsyncGenerator<Comparison> {
  const isAimed = peer === readmeStyle
  for (const [how, script] of [
    ['one after the other', inTurn],
    [`${calls} at once`, atOnce],
  ] as const) {
    const way = (contender: Contender) => ({
      what: contender.name,
      run: async () => {
        // A clock of a worker is too coarse for one run of native functions.
        const times = contender === native ? 20 : 1
        let milliseconds = 0
        for (let i = 0; i < times; i++) milliseconds += await timeOfRun(contender, script, orderTools)
        return milliseconds / times / calls
      },
    })
    yield await compare({
      what: `A tool call in the worker, ${how}`,
      unit: 'call',
      rounds,
      subject: way(subject),
      baseline: way(peer),
      ...(isAimed && { aim: { of: 'ratio', under: 0.5 } }),
    })
  }
}

async function* freshIsolates(module: WebAssembly.Module, handrail: Contender): AsyncGenerator<Comparison> {
  const what = 'A fresh isolate with a trivial script'
  const way = (contender: Contender): Way => ({
    what: contender.name,
    run: () => timeOfAll(contender, trivial, isolatesAtOnce),
  })
  yield await compare({
    what: `${what}, in a worker that was idle before`,
    unit: 'script',
    rounds,
    subject: { what: 'handrail, from start() to its result', run: () => timeOfPrepared(module) },
    baseline: way(readmeStyle),
    aim: { of: 'subject', under: 2 },
  })
  for (const peer of [readmeStyle, quickjsWasi]) {
    yield await compare({
      what: `${what}, one after the other with nothing prepared`,
      unit: 'script',
      rounds,
      subject: way(handrail),
      baseline: way(peer),
    })
  }
}

/** A sandbox worker makes the next instance when it has no script. */
async function timeOfPrepared(module: WebAssembly.Module): Promise<number> {
  let milliseconds = 0
  for (let i = 0; i < isolatesAtOnce; i++) {
    const options = optionsOf(bodyOf(trivial), [])
    const prepared = await prepareGuest(module, options.limits.memoryBytes, latestVersion)
    milliseconds += await timeOf(async () => {
      const isolate = await createIsolate(module, options, prepared)
      valueOf(isolate.start(Date.now()).outcome)
    })
  }
  return milliseconds / isolatesAtOnce
}

async function* computing(subject: Contender, peer: Contender): AsyncGenerator<Comparison> {
  for (const [name, script] of Object.entries(compute)) {
    const way = (contender: Contender) => ({ what: contender.name, run: () => timeOfRun(contender, script) })
    yield await compare({
      what: `Compute: ${name}`,
      unit: 'script',
      rounds,
      subject: way(subject),
      baseline: way(peer),
      ...(peer === readmeStyle && { aim: { of: 'ratio', under: 1.05 } }),
    })
  }
}

async function* values(handrail: Contender): AsyncGenerator<Comparison> {
  const rows = rowsOf(1 << 20)
  const text = JSON.stringify(rows)
  const parse = { what: 'JSON.parse of the same value', run: () => timeOf(() => JSON.parse(text)) }
  const way = (contender: Contender, direction: 'in' | 'out', value: unknown) => ({
    what: contender.name,
    run: async () => (await timeOfEcho(contender, value))[direction],
  })
  for (const [direction, under] of [
    ['in', 4],
    ['out', 3],
  ] as const) {
    const what = `1 MB ${direction === 'in' ? 'into a script' : 'out of a script'}`
    const plan = { what, unit: 'value', rounds, subject: way(handrail, direction, rows) }
    yield await compare({ ...plan, baseline: parse, aim: { of: 'ratio', under } })
    yield await compare({ ...plan, baseline: way(readmeStyle, direction, rows) })
  }
  const many = rowsOf(10 << 20)
  yield await compare({
    what: '10 MB into a script',
    unit: 'value',
    rounds: 5,
    subject: way(handrail, 'in', many),
    baseline: { what: 'structuredClone of the same value', run: () => timeOf(() => structuredClone(many)) },
    aim: { of: 'ratio', under: 1 },
  })
}
