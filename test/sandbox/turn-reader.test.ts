import { describe, expect, it } from 'vitest'
import { createRemoteSandbox } from '../../src/sandbox/worker/remote.js'
import { defaultLimits, type ScriptLimits } from '../../src/sandbox/script.js'
import { TurnReader } from '../../src/sandbox/worker/turn-reader.js'
import { engineName } from '../../src/sandbox/engine-name.js'
import { scriptOptions } from '../conformance/run-script.js'
import { wasmModule } from './wasm-module.js'

const limits: ScriptLimits = {
  ...defaultLimits,
  calls: 3,
  openCalls: 2,
  inputBytes: 100,
  returnBytes: 100,
  printBytes: 100,
  stateBytes: 100,
}
const readerOf = (more: Partial<ScriptLimits> = {}) =>
  new TurnReader({ tools: ['echo'], limits: { ...limits, ...more } })
const call = (n: number, input: unknown = {}) => ({ n, toolName: 'echo', input })
const turn = (more: object = {}) => ({ calls: [], prints: [], cpuMs: 1, memoryBytes: 1, ...more })
const ok = (value: unknown) => ({ status: 'ok', value })
const failed = (more: object = {}) => ({
  status: 'error',
  failure: { code: 'script_thrown', message: 'no', retryable: false, ...more },
})

/** As it would arrive: a message keeps holes, and parts that it holds twice. */
const read = (...turns: unknown[]) => readerOf().read(structuredClone(turns), turns.length - 1)

const doubled = (times: number): unknown => {
  let value: unknown = 1
  for (let i = 0; i < times; i++) value = [value, value]
  return value
}
const cycle: unknown[] = []
cycle.push(cycle)

describe('a sandbox worker that was taken over', () => {
  it.each([
    ['no turn', []],
    ['a turn that is none', [null]],
    ['a turn that waits for nothing', [turn()]],
    ['a turn that waits for a call that was answered', [turn({ calls: [call(0)] }), turn()]],
    ['a turn after the end', [turn({ outcome: ok(1) }), turn({ outcome: ok(1) }), turn({ outcome: ok(1) })]],
    ['a hole for a turn', Array(1)],
    ['a hole for a call', [turn({ calls: Array(1) })]],
    ['a hole for a print', [turn({ prints: Array(1), outcome: ok(1) })]],
    ['billions of holes for calls', [turn({ calls: Array(2 ** 32 - 1) })]],
    ['billions of holes for prints', [turn({ prints: Array(2 ** 32 - 1), outcome: ok(1) })]],
    ['billions of holes in a value', [turn({ outcome: ok(Array(2 ** 32 - 1)) })]],
    ['a value that doubles', [turn({ outcome: ok(doubled(200)) })]],
    ['an input that doubles', [turn({ calls: [call(0, doubled(200))] })]],
    ['a state that doubles', [turn({ outcome: ok(1), state: { a: doubled(200) } })]],
    ['a value that holds itself', [turn({ outcome: ok(cycle) })]],
    ['a list with a property', [turn({ outcome: ok(Object.assign([1], { a: 1 })) })]],
    ['a map', [turn({ outcome: ok(new Map()) })]],
    ['a number that is none', [turn({ outcome: ok(NaN) })]],
    ['a call of another number', [turn({ calls: [call(1)] })]],
    ['a call of a tool that it does not have', [turn({ calls: [{ ...call(0), toolName: 'other' }] })]],
    ['more open calls than there may be', [turn({ calls: [call(0), call(1), call(2)] })]],
    ['an input that is too long', [turn({ calls: [call(0, 'x'.repeat(101))] })]],
    ['a value that is too long', [turn({ outcome: ok('x'.repeat(101)) })]],
    ['a state that is too long', [turn({ outcome: ok(1), state: { a: 'x'.repeat(101) } })]],
    ['a state before the end', [turn({ calls: [call(0)], state: {} })]],
    ['a state that is a list', [turn({ outcome: ok(1), state: [] })]],
    ['an outcome of neither kind', [turn({ outcome: { status: 'maybe' } })]],
    ['a failure that scripts do not have', [turn({ outcome: failed({ code: 'denied' }) })]],
    ['a failure of an inherited name', [turn({ outcome: failed({ code: 'constructor' }) })]],
    ['a failure of a million characters', [turn({ outcome: failed({ hint: 'x'.repeat(1_000_000) }) })]],
    ['a line that is none', [turn({ outcome: ok(1), line: -1 })]],
    ['a call on a line that is none', [turn({ calls: [{ ...call(0), line: 0 }] })]],
    ['time that it gave back', [turn({ outcome: ok(1), cpuMs: -1e9 })]],
  ])('cannot send %s', (_, turns) => {
    expect(read(...turns)).toBeUndefined()
  })

  it('cannot leave a turn of a replay out', () => {
    expect(readerOf().read([turn({ calls: [call(0), call(1)] })], 1)).toBeUndefined()
  })

  it('cannot make more calls than a script may, one after the other', () => {
    const reader = readerOf()
    for (const n of [0, 1, 2]) expect(reader.read([turn({ calls: [call(n)] })], n === 0 ? 0 : 1)).toBeDefined()
    expect(reader.read([turn({ calls: [call(3)] })], 1)).toBeUndefined()
  })

  it('cannot send longer inputs than a script may, all together', () => {
    const reader = readerOf({ calls: 100 })
    const sent = Array.from({ length: 20 }, (_, n) =>
      reader.read([turn({ calls: [call(n, 'x'.repeat(90))] })], n === 0 ? 0 : 1),
    )
    expect(sent.findIndex((turns) => !turns)).toBe(17)
  })

  it('cannot print more than a script may, turn by turn', () => {
    const reader = readerOf({ calls: 100 })
    const sent = Array.from({ length: 100 }, (_, n) =>
      reader.read([turn({ calls: [call(n)], prints: ['x'.repeat(50)] })], n === 0 ? 0 : 1),
    )
    expect(sent.findIndex((turns) => !turns)).toBeLessThan(25)
  })

  it('cannot put a field of its own into the log', () => {
    const extra = { extra: new Map() }
    const turns = read(
      turn({ ...extra, calls: [{ ...call(0, { a: 1 }), ...extra }] }),
      turn({ outcome: { ...failed({ line: 1, ...extra }), ...extra }, ...extra }),
    )
    expect(turns).toEqual([turn({ calls: [call(0, { a: 1 })] }), turn({ outcome: failed({ line: 1 }) })])
  })

  it('ends its script as crashed, and is terminated', async () => {
    const workers: { isTerminated: boolean }[] = []
    const spawn = () => {
      const listeners: ((event: { data: unknown }) => void)[] = []
      const worker = {
        isTerminated: false,
        terminate: () => void (worker.isTerminated = true),
        addEventListener: (type: string, listener: (typeof listeners)[number]) => {
          if (type === 'message') listeners.push(listener)
        },
        postMessage({ id, type }: { id: number; type: string }) {
          const answer =
            type === 'load'
              ? { id, type: 'ready', engine: engineName, isolation: 'csp' }
              : { id, type: 'turns', turns: [turn()] }
          queueMicrotask(() => listeners.forEach((listener) => listener({ data: answer })))
        },
      }
      workers.push(worker)
      return worker as unknown as Worker
    }
    const sandbox = createRemoteSandbox({ spawn, module: async () => wasmModule, maxWorkers: 1 })
    const made = await sandbox.start(scriptOptions('return 1')).start(0)
    expect(made.outcome).toMatchObject({ failure: { code: 'script_crashed' } })
    expect(workers[0]!.isTerminated).toBe(true)
  })
})

it('what a script may do comes through as it is', () => {
  const value = { ['__proto__']: 1, a: [1, 'x', null, true, { b: [] }] }
  const turns = [
    turn({
      calls: [call(0), { n: 1, toolName: 'script.sleep', input: { ms: 1 }, line: 2 }],
      prints: ['a', ''],
      line: 3,
    }),
    turn({ calls: [call(2)] }),
    turn({ outcome: ok(value), state: { a: 1 } }),
  ]
  expect(read(...turns)).toEqual(turns)
})
