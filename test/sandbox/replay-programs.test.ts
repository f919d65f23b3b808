import { describe, expect, it } from 'vitest'
import type { FedResult, HostResult, Script, ScriptTurn } from '../../src/sandbox/script.js'
import { at, startScript } from '../conformance/run-script.js'
import { createIsolateSandbox } from './isolate-sandbox.js'
import { createDraw, type Draw } from './programs/draw.js'
import { toProgram } from './programs/program.js'

const programs = 1_000
/** In one test. */
const part = 250
/** Results after which a script is left alone. */
const mostResults = 80

const sandbox = createIsolateSandbox()

/** What a log keeps of a turn. */
const kept = ({ calls, prints, outcome, state }: ScriptTurn) => ({ calls, prints, outcome, state })

function randomResult(draw: Draw): HostResult {
  if (draw.chance(0.75)) return { status: 'ok', value: { v: draw.whole(0, 99) } }
  const code = draw.pick(['timeout', 'not_found', 'denied', 'failed'])
  return { status: 'error', failure: { code, message: `It is ${code}.`, retryable: draw.chance(0.5) }, callId: '1.0/1' }
}

/** Runs a script while a random one of its open calls is settled at a time. */
async function drive(script: Script, draw: Draw) {
  const results: FedResult[] = []
  const open: number[] = []
  const turns = [await script.start(at)]
  let now = at
  for (let turn = turns[0]!; !turn.outcome && results.length < mostResults; turns.push(turn)) {
    open.push(...turn.calls.map(({ n }) => n))
    const [n] = open.splice(draw.whole(0, open.length - 1), 1)
    now += draw.whole(0, 1000)
    const fed = { n: n!, at: now, result: randomResult(draw) }
    results.push(fed)
    turn = await script.resume(fed)
  }
  return { turns: turns.map(kept), results }
}

describe('a script that is cut and replayed', () => {
  const firsts = Array.from({ length: programs / part }, (_, i) => 1 + i * part)
  it.each(firsts)(
    'does the same again, and goes on as it would have: 250 random programs from seed %s',
    async (first) => {
      let [calls, ended, failed, turned] = [0, 0, 0, 0]
      for (let seed = first; seed < first + part; seed++) {
        const draw = createDraw(seed)
        const code = toProgram(draw)
        const options = { seed, tools: ['get', 'list', 'save'], limits: { openCalls: draw.pick([1, 2, 3, 64]) } }
        const live = await drive(startScript(sandbox, code, options), draw)
        const cut = draw.whole(0, live.results.length)
        const script = startScript(sandbox, code, options)
        const again = [...(await script.replay(at, live.results.slice(0, cut)))]
        for (const fed of live.results.slice(cut)) again.push(await script.resume(fed))
        expect(again.map(kept), `program ${seed}, cut after ${cut} results:\n${code}\n`).toEqual(live.turns)

        const made = live.turns.flatMap((turn) => turn.calls)
        const { outcome } = live.turns.at(-1)!
        calls += made.length
        if (outcome) ended++
        if (outcome?.status === 'error') failed++
        if (live.results.some(({ n }, i) => i > 0 && n < live.results[i - 1]!.n)) turned++
      }
      // The programs are worth it: most call, end, and see their calls settled in an order of their own.
      expect(calls).toBeGreaterThan(6 * part)
      expect(ended).toBeGreaterThan(0.9 * part)
      expect(failed).toBeGreaterThan(0.03 * part)
      expect(turned).toBeGreaterThan(0.25 * part)
    },
    120_000,
  )

  it('tells where it does other than it did', async () => {
    const code = `for (let i = 0; i < 3; i++) await tools.get({ i })`
    const results = [0, 1, 5].map((n) => ({ n, at, result: { status: 'ok', value: { v: n } } as const }))
    const turns = await startScript(sandbox, code, { tools: ['get'] }).replay(at, results)
    expect(turns.at(-1)?.outcome).toMatchObject({ failure: { code: 'script_diverged' } })
  })
})
