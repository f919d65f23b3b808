import { askForLog, spawnBenchWorker } from './bench-worker.js'
import { compare, type Comparison } from './compare.js'
import { createLog } from './create-log.js'

const count = 400

/** What the log and the store do at an append: the loop's share is in `loop`. */
export async function measure(): Promise<Comparison[]> {
  const worker = spawnBenchWorker()
  const events = createLog(count)
  const comparison = await compare({
    what: 'An append to IndexedDB',
    unit: 'event',
    rounds: 15,
    subject: { what: 'append of the log', run: () => askForLog(worker, 'append-log', events) },
    baseline: { what: 'a bare add in a transaction, as durable', run: () => askForLog(worker, 'append', events) },
    aim: { of: 'ratio', under: 1.5 },
  })
  worker.terminate()
  return [comparison]
}
