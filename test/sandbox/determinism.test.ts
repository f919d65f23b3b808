import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { at, failure, ok, startScript } from '../conformance/run-script.js'
import { engineNameOf } from '../../src/sandbox/engine-name.js'
import { prelude1 } from '../../src/sandbox/isolate/prelude-1.js'
import { parts } from '../../src/sandbox/globals/guest-parts.js'
import { prelude2, table2 } from '../../src/sandbox/isolate/prelude-2.js'
import type { FedResult, ScriptTurn } from '../../src/sandbox/script.js'
import { createIsolateSandbox } from './isolate-sandbox.js'

/** Chains of different lengths, a race, a caught failure, clock and random: what it does depends on the order of results. */
const script = `
  const seen = []
  const chain = async (name, length) => {
    for (let i = 0; i < length; i++) {
      try {
        const r = await tools.echo({ name, i, time: Date.now(), draw: Math.random(), seen: seen.length })
        seen.push(name + i + r.v)
      } catch (e) {
        seen.push(name + i + e.code)
        print(name, e.message)
      }
    }
    return name
  }
  const first = await Promise.race([chain('a', 3), chain('b', 2)])
  const all = await Promise.all([chain('c', 3), chain('d', 1), tools.other({ first }).catch((e) => e.code)])
  return { first, all, seen, end: new Date().toISOString() }`

describe('a script', () => {
  it('does the same again for each of 200 recorded orders of results', async () => {
    const sandbox = createIsolateSandbox()
    const orders = new Set<string>()
    for (let seed = 1; seed <= 200; seed++) {
      const draw = createDraw(seed)
      const steps: FedResult[] = []
      const open: number[] = []
      const live = startScript(sandbox, script, { seed })
      const turns = [await live.start(at)]
      for (let turn = turns[0]!; !turn.outcome; turns.push(turn)) {
        open.push(...turn.calls.map(({ n }) => n))
        const [n] = open.splice(Math.floor(draw() * open.length), 1)
        const step = {
          n: n!,
          at: at + steps.length * 7,
          result: draw() < 0.2 ? failure('late') : ok({ v: steps.length }),
        }
        steps.push(step)
        turn = await live.resume(step)
      }
      const replay = startScript(sandbox, script, { seed })
      const again = await replay.replay(at, steps)
      expect(again.map(withoutCpu)).toEqual(turns.map(withoutCpu))
      expect(turns.at(-1)!.outcome?.status).toBe('ok')
      orders.add(steps.map(({ n }) => n).join())
    }
    expect(orders.size).toBeGreaterThan(150)
  }, 60_000)

  it('has the time zone of no machine', async () => {
    const zone = process.env.TZ
    try {
      const texts = new Set<string>()
      for (const TZ of ['UTC', 'Asia/Kolkata', 'America/New_York']) {
        process.env.TZ = TZ
        const turn = await startScript(
          createIsolateSandbox(),
          'return [String(new Date()), new Date(2024, 2, 10, 2, 30).getTime()]',
        ).start(at)
        texts.add(JSON.stringify(turn.outcome))
      }
      expect(texts.size).toBe(1)
    } finally {
      process.env.TZ = zone
    }
  })

  it('sees another prelude only under another engine name, which old logs do not have', () => {
    const hash = (prelude: string) => createHash('sha256').update(prelude).digest('hex').slice(0, 16)
    expect([engineNameOf(1), hash(prelude1)]).toEqual([
      'quickjs-emscripten 0.32.0, quickjs 2025-09-13, handrail 1',
      '63b0f0ff6e67e4f7',
    ])
    expect([engineNameOf(2), hash(JSON.stringify([prelude2, table2, parts]))]).toEqual([
      'quickjs-emscripten 0.32.0, quickjs 2025-09-13, handrail 2',
      '632cea0857e8fead',
    ])
  })
})

const withoutCpu = ({ calls, prints, outcome }: ScriptTurn) => ({ calls, prints, outcome })

function createDraw(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
