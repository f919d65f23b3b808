// Runs one script in the real sandbox and prints one line of JSON: npm run script -- FILE [--tools TOOLS.json] …
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import process from 'node:process'
import { buffer } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { bundle } from './script-bundle.mjs'
import { startThread } from './script-thread.mjs'

const usage = `npm run script -- FILE [--tools TOOLS.json] [--limits '{"cpuMs": 2000}'] [--locale en-GB] [--time-zone UTC] [--seed 1]
FILE - is the standard input`

/** Milliseconds without a sign of life after which the thread is given up. */
const patience = 15_000

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

async function compile() {
  const path = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
  return WebAssembly.compile(await readFile(path))
}

/** @param {object} report */
function print(report) {
  process.stdout.on('error', () => process.exit(1))
  process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0))
}

/** When not even the thread can say how the script ended. @param {string} message */
const crashed = (message) => ({
  ok: false,
  value: null,
  prints: [],
  calls: [],
  error: { kind: 'crashed', message: `The script was given up: ${message}`, line: null, column: null },
  cpuMs: 0,
  wallMs: Math.round(performance.now()),
  memoryBytes: 0,
})

const { file, tools, limits = '{}', locale = 'en-GB', 'time-zone': timeZone = 'UTC', seed = '1' } = readArguments()
const [code, toolsText, agent, sandbox, engine] = await Promise.all([
  readText(file),
  tools === undefined ? '{}' : readText(tools),
  bundle('scripts/script-agent.ts', 'node'),
  bundle('scripts/script-sandbox.ts', 'browser'),
  compile(),
])
const thread = startThread(agent, { code, tools: toolsText, limits, locale, timeZone, seed, sandbox, engine })
const giveUp = () => print(crashed(`its thread did not answer for ${patience} ms`))
let watchdog = setTimeout(giveUp, patience)
thread.on('error', (error) => print(crashed(error.message)))
thread.on('exit', (status) => print(crashed(`its thread ended with code ${status}`)))
thread.on('message', (message) => {
  clearTimeout(watchdog)
  if (message.usage !== undefined) refuse(message.usage)
  else if (message.report) print(message.report)
  else watchdog = setTimeout(giveUp, patience)
})
