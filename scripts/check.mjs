// Everything but the tests. `npm run check -- lint types` runs only these.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { installDependencies, root } from './setup.mjs'

const sources = ['src', 'workers', 'demo', 'test', 'bench', 'scripts', 'vite.config.ts']
const present = sources.filter((path) => existsSync(join(root, path))).join(' ')

/** Slowest first, so that the others run beside it. @type {Record<string, string[]>} */
const checks = {
  package: ['npm run --silent build', 'node scripts/package.mjs'],
  size: ['node scripts/size.mjs', 'size-limit'],
  lint: [`oxlint --type-aware --deny-warnings --report-unused-disable-directives ${present}`],
  types: ['tsc -p tsconfig.json'],
  'dead-code': ['knip'],
  format: ['oxfmt --check "**/*.{ts,tsx,mjs}"'],
}

/** @param {string} command @returns {Promise<{ ok: boolean, output: string }>} */
function run(command) {
  const PATH = join(root, 'node_modules', '.bin') + delimiter + process.env.PATH
  const child = spawn(command, { cwd: root, shell: true, env: { ...process.env, PATH } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data))
  return new Promise((done) => child.on('close', (code) => done({ ok: code === 0, output })))
}

/** @param {string} name */
async function check(name) {
  const start = Date.now()
  let failed = false
  let output = ''
  for (const command of checks[name] ?? []) {
    const result = await run(command)
    output += result.output
    failed = !result.ok
    if (failed) break
  }
  const seconds = ((Date.now() - start) / 1000).toFixed(1)
  if (failed || name === 'size') console.log(output.trim())
  console.log(`${failed ? 'FAILED' : 'ok    '} ${name} (${seconds} s)`)
  return failed
}

try {
  installDependencies()
  const asked = process.argv.slice(2)
  const unknown = asked.find((name) => checks[name] === undefined)
  if (unknown) throw new Error(`No check is named ${unknown}: there are ${Object.keys(checks).join(', ')}`)
  const waiting = asked.length > 0 ? asked : Object.keys(checks)
  /** @type {string[]} */
  const failures = []
  const work = async () => {
    for (let name = waiting.shift(); name; name = waiting.shift()) if (await check(name)) failures.push(name)
  }
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, work))
  if (failures.length > 0) throw new Error(`Failed: ${failures.join(', ')}`)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
