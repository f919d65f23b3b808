// Runs one script in the real sandbox and prints one line of JSON: npm run script -- FILE [--tools TOOLS.json] …
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import process from 'node:process'
import { buffer } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { runOnce } from './script-once.mjs'

const usage = `npm run script -- FILE [--tools TOOLS.json] [--limits '{"cpuMs": 2000}'] [--locale en-GB] [--time-zone UTC] [--seed 1]
FILE - is the standard input`

/** @param {string} message @returns {never} */
function refuse(message) {
  console.error(`${message}\n\n${usage}`)
  process.exit(2)
}

function readArguments() {
  const text = /** @type {const} */ ({ type: 'string' })
  const options = { tools: text, limits: text, locale: text, 'time-zone': text, seed: text }
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    if (positionals.length !== 1) refuse(`Expected one FILE, not ${positionals.length}`)
    return { ...values, file: positionals[0] ?? '' }
  } catch (error) {
    return refuse(/** @type {Error} */ (error).message)
  }
}

/** `npm run` starts in the root of the project, wherever it is called. */
const folder = (process.env.npm_lifecycle_event === 'script' && process.env.INIT_CWD) || process.cwd()

/** Bytes that are no UTF-8 become U+FFFD, and a byte order mark goes. @param {string} file */
async function readText(file) {
  try {
    return new TextDecoder().decode(file === '-' ? await buffer(process.stdin) : await readFile(resolve(folder, file)))
  } catch (error) {
    return refuse(`Cannot read ${file}: ${/** @type {Error} */ (error).message}`)
  }
}

/** @param {object} report */
function print(report) {
  process.stdout.on('error', () => process.exit(1))
  process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0))
}

const { file, tools, 'time-zone': timeZone, ...settings } = readArguments()
const [code, toolsText] = await Promise.all([readText(file), tools === undefined ? undefined : readText(tools)])
const { report, usage: fault } = await runOnce({ ...settings, code, tools: toolsText, timeZone })
if (fault !== undefined) refuse(fault)
else print(report)
