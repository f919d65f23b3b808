import { between, runOnce, scriptModel, startAgent } from './agent.js'
import { openEcho, spawnBenchWorker } from './bench-worker.js'
import { compare, timeOf, type Comparison } from './compare.js'

const calls = 200
const rounds = 15

const inTurn = `for (let i = 0; i < ${calls}; i++) await tools.get_order({ order_id: 'O-' + i })`
const atOnce = `await Promise.all(Array.from({ length: ${calls} }, (_, i) => tools.get_order({ order_id: 'O-' + i })))`

/** A call of a page tool by a script goes from the sandbox worker to the agent worker to the page, and back. */
export async function measure(): Promise<Comparison[]> {
  return [
    await callsOf('A page tool call from a script, one after the other', inTurn),
    await callsOf(`A page tool call from a script, ${calls} at once`, atOnce),
  ]
}

async function callsOf(what: string, code: string): Promise<Comparison> {
  const worker = spawnBenchWorker()
  const agent = startAgent({ model: scriptModel(code), store: 'memory', worker })
  await agent.ready
  const echo = openEcho(worker)
  const message = { toolName: 'get_order', input: { order_id: 'O-1' }, runId: crypto.randomUUID(), callId: '1.0/1' }
  const comparison = await compare({
    what,
    unit: 'call',
    rounds,
    subject: {
      what: 'tools.get_order() in a script, store memory',
      run: async () => {
        const arrivals = await runOnce(agent)
        const isTurn = ({ type }: { readonly type: string }) => type === 'script-turn'
        return between(arrivals, isTurn, isTurn) / calls
      },
    },
    baseline: {
      what: 'a postMessage from the page to the agent worker and back, one after the other',
      run: async () => {
        const time = await timeOf(async () => {
          for (let i = 0; i < calls; i++) await echo(message)
        })
        return time / calls
      },
    },
    aim: { of: 'ratio', under: 6 },
  })
  agent.close()
  return comparison
}
