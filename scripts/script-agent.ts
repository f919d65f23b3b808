import { parentPort, workerData } from 'node:worker_threads'
import type { ToolDefinition } from '../src/core/tool-definition.js'
import { withCheck } from '../src/sandbox/check.js'
import { scriptReader } from '../src/sandbox/check/reader.js'
import { engineName } from '../src/sandbox/engine-name.js'
import { createRemoteSandbox } from '../src/sandbox/worker/remote.js'
import type { ScriptOptions } from '../src/sandbox/script.js'
import { stripTypes } from '../src/sandbox/strip-types.js'
import { withTypeScript } from '../src/sandbox/typescript.js'
import { startThread } from './script-thread.mjs'
import { UsageError, checkPlace, toLimits, toTools } from './script-input.js'
import { runScript } from './script-run.js'
import { toWorker } from './script-worker.js'

/** What the thread that runs a script is given, as text from the command line. */
export interface ScriptTask {
  readonly code: string
  readonly tools: string
  readonly limits: string
  readonly locale: string
  readonly timeZone: string
  readonly seed: string
  /** The sandbox thread's code. */
  readonly sandbox: string
  readonly engine: WebAssembly.Module
}

/** Milliseconds between two signs of life. */
const beat = 500

async function run(task: ScriptTask) {
  try {
    const tools = toTools(task.tools)
    const seed = Number(task.seed)
    if (!Number.isFinite(seed)) throw new UsageError(`--seed is "${task.seed}": expected a number`)
    checkPlace(task.locale, task.timeZone)
    const options: ScriptOptions = {
      code: task.code,
      engine: engineName,
      tools: [...tools.keys()],
      definitions: [...tools.keys()].map(toDefinition),
      seed,
      locale: task.locale,
      timeZone: task.timeZone,
      state: {},
      limits: toLimits(task.limits),
    }
    const sandbox = createSandbox(task)
    // What it takes to make the worker is no time of the script.
    await sandbox.start({ ...options, code: 'return 1' }).start(0)
    return { report: await runScript(sandbox, options, tools) }
  } catch (error) {
    if (error instanceof UsageError) return { usage: error.message }
    throw error
  }
}

/** As the agent worker composes it. */
function createSandbox({ sandbox, engine }: ScriptTask) {
  const remote = createRemoteSandbox({
    spawn: () => toWorker(startThread(sandbox)),
    module: async () => engine,
    maxWorkers: 1,
  })
  const loadStripper = async () => stripTypes
  return withCheck(withTypeScript(remote, loadStripper), async () => scriptReader, loadStripper)
}

/** The file of tools says what they answer, not what they take. */
const toDefinition = (name: string): ToolDefinition => ({ name, description: '', input: {}, risk: 'read' })

setInterval(() => parentPort!.postMessage({}), beat)
parentPort!.postMessage(await run(workerData as ScriptTask))
