import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../src/sandbox/script.js'
import { at, ok, runScript, startScript, valueOf } from '../conformance/run-script.js'
import { createIsolateSandbox } from './isolate-sandbox.js'
import { createNodeSandbox } from './node-sandbox.js'

/** What an isolate begins with. */
const least = 16 << 20

/** The memories of all isolates of this thread. */
const memories: WebAssembly.Memory[] = []
const { Memory } = WebAssembly
beforeAll(() => {
  WebAssembly.Memory = class extends Memory {
    constructor(descriptor: WebAssembly.MemoryDescriptor) {
      super(descriptor)
      memories.push(this)
    }
  }
})
afterAll(() => {
  WebAssembly.Memory = Memory
})

/** Bytes that the memories have which grew meanwhile. */
async function grown(work: () => Promise<unknown>): Promise<number[]> {
  const before = new Map(memories.map((memory) => [memory, memory.buffer.byteLength]))
  await work()
  return memories
    .filter((memory) => memory.buffer.byteLength > (before.get(memory) ?? least))
    .map(({ buffer }) => buffer.byteLength)
}

const growing = {
  objects: `const a = []; for (;;) a.push({ a: 1 })`,
  arrays: `const a = []; for (;;) a.push([1, 2, 3])`,
  'one array': `const a = []; for (;;) a.push(1)`,
  maps: `const m = new Map(); for (let i = 0; ; i++) m.set(i, i)`,
  closures: `let f = () => 1; for (;;) { const g = f; f = () => g }`,
  'typed arrays': `const a = []; for (;;) a.push(new Uint8Array(1e5))`,
  texts: `const a = []; for (let i = 0; ; i++) a.push('text number ' + i)`,
}

describe('the memory of a script', () => {
  const sandbox = createIsolateSandbox()
  it.each(Object.entries(growing))(
    'is at most 1.1 times its limit in wasm bytes, and most of it was used: %s',
    async (_, code) => {
      for (const limit of [20 << 20, 64 << 20]) {
        const [bytes = least, ...others] = await grown(async () => {
          const { outcome } = await runScript(sandbox, code, { limits: { memoryBytes: limit } })
          expect(outcome).toMatchObject({ failure: { code: 'script_memory' } })
        })
        expect(others).toEqual([])
        expect(bytes).toBeLessThanOrEqual(limit * 1.1)
        // One array is moved as it grows: old and new place do not fit beside each other.
        expect(bytes).toBeGreaterThan(limit * 0.5)
      }
    },
  )

  it('is there to the last part: what fits below the limit is no failure', async () => {
    const code = `const a = new Uint8Array(44 << 20); a.fill(1); return a.length`
    expect(await valueOf(sandbox, code, { limits: { memoryBytes: 64 << 20 } })).toBe(44 << 20)
  })

  it('is told with each turn', async () => {
    const script = startScript(sandbox, `globalThis.a = new Uint8Array(30 << 20); await tools.echo(); return 1`)
    const { memoryBytes } = await script.start(at)
    expect(memoryBytes).toBeGreaterThan(30 << 20)
    expect(memoryBytes).toBeLessThanOrEqual(64 << 20)
  })
})

describe('the inputs of all calls', () => {
  const code = (calls: number) => `for (let i = 0; i < ${calls}; i++) await tools.echo('x'.repeat(990)); return 'done'`

  it.each([
    [16, 'done'],
    [17, undefined],
  ])('may have sixteen times the bytes of one, each counted once: %s of 992', async (calls, value) => {
    const { outcome } = await runScript(createIsolateSandbox(), code(calls), { limits: { inputBytes: 1000 } })
    expect(outcome).toMatchObject(value ? { value } : { failure: { code: 'script_output' } })
  })
})

describe('a thousand scripts one after the other', () => {
  let sandbox: Sandbox
  let threads: readonly Worker[]
  beforeAll(async () => {
    ;({ sandbox, threads } = await createNodeSandbox())
  })

  it('take two workers, and leave no more memory than the first hundred', async () => {
    const code = `const a = Array.from({ length: 2000 }, (_, i) => ({ i })); await tools.echo({ n: a.length }); return a.length`
    const run = async (times: number) => {
      for (let i = 0; i < times; i++) expect(await valueOf(sandbox, code)).toBe(2000)
      return process.memoryUsage().rss
    }
    const early = await run(300)
    const late = await run(700)
    expect(threads.length).toBeLessThanOrEqual(2)
    // An isolate is 16 MB: had each tenth script left its own, there would be a gigabyte more.
    expect(late - early).toBeLessThan(400 << 20)
  }, 90_000)
})

describe('a deadlock', () => {
  it('is told without waiting for any timer', async () => {
    const sandbox = createIsolateSandbox()
    const { setTimeout, setInterval, setImmediate } = globalThis
    let timers = 0
    const counted = () => timers++
    Object.assign(globalThis, { setTimeout: counted, setInterval: counted, setImmediate: counted })
    try {
      const script = startScript(sandbox, `await tools.echo(); await new Promise(() => {})`)
      await script.start(at)
      const turn = await script.resume({ n: 0, at, result: ok(1) })
      expect(turn.outcome).toMatchObject({ failure: { code: 'script_deadlock' } })
      expect((await startScript(sandbox, `await Promise.race([])`).start(at)).outcome).toMatchObject({
        failure: { code: 'script_deadlock' },
      })
    } finally {
      Object.assign(globalThis, { setTimeout, setInterval, setImmediate })
    }
    expect(timers).toBe(0)
  })
})
