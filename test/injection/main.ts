import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { readAttacks } from './attacks.js'
import { attackCases, benignCases, measure, share } from './measure.js'

/** Usage: npm run injection -- [folder with attacks] [--one-in N] [--verbose] */
const given = process.argv.slice(2)
const after = given.indexOf('--one-in')
const oneIn = after < 0 ? 1 : Number(given[after + 1])
if (!Number.isSafeInteger(oneIn) || oneIn < 1)
  throw new Error('Cannot take a share: --one-in expects a whole number from 1')
const [folder = resolve(process.env.HANDRAIL_CORPUS ?? '../shared/data', '7-injection')] = given.filter(
  (word, i) => !word.startsWith('--') && (after < 0 || i !== after + 1),
)
if (!existsSync(folder)) throw new Error(`Cannot read attacks: there is no folder "${folder}"`)
const found = readAttacks(folder)
if (found.attacks.length === 0) throw new Error(`Cannot measure: no file of "${folder}" has an attack that is known`)
const isVerbose = given.includes('--verbose')
if (isVerbose) for (const file of found.unread) console.error(`Nothing was found in ${file}`)
const summary = await measure(
  { attacks: share(attackCases(found), oneIn), benign: share(benignCases(found), oneIn) },
  (line) => isVerbose && console.error(line),
)
console.log(JSON.stringify(summary))
process.exitCode = summary.executed === 0 && summary.finished >= summary.benign * 0.98 ? 0 : 1
