// Measures a production build in Chromium, under the policy of a strict page. `npm run bench -- loop fold` runs these.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { installBrowser, installDependencies, root } from './setup.mjs'

installDependencies()
installBrowser()
const { chromium } = await import('playwright')
const { build } = await import('vite')
const { chromiumArguments, findChromium } = await import('./chromium.mjs')
const { serve, strictPolicies } = await import('./serve.mjs')

/** @typedef {{ bench: import('../bench/main.js').BenchPage }} Bench */
/** @typedef {import('../bench/compare.js').Outcome} Outcome */

const results = join(root, 'bench', 'results')
const csp = { ...strictPolicies, page: `${strictPolicies.page} default` }
const outDir = mkdtempSync(join(tmpdir(), 'handrail-bench-'))

/** @param {Outcome} outcome */
function lineOf(outcome) {
  if ('why' in outcome) return `${outcome.what}: NOT MEASURED: ${outcome.why}`
  const { what, quantity = 'ms', unit, subject, baseline, ratio, aim } = outcome
  const times = `${subject.median.toPrecision(3)} against ${baseline.median.toPrecision(3)} ${quantity} a ${unit}`
  const spread = `${ratio.median.toPrecision(3)} (${ratio.low.toPrecision(3)} to ${ratio.high.toPrecision(3)})`
  const end = aim
    ? `; aim: ${aim.of} under ${aim.under}, is ${aim.is.toPrecision(3)}${aim.isMet ? '' : ', NOT MET'}`
    : ''
  return `${what}, against ${baseline.what}: ratio ${spread}, ${times}${end}`
}

/**
 * What all processes of a browser hold, as Linux tells.
 * @param {import('playwright').Browser} browser
 */
async function residentBytes(browser) {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  try {
    const pages = processInfo.map(({ id }) => Number(readFileSync(`/proc/${id}/statm`, 'utf8').split(' ')[1]))
    return pages.reduce((sum, each) => sum + each, 0) * 4096
  } catch {
    return undefined
  }
}

try {
  await build({
    root: join(root, 'bench'),
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir, emptyOutDir: true, sourcemap: false },
  })
  const server = await serve({ root: outDir, csp })
  const unguarded = await serve({ root: outDir, csp: { ...csp, page: '' } })
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: chromiumArguments,
  })
  try {
    const page = await browser.newPage()
    page.on('pageerror', (error) => console.error(error))
    await page.exposeFunction('residentBytes', () => residentBytes(browser))
    await page.goto(server.url)
    const names = await page.evaluate(() => /** @type {Bench} */ (/** @type {unknown} */ (globalThis)).bench.names)
    const asked = process.argv.slice(2)
    const unknown = asked.find((name) => !names.includes(name))
    if (unknown) throw new Error(`No benchmark is named ${unknown}: there are ${names.join(', ')}`)
    for (const name of asked.length > 0 ? asked : names) {
      const load = loadavg()[0] ?? 0
      await page.goto(server.url)
      const comparisons = await page.evaluate(
        (each) => /** @type {Bench} */ (/** @type {unknown} */ (globalThis)).bench.measure(each),
        name,
      )
      await page.goto(unguarded.url)
      comparisons.push(
        ...(await page.evaluate(
          (each) => /** @type {Bench} */ (/** @type {unknown} */ (globalThis)).bench.measureUnguarded(each),
          name,
        )),
      )
      for (const comparison of comparisons) console.log(lineOf(comparison))
      const environment = {
        browser: `Chromium ${browser.version()}`,
        platform: `${process.platform} ${process.arch}`,
        cores: availableParallelism(),
        loadBefore: Number(load.toFixed(2)),
      }
      mkdirSync(results, { recursive: true })
      writeFileSync(
        join(results, `${name}.json`),
        `${JSON.stringify({ name, environment, comparisons }, undefined, 2)}\n`,
      )
    }
  } finally {
    await browser.close()
    await Promise.all([server.close(), unguarded.close()])
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(outDir, { recursive: true, force: true })
}
