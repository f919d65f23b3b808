// Lays the bundles of the three entries out in dist-size/ENTRY/{first,lazy}: what loads at once, and what may follow.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { build } from 'vite'
import { root } from './setup.mjs'

const out = join(root, 'dist-size')

/**
 * @typedef {{ type: 'chunk', fileName: string, code: string, isEntry: boolean, imports: string[] }} Chunk
 * @typedef {Chunk | { type: 'asset', fileName: string, source: string | Uint8Array }} Output
 */

/** What Vite adds to a page that loads anything lazily is the bundler's, and no part of ours. */
const withoutPreload = {
  name: 'without-preload',
  enforce: /** @type {const} */ ('pre'),
  /** @param {string} id */
  load: (id) => (id.endsWith('vite/preload-helper.js') ? 'export const __vitePreload = (load) => load()' : undefined),
}

/** What every app takes. The rest of the entry is for models of one's own, and a bundler leaves it out. */
const app = {
  name: 'app',
  enforce: /** @type {const} */ ('pre'),
  /** @param {string} id */
  resolveId: (id) => (id.endsWith('/app') ? '\0app' : undefined),
  /** @param {string} id */
  load: (id) =>
    id === '\0app'
      ? `export { createAgent, defineTool, HandrailError, ToolError } from ${JSON.stringify(join(root, 'src/index.ts'))}`
      : undefined,
}

/** @param {string} name @param {string} input */
async function bundle(name, input) {
  const result = await build({
    root,
    logLevel: 'warn',
    plugins: [withoutPreload, app],
    build: {
      write: false,
      sourcemap: false,
      modulePreload: false,
      rolldownOptions: {
        input: { [name]: join(root, input) },
        preserveEntrySignatures: 'strict',
        output: { codeSplitting: name !== 'sandbox.worker' },
      },
    },
  })
  if (!('output' in result)) throw new Error(`Cannot measure ${input}: Vite gave no bundle`)
  const outputs = /** @type {Output[]} */ (/** @type {unknown} */ (result.output))
  const first = outputs.filter((output) => output.type === 'chunk' && output.isEntry)
  for (const chunk of first) {
    if (chunk.type !== 'chunk') continue
    first.push(...outputs.filter((output) => chunk.imports.includes(output.fileName) && !first.includes(output)))
  }
  for (const output of outputs) {
    const path = join(out, name, first.includes(output) ? 'first' : 'lazy', output.fileName)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, output.type === 'chunk' ? output.code : output.source)
  }
}

rmSync(out, { recursive: true, force: true })
await bundle('page', 'app')
await bundle('agent.worker', 'workers/agent.worker.ts')
await bundle('sandbox.worker', 'workers/sandbox.worker.ts')
const wasm = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
copyFileSync(wasm, join(out, 'sandbox.worker', 'first', 'quickjs.wasm'))
