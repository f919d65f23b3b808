import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser } from 'playwright'
import { build } from 'vite'
import { chromiumArguments, findChromium } from '../../scripts/chromium.mjs'
import { serve, type Policies } from '../../scripts/serve.mjs'

const root = join(import.meta.dirname, '../..')

export interface Site {
  readonly url: string
  readonly browser: Browser
  /** Serves the same page at another origin, under other policies. @returns its URL */
  serveUnder(policies: Policies): Promise<string>
  close(): Promise<void>
}

/** Builds the page in a folder of `test`. @returns the folder that is to be served, and removed */
export async function buildSite(folder: string, workerFormat: 'es' | 'iife' = 'es'): Promise<string> {
  const built = mkdtempSync(join(tmpdir(), 'handrail-site-'))
  await build({
    configFile: join(root, 'vite.config.ts'),
    root: join(root, 'test', folder),
    logLevel: 'error',
    worker: { format: workerFormat },
    build: { outDir: built, emptyOutDir: true, sourcemap: false, rollupOptions: { checks: { pluginTimings: false } } },
  })
  return built
}

/** Builds the page in a folder of `test`, serves it under the strict policies, and starts a Chromium to open it with. */
export async function openSite(folder: string, workerFormat: 'es' | 'iife' = 'es'): Promise<Site> {
  const built = await buildSite(folder, workerFormat)
  const [server, browser] = await Promise.all([
    serve({ root: built }),
    chromium.launch({ executablePath: findChromium(), args: chromiumArguments }),
  ])
  const servers = [server]
  return {
    url: server.url,
    browser,
    async serveUnder(csp) {
      servers.push(await serve({ root: built, csp }))
      return servers.at(-1)!.url
    },
    async close() {
      await browser.close()
      await Promise.all(servers.map((open) => open.close()))
      rmSync(built, { recursive: true, force: true })
    },
  }
}
