import { HandrailError } from '../errors.js'
import { withCheck } from '../sandbox/check.js'
import { engineName, versionOf } from '../sandbox/engine-name.js'
import type { Sandbox, Script } from '../sandbox/script.js'
import type { createIsolate } from '../sandbox/isolate/quickjs.js'
import { withTypeScript } from '../sandbox/typescript.js'

const loadReader = async () => (await import('../sandbox/check/reader.js')).scriptReader
const loadStripper = async () => (await import('../sandbox/strip-types.js')).stripTypes

/**
 * The real engine in this thread, for scripts that have run before: without workers, and so without the watchdog that ends a
 * worker. In Node and in a browser; loaded when the first script starts.
 */
export const createIsolateSandbox = (): Sandbox =>
  withCheck(withTypeScript(inThread(loadOnce()), loadStripper), loadReader, loadStripper)

const inThread = (engine: () => Promise<Engine>): Sandbox => ({
  engine: engineName,
  runs: (name) => versionOf(name) !== undefined,
  start(options): Script {
    const isolate = engine().then((loaded) => loaded.createIsolate(loaded.module, options))
    isolate.catch(() => undefined)
    return {
      start: async (at) => (await isolate).start(at),
      replay: async (at, results) => (await isolate).replay(at, results),
      resume: async (fed) => (await isolate).resume(fed),
      end: () => undefined,
    }
  },
})

interface Engine {
  readonly module: WebAssembly.Module
  readonly createIsolate: typeof createIsolate
}

function loadOnce(): () => Promise<Engine> {
  let loaded: Promise<Engine> | undefined
  return () =>
    (loaded ??= Promise.all([compile(), import('../sandbox/isolate/quickjs.js')]).then(([module, isolate]) => ({
      module,
      createIsolate: isolate.createIsolate,
    })))
}

/** The form that every bundler knows. Node cannot fetch a file. */
async function compile(): Promise<WebAssembly.Module> {
  const url = new URL('../../workers/quickjs.wasm', import.meta.url)
  if (url.protocol === 'file:') return WebAssembly.compile(readFile(url))
  const { compileEngine } = await import('../sandbox/worker/compile.js')
  return compileEngine(url)
}

interface FileReader {
  readFileSync(path: URL): Uint8Array<ArrayBuffer>
}

/** Asked for by its name at run time: a bundler for the browser must find no module of Node here. */
function readFile(url: URL): Uint8Array<ArrayBuffer> {
  const { process } = globalThis as {
    readonly process?: { readonly getBuiltinModule?: (name: string) => unknown }
  }
  const files = process?.getBuiltinModule?.('node:fs') as FileReader | undefined
  if (!files)
    throw new HandrailError('sandbox_unavailable', `Cannot read ${url.href}: give "sandbox", one that can run here`)
  return files.readFileSync(url)
}
