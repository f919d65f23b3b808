import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import process from 'node:process'
import { measureRequests } from './requests.js'
import { measureStreams } from './streams.js'

/** Usage: main.ts streams|requests [folder with recordings] [--verbose] */
const commands = { streams: measureStreams, requests: measureRequests }
const given = process.argv.slice(2)
const [name = '', folder = resolve(process.env.HANDRAIL_CORPUS ?? '../shared/data', '1-streams')] = given.filter(
  (word) => !word.startsWith('--'),
)
if (!Object.hasOwn(commands, name))
  throw new Error(`Cannot run "${name}" on the recordings: expected ${Object.keys(commands).join(' or ')}`)
if (!existsSync(folder)) throw new Error(`Cannot read recordings: there is no folder "${folder}"`)
const isVerbose = given.includes('--verbose')
const summary = await commands[name as keyof typeof commands](folder, (line) => {
  if (isVerbose) console.log(line)
})
console.log(JSON.stringify(summary))
