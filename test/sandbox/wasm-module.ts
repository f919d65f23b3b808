import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** The engine as Node reads it from the package, compiled once. */
export const wasmModule = new WebAssembly.Module(
  readFileSync(createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')),
)
