// Measures a production build in Chromium, under the policy of a strict page. `npm run bench -- loop fold` runs these.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
/** @typedef {import('../bench/compare.js').Comparison} Comparison */

const results = join(root, 'bench', 'results')
const csp = { ...strictPolicies, page: `${strictPolicies.page} default` }
const outDir = mkdtempSync(join(tmpdir(), 'handrail-bench-'))

/** @param {Comparison} comparison */
function lineOf({ what, unit, subject, baseline, ratio, aim }) {
  const times = `${subject.median.toPrecision(3)} against ${baseline.median.toPrecision(3)} ms a ${unit}`
  const spread = `${ratio.median.toPrecision(3)} (${ratio.low.toPrecision(3)} to ${ratio.high.toPrecision(3)})`
  const end = aim
    ? `; aim: ${aim.of} under ${aim.under}, is ${aim.is.toPrecision(3)}${aim.isMet ? '' : ', NOT MET'}`
    : ''
  return `${what}: ratio ${spread}, ${times}${end}`
}

try {
  await build({
    root: join(root, 'bench'),
    configFile: join(root, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir, emptyOutDir: true, sourcemap: false },
  })
  const server = await serve({ root: outDir, csp })
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: chromiumArguments,
  })
  try {
    const page = await browser.newPage()
    page.on('pageerror', (error) => console.error(error))
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
    await server.close()
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
} finally {
  rmSync(outDir, { recursive: true, force: true })
}
