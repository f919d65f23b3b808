// Node builtins only: this runs before anything is installed.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { findChromium } from './chromium.mjs'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** @typedef {Record<string, { version?: string, optional?: boolean, link?: boolean }>} Packages */

/** @param {string} path @returns {Packages} */
function lockedPackages(path) {
  return JSON.parse(readFileSync(path, 'utf8')).packages
}

/**
 * Compares contents, not times: a checkout touches package-lock.json without changing it.
 * @param {string} folder
 */
function isInstalled(folder) {
  const record = join(folder, 'node_modules', '.package-lock.json')
  if (!existsSync(record)) return false
  const installed = lockedPackages(record)
  return Object.entries(lockedPackages(join(folder, 'package-lock.json'))).every(
    ([path, wanted]) =>
      path === '' || (installed[path] ? installed[path].version === wanted.version : wanted.optional === true),
  )
}

/** @param {string} command @param {string[]} args @param {NodeJS.ProcessEnv} [env] */
function run(command, args, env = process.env) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env, shell: process.platform === 'win32' })
  return status === 0
}

export function installDependencies() {
  if (isInstalled(root) && existsSync(join(root, 'workers', 'quickjs.wasm'))) return
  console.log('Installing dependencies')
  // openai and z-schema declare Node 22, yet run in browsers and on Node 20: only errors are worth showing.
  if (!run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'])) {
    throw new Error('Cannot install the dependencies: npm ci failed')
  }
}

export function installBrowser() {
  if (findChromium()) return
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.log('Installing Chromium')
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    run('apt-get', ['update', '-qq'], env)
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], env)
  }
  if (!findChromium()) {
    throw new Error('No Chrome or Chromium found: install one, or set CHROMIUM_PATH to its executable')
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    installDependencies()
    if (process.argv.includes('--browser')) installBrowser()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
