import { explore } from './explore.js'
import { mutants, type Mutant } from './mutants.js'
import { toOptions } from './mutate.js'
import { scenarios } from './scenarios.js'

/** Usage: mutate-main.ts [part of a rule]. Shows of each broken rule the shortest history in which it is noticed. */
const [part = ''] = process.argv.slice(2)

interface Found {
  readonly scenario: string
  readonly trouble: number
  readonly message: string
  readonly trace: readonly string[]
  readonly states: number
}

async function find(mutant: Mutant): Promise<Found | undefined> {
  const options = await toOptions(mutant)
  let best: Found | undefined
  for (const trouble of [0, 1, 2]) {
    for (const scenario of scenarios) {
      const { violations, states } = explore(scenario, { ...options, trouble, limit: 20_000, untilFirst: true })
      for (const [message, trace] of violations)
        if (!best || trace.length < best.trace.length)
          best = { scenario: scenario.name, trouble, message, trace, states }
    }
    if (best) return best
  }
  return undefined
}

for (const mutant of mutants.filter(({ rule }) => rule.includes(part))) {
  const found = await find(mutant)
  if (!found) {
    console.log(`MISSED   ${mutant.rule}`)
    process.exitCode = 1
    continue
  }
  const { scenario, trouble, message, trace, states } = found
  console.log(`NOTICED  ${mutant.rule}\n  ${message}  [${scenario}; ${trouble} disturbances, ${states} states]`)
  console.log(`    ${trace.join('\n    ')}`)
}
