import { parseArgs } from 'node:util'
import { chaosRuns } from './chaos-runs.js'
import { describePage, happened, isFaulty, summaryOf } from './report.js'

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5000' }, seed: { type: 'string' } } })
const runs = Number(values.runs)
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6))
if (!(runs > 0) || !Number.isInteger(seed)) throw new Error('Usage: npm run chaos -- [--runs N] [--seed N]')

const started = performance.now()
let count = 0
const played = await chaosRuns({
  runs,
  seed,
  onPage(page) {
    count += page.verdicts.length
    if (isFaulty(page)) console.error(describePage(page))
    const perMinute = (count / (performance.now() - started)) * 60_000
    console.error(`${count} of ${runs} runs, ${perMinute.toFixed(0)} a minute, page ${page.plan.name}`)
  },
})
console.error(`Seed ${seed}: ${JSON.stringify(happened(played))}`)
console.log(JSON.stringify(summaryOf(played)))
process.exitCode = played.some(isFaulty) ? 1 : 0
