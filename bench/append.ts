import { callingModel, runOnce, startAgent } from './agent.js'
import { askToAppend, spawnBenchWorker } from './bench-worker.js'
import { compare, type Comparison } from './compare.js'

const steps = 40

/** What the store's own checks cost: the loop's share is in `loop`. */
export async function measure(): Promise<Comparison[]> {
  const worker = spawnBenchWorker()
  const agent = startAgent({ model: callingModel(steps), store: 'memory', worker })
  const events = (await runOnce(agent)).map(({ event }) => event)
  const comparison = await compare({
    what: 'An append to IndexedDB',
    unit: 'event',
    rounds: 15,
    subject: { what: 'append of the store', run: () => askToAppend(worker, 'append-store', events) },
    baseline: { what: 'a bare append, as durable', run: () => askToAppend(worker, 'append', events) },
  })
  agent.close()
  return [comparison]
}
