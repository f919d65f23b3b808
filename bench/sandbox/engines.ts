import { compileEngine } from '../../src/sandbox/compile.js'
import { compare, timeOf, type Comparison } from '../compare.js'
import { timeOfAll, timeOfEcho, timeOfRun, type Contender } from './contender.js'
import { handrailIn } from './handrail.js'
import { native } from './native.js'
import { readmeStyle } from './quickjs-emscripten.js'
import { quickjsWasi } from './quickjs-wasi.js'
import { atOnce, calls, compute, inTurn, orderTools, rowsOf, trivial } from './scripts.js'

const rounds = 9
const isolatesAtOnce = 5

/** All in one worker: what the engine takes, with no thread in between. */
export async function* measureEngines(): AsyncGenerator<Comparison> {
  const handrail = handrailIn(await compileEngine(new URL('../../workers/quickjs.wasm', import.meta.url)))
  for (const peer of [readmeStyle, quickjsWasi, native]) yield* toolCalls(handrail, peer)
  for (const peer of [readmeStyle, quickjsWasi]) yield await freshIsolate(handrail, peer)
  for (const peer of [readmeStyle, native]) yield* computing(handrail, peer)
  yield* values(handrail)
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

const freshIsolate = (subject: Contender, peer: Contender): Promise<Comparison> => {
  const way = (contender: Contender) => ({
    what: contender.name,
    run: () => timeOfAll(contender, trivial, isolatesAtOnce),
  })
  return compare({
    what: 'A fresh isolate with a trivial script',
    unit: 'script',
    rounds,
    subject: way(subject),
    baseline: way(peer),
    ...(peer === readmeStyle && { aim: { of: 'subject', under: 2 } }),
  })
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
