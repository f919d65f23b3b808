import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright'
import { build } from 'vite'
import { chromiumArguments, findChromium } from '../../scripts/chromium.mjs'
import type { StorePage } from './page.js'

const origin = 'http://localhost:1'

/** A Chromium with a profile of its own, so that it can be killed, filled, and started again. */
export interface Browser {
  readonly page: Page
  openPage(): Promise<Page>
  /** Ends every process of it at once, as a crash of the computer would. */
  kill(): Promise<void>
}

export interface Profile {
  start(): Promise<Browser>
  remove(): Promise<void>
}

let bundled: Promise<string> | undefined

export async function createProfile(): Promise<Profile> {
  const folder = mkdtempSync(join(tmpdir(), 'handrail-profile-'))
  const script = await (bundled ??= bundle(join(import.meta.dirname, 'page.ts')))
  const running = new Set<Browser>()
  return {
    async start() {
      const browser = await startChromium(folder, script)
      running.add(browser)
      return browser
    },
    async remove() {
      for (const browser of running) await browser.kill()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Calls one of the functions of `page.ts` in the page. */
export const call = <Name extends keyof StorePage>(page: Page, name: Name, ...args: unknown[]) =>
  page.evaluate(`storePage.${name}(${args.map((arg) => JSON.stringify(arg)).join()})`) as ReturnType<StorePage[Name]>

async function startChromium(folder: string, script: string): Promise<Browser> {
  const path = findChromium()
  if (path === undefined) throw new Error('Cannot start Chromium: none found, set CHROMIUM_PATH')
  const args = [
    '--headless',
    ...chromiumArguments,
    '--remote-debugging-port=0',
    `--user-data-dir=${folder}`,
    'about:blank',
  ]
  const child = spawn(path, args, { detached: true, stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const endpoint = new Promise<string>((resolve, reject) => {
    let output = ''
    child.stderr.on('data', (data) => {
      output += data
      const found = /DevTools listening on (ws:\S+)/.exec(output)
      if (found) resolve(found[1]!)
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(`Cannot start Chromium: it ended, saying ${output}`)))
  })
  const browser = await chromium.connectOverCDP(await endpoint)
  const context = browser.contexts()[0]!
  await context.route(`${origin}/**`, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }))
  const openPage = async () => {
    const page = await context.newPage()
    await page.goto(`${origin}/`)
    await page.addScriptTag({ content: script })
    return page
  }
  return {
    page: await openPage(),
    openPage,
    async kill() {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL')
      await ended
    },
  }
}

/** One classic script, for a page that no server serves. */
async function bundle(entry: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, minify: false, rollupOptions: { input: entry, output: { format: 'iife' } } },
  })
  if (!('output' in built)) throw new Error(`Cannot bundle ${entry}: expected one output`)
  return built.output[0].code
}
