import { askForLog, spawnBenchWorker } from './bench-worker.js'
import { compare, type Comparison } from './compare.js'
import { createLog } from './create-log.js'

const count = 50_000

/** What opening a log costs over reading its rows: the check of each event, the chain, the fold, the session's memory. */
export async function measure(): Promise<Comparison[]> {
  const worker = spawnBenchWorker()
  const events = createLog(count)
  const comparison = await compare({
    what: `Opening a log of ${count} events in IndexedDB`,
    unit: 'log',
    rounds: 5,
    subject: { what: 'open of the log', run: () => askForLog(worker, 'open-log', events) },
    baseline: { what: 'a bare getAll of the same rows', run: () => askForLog(worker, 'get-all', events) },
    aim: { of: 'ratio', under: 1.5 },
  })
  worker.terminate()
  return [comparison]
}
