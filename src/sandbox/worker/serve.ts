import { engineName, latestVersion } from '../engine-name.js'
import { prepareGuest, type PreparedGuest } from '../isolate/prepared-guest.js'
import { isSandboxRequest } from './protocol.js'
import type { Isolation, SandboxAnswer, SandboxRequest } from './protocol.js'
import { createIsolate } from '../isolate/quickjs.js'
import type { Isolate } from '../isolate/quickjs.js'
import { defaultLimits, longestBatch, type FedResult, type ScriptOptions, type ScriptTurn } from '../script.js'
import { stripGlobals } from './strip-globals.js'

/** The part of a worker's global scope that is used. */
export interface SandboxScope {
  postMessage(message: SandboxAnswer): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
}

/** The worker's half: gives its globals up before it reads a byte of the guest, and runs one script at a time. */
export function serveSandbox(scope: SandboxScope): void {
  let module: WebAssembly.Module | undefined
  let isolate: Isolate | undefined
  /** Made while there is no script: the next one then starts at once. */
  let prepared: PreparedGuest | undefined
  let memory = defaultLimits.memoryBytes
  let queue = Promise.resolve()

  scope.addEventListener('message', ({ data }) => {
    if (!isSandboxRequest(data)) return
    const { id } = data
    queue = queue.then(async () => {
      try {
        scope.postMessage({ id, ...(await answer(data)) })
      } catch (error) {
        scope.postMessage({ id, type: 'failed', message: error instanceof Error ? error.message : String(error) })
      }
      if (module && !isolate) await prepare(module)
    })
  })

  async function answer(request: SandboxRequest): Promise<Answer> {
    switch (request.type) {
      case 'load': {
        const isolation = await testIsolation()
        stripGlobals()
        module = request.module
        return { type: 'ready', engine: engineName, isolation }
      }
      case 'start':
        if (!module) throw new Error('Cannot start a script: the engine is not loaded')
        isolate = await isolateOf(module, request.options)
        return { type: 'turns', turns: [isolate.start(request.at)] }
      case 'replay':
        if (!module) throw new Error('Cannot replay a script: the engine is not loaded')
        isolate = await isolateOf(module, request.options)
        return { type: 'turns', turns: isolate.replay(request.at, request.results) }
      case 'resume':
        if (!isolate) throw new Error('Cannot resume a script: none has started')
        return { type: 'turns', turns: resumed(isolate, request.results) }
      case 'end':
        isolate = undefined
        return { type: 'ended' }
    }
  }

  function isolateOf(module: WebAssembly.Module, options: ScriptOptions): Promise<Isolate> {
    const given = prepared
    prepared = undefined
    memory = options.limits.memoryBytes
    return createIsolate(module, options, given)
  }

  async function prepare(module: WebAssembly.Module): Promise<void> {
    try {
      prepared ??= await prepareGuest(module, memory, latestVersion)
    } catch {
      // Its script is told, as it then makes its own.
    }
  }
}

function resumed(isolate: Isolate, results: readonly FedResult[]): ScriptTurn[] {
  const until = performance.now() + longestBatch
  const turns: ScriptTurn[] = []
  for (const fed of results) {
    const turn = isolate.resume(fed)
    turns.push(turn)
    if (turn.outcome || performance.now() > until) break
  }
  return turns
}

type Answer = SandboxAnswer extends infer Each ? (Each extends SandboxAnswer ? Omit<Each, 'id'> : never) : never

/** A module that the worker's policy must refuse to import; held in a variable so that bundlers leave it alone. */
const probe = 'data:text/javascript,0'

const testIsolation = (): Promise<Isolation> =>
  import(/* @vite-ignore */ probe).then(
    () => 'strip-only',
    () => 'csp',
  )
