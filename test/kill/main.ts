import { parseArgs } from 'node:util'
import { killRuns, type Played } from './kill-runs.js'
import { describePage } from './report.js'

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '100' }, seed: { type: 'string' }, lanes: { type: 'string', default: '2' } },
})
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6))
const started = performance.now()
const sumOf = (pages: readonly Played[], numberOf: (page: Played) => number) =>
  pages.reduce((sum, page) => sum + numberOf(page), 0)

console.log(`Seed ${seed}`)
const pages = await killRuns({
  runs: Number(values.runs),
  seed,
  lanes: Number(values.lanes),
  onPage(page) {
    if (page.faults.length > 0) console.log(describePage(page))
  },
})
const faulty = pages.filter(({ faults }) => faults.length > 0).length
const kills = sumOf(pages, (page) => page.kills.length)
const seconds = ((performance.now() - started) / 1000).toFixed(0)
console.log(
  `${sumOf(pages, ({ hit }) => hit)} runs killed by ${kills} kills of ${pages.length} pages, in ${seconds} s: ${faulty} pages with faults`,
)
process.exitCode = faulty > 0 ? 1 : 0
