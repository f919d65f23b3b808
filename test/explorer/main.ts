import { explore } from './explore.js'
import { scenarios } from './scenarios.js'

/** Usage: main.ts [disturbances a history, 2] [part of a scenario's name] */
const [trouble = '2', name = ''] = process.argv.slice(2)
const chosen = scenarios.filter((scenario) => scenario.name.includes(name))
if (chosen.length === 0)
  throw new Error(`Cannot explore "${name}": there are ${scenarios.map((s) => s.name).join('; ')}`)
let total = 0
for (const scenario of chosen) {
  const start = Date.now()
  const { states, moves, ends, violations } = explore(scenario, { trouble: Number(trouble) })
  total += states
  const seconds = ((Date.now() - start) / 1000).toFixed(1)
  console.log(
    `${scenario.name}: ${states} states, ${moves} moves, ${ends} ends, ${violations.size} violations, ${seconds} s`,
  )
  for (const [message, trace] of violations) console.log(`  ${message}\n    ${trace.join('\n    ')}`)
  if (violations.size > 0) process.exitCode = 1
}
console.log(`${total} states, at most ${trouble} disturbances a history`)
