// Lays the engine's wasm beside the agent worker, which names it by a plain relative URL: the form that every bundler knows.
import { copyFileSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import process from 'node:process'
import { root } from './setup.mjs'

const source = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
const folder = join(root, process.argv[2] ?? 'workers')
mkdirSync(folder, { recursive: true })
copyFileSync(source, join(folder, 'quickjs.wasm'))
