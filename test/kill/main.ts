import { parseArgs } from 'node:util'
import { killRuns } from './kill-runs.js'
import { describePage, summarize } from './report.js'

const { values } = parseArgs({ options: { runs: { type: 'string', default: '1000' }, seed: { type: 'string' } } })
const runs = Number(values.runs)
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6))
if (!(runs > 0) || !Number.isInteger(seed)) throw new Error('Usage: npm run kill -- [--runs N] [--seed N]')

const started = performance.now()
let faulty = 0
const played = await killRuns({
  runs,
  seed,
  onPage(page) {
    if (page.faults.length === 0) return
    faulty++
    console.log(describePage(page))
  },
})
console.log(`${summarize(played)}, in ${((performance.now() - started) / 1000).toFixed(0)} s, seed ${seed}`)
console.log(faulty > 0 ? `${faulty} pages with faults` : 'No fault')
process.exitCode = faulty > 0 ? 1 : 0
