import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import axe from 'axe-core'
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright'
import { chromiumArguments, findChromium } from '../../scripts/chromium.mjs'

const root = join(import.meta.dirname, '../..')
/** Its own, so that no other build empties it in mid-test. */
const built = join(root, 'test-results/dist-demo')

/** Builds the demo, unless it is newer than everything that it is made of. @returns the folder to serve */
export function buildDemo(): string {
  const sources = ['index.html', 'vite.config.ts', 'package-lock.json', 'demo', 'src', 'workers']
  if (newest([join(built, 'index.html')]) > newest(sources.map((path) => join(root, path)))) return built
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const { status, stderr } = spawnSync(
    process.execPath,
    [vite, 'build', '--logLevel', 'warn', '--outDir', built, '--emptyOutDir'],
    { cwd: root },
  )
  if (status !== 0) throw new Error(`Cannot build the demo: ${stderr.toString()}`)
  return built
}

function newest(paths: readonly string[]): number {
  const times = paths.map((path) => {
    const info = statSync(path, { throwIfNoEntry: false })
    if (!info?.isDirectory()) return info?.mtimeMs ?? 0
    return newest(readdirSync(path).map((name) => join(path, name)))
  })
  return Math.max(0, ...times)
}

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: findChromium(), args: chromiumArguments })

export interface OpenDesk {
  readonly page: Page
  /** Names of the files that were asked for, by the page and by its workers. */
  readonly requested: ReadonlySet<string>
  send(text: string): Promise<void>
  /** Complaints that are meant to be. */
  forgive(pattern: RegExp): void
  /** @throws if the browser complained meanwhile: of errors, and of what a policy refused. */
  close(): Promise<void>
}

/** The desk as a new visitor finds it. */
export async function openDesk(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<OpenDesk> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
  context.setDefaultTimeout(15_000)
  const page = await context.newPage()
  const complaints: string[] = []
  const forgiven: RegExp[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  const requested = new Set<string>()
  context.on('request', (request) => requested.add(basename(new URL(request.url()).pathname)))
  await page.goto(url)
  return {
    page,
    requested,
    async send(text) {
      await page.getByRole('textbox', { name: 'Message' }).fill(text)
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('log').getByText(text).last().waitFor()
    },
    forgive: (pattern) => forgiven.push(pattern),
    async close() {
      await context.close()
      const unforgiven = complaints.filter((text) => !forgiven.some((pattern) => pattern.test(text)))
      if (unforgiven.length > 0) throw new Error(`The browser complained: ${unforgiven.join('\n')}`)
    },
  }
}

/** What axe-core finds wrong, as lines of text. Evaluated over the protocol, which no policy of the page refuses. */
export async function findAccessFaults(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page)
  await session.send('Runtime.evaluate', { expression: axe.source })
  const { result } = await session.send('Runtime.evaluate', {
    expression: `axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + failureSummary)))`,
    awaitPromise: true,
    returnByValue: true,
  })
  await session.detach()
  return result.value as readonly string[]
}
