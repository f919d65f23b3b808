import { describe, expect, it } from 'vitest'
import { at, ok, scriptOptions } from '../conformance/run-script.js'
import { engineNameOf, latestVersion } from '../../src/sandbox/engine-name.js'
import { prepareGuest } from '../../src/sandbox/isolate/prepared-guest.js'
import { createIsolate } from '../../src/sandbox/isolate/quickjs.js'
import { defaultLimits, type ScriptOptions } from '../../src/sandbox/script.js'
import { wasmModule } from './wasm-module.js'

const script = `
  const draws = Array.from({ length: 20 }, Math.random)
  const first = await tools.echo({ draws, now: Date.now(), globals: Object.getOwnPropertyNames(globalThis) })
  return [first, Math.random(), new Date(0).toString(), String(new Error('x').stack)]`

async function turnsOf(options: ScriptOptions, isPrepared: boolean): Promise<unknown> {
  const { memoryBytes } = defaultLimits
  const prepared = isPrepared ? await prepareGuest(wasmModule, memoryBytes, latestVersion) : undefined
  const isolate = await createIsolate(wasmModule, options, prepared)
  const turns = [isolate.start(at), isolate.resume({ n: 0, at: at + 5, result: ok(1) })]
  return turns.map(({ calls, prints, outcome }) => ({ calls, prints, outcome }))
}

describe('a guest that was prepared before its script was known', () => {
  it.each([0, 7, -1.5, 2 ** 40])('gives the script of seed %d what one made for it gives', async (seed) => {
    const options = scriptOptions(script, { seed })
    const turns = await turnsOf(options, true)
    expect(turns).toEqual(await turnsOf(options, false))
    expect(turns).toMatchObject([{ calls: [{ n: 0 }] }, { outcome: { status: 'ok' } }])
  })

  it('is not used for a script of another version', async () => {
    const options = scriptOptions(script, { engine: engineNameOf(1) })
    expect(await turnsOf(options, true)).toEqual(await turnsOf(options, false))
  })

  it('is not used for a script of another memory', async () => {
    const memoryBytes = 24 << 20
    const code = 'const all = []; for (;;) all.push({})'
    const options = scriptOptions(code, { limits: { ...defaultLimits, memoryBytes, cpuMs: 20_000 } })
    const prepared = await prepareGuest(wasmModule, defaultLimits.memoryBytes, latestVersion)
    const turn = (await createIsolate(wasmModule, options, prepared)).start(at)
    expect(turn).toMatchObject({ outcome: { failure: { code: 'script_memory' } } })
    expect(turn.memoryBytes).toBeLessThanOrEqual(memoryBytes)
  })
})
