import { compileEngine } from '../../src/sandbox/worker/compile.js'
import { createRemoteSandbox } from '../../src/sandbox/worker/remote.js'
import { compare, type Comparison, type Way } from '../compare.js'
import { cloudflare } from './cloudflare.js'
import { timeOfAll, timeOfEcho, timeOfRun, type Contender } from './contender.js'
import { drive, handrailOver } from './handrail.js'
import { atOnce, calls, inTurn, orderTools, rowsOf, trivial } from './scripts.js'

/** On a page, with sandbox workers of its own: the executor is a frame, and calls the tools of the page. */
export async function measure(): Promise<Comparison[]> {
  const handrail = handrailOver(
    createRemoteSandbox({
      spawn: () => new Worker(new URL('../../workers/sandbox.worker.ts', import.meta.url), { type: 'module' }),
      module: () => compileEngine(new URL('../../workers/quickjs.wasm', import.meta.url)),
    }),
    drive,
  )
  await timeOfAll(handrail, trivial, 2)
  const rows = rowsOf(1 << 20)
  const pair = (what: string, unit: string, run: (contender: Contender) => Promise<number>) => {
    const way = (contender: Contender): Way => ({ what: contender.name, run: () => run(contender) })
    return compare({ what, unit, rounds: 5, subject: way(handrail), baseline: way(cloudflare) })
  }
  return [
    await pair('A tool call from a script to the page, one after the other', 'call', (contender) =>
      timeOfRun(contender, inTurn, orderTools).then((milliseconds) => milliseconds / calls),
    ),
    await pair(`A tool call from a script to the page, ${calls} at once`, 'call', (contender) =>
      timeOfRun(contender, atOnce, orderTools).then((milliseconds) => milliseconds / calls),
    ),
    await pair('A trivial script, asked for by the page', 'script', (contender) => timeOfAll(contender, trivial, 3)),
    await pair(
      '1 MB from the page into a script',
      'value',
      async (contender) => (await timeOfEcho(contender, rows)).in,
    ),
    await pair(
      '1 MB out of a script to the page',
      'value',
      async (contender) => (await timeOfEcho(contender, rows)).out,
    ),
  ]
}
