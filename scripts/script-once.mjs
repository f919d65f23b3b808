import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { bundle } from './script-bundle.mjs'
import { startThread } from './script-thread.mjs'

/** Milliseconds without a sign of life after which the thread is given up. */
const patience = 15_000

/**
 * When not even the thread can say how the script ended.
 * @param {string} message @param {number} startedAt
 */
const crashed = (message, startedAt) => ({
  ok: false,
  value: null,
  prints: [],
  calls: [],
  error: { kind: 'crashed', message: `The script was given up: ${message}`, line: null, column: null },
  cpuMs: 0,
  wallMs: Math.round(performance.now() - startedAt),
  memoryBytes: 0,
})

/** @type {Promise<[agent: string, sandbox: string, engine: WebAssembly.Module]> | undefined} */
let parts

const loadParts = () =>
  (parts ??= Promise.all([
    bundle('scripts/script-agent.ts', 'node'),
    bundle('scripts/script-sandbox.ts', 'browser'),
    readFile(createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')).then((wasm) =>
      WebAssembly.compile(wasm),
    ),
  ]))

/**
 * Runs one script in a thread of its own. `usage`: what is wrong with the settings, which are texts as they were given.
 * @param {{ code: string, tools?: string, limits?: string, locale?: string, timeZone?: string, seed?: string }} settings
 * @returns {Promise<{ report: object, usage?: undefined } | { usage: string, report?: undefined }>}
 */
export async function runOnce({ code, tools = '{}', limits = '{}', locale = 'en-GB', timeZone = 'UTC', seed = '1' }) {
  const startedAt = performance.now()
  const [agent, sandbox, engine] = await loadParts()
  const thread = startThread(agent, { code, tools, limits, locale, timeZone, seed, sandbox, engine })
  try {
    return await new Promise((resolve) => {
      const giveUp = (/** @type {string} */ why) => resolve({ report: crashed(why, startedAt) })
      const late = () => giveUp(`its thread did not answer for ${patience} ms`)
      let watchdog = setTimeout(late, patience)
      thread.on('error', (error) => giveUp(error.message))
      thread.on('exit', (status) => giveUp(`its thread ended with code ${status}`))
      thread.on('message', (message) => {
        clearTimeout(watchdog)
        if (message.usage !== undefined || message.report) resolve(message)
        else watchdog = setTimeout(late, patience)
      })
    })
  } finally {
    void thread.terminate()
  }
}
