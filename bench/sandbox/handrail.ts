import { engineName } from '../../src/sandbox/engine-name.js'
import type { Json } from '../../src/core/json.js'
import { createIsolate } from '../../src/sandbox/isolate/quickjs.js'
import {
  defaultLimits,
  type FedResult,
  type HostCall,
  type Sandbox,
  type ScriptLimits,
  type ScriptOptions,
  type ScriptTurn,
} from '../../src/sandbox/script.js'
import { bodyOf, type Contender, type Tools } from './contender.js'

/** What a thousand calls at once, and 10 MB, need; nothing is switched off. */
const roomy: Partial<ScriptLimits> = { calls: 10_000, openCalls: 10_000, resultBytes: 64 << 20, returnBytes: 64 << 20 }

export const optionsOf = (
  code: string,
  tools: readonly string[],
  limits: Partial<ScriptLimits> = roomy,
): ScriptOptions => ({
  code,
  engine: engineName,
  tools,
  seed: 7,
  locale: 'en-GB',
  timeZone: 'Europe/Berlin',
  state: {},
  limits: { ...defaultLimits, ...limits },
})

/** The isolate in this very thread. */
export const handrailIn = (module: WebAssembly.Module): Contender => ({
  name: 'handrail',
  async prepare(script, tools) {
    const isolate = await createIsolate(module, optionsOf(bodyOf(script), Object.keys(tools)))
    return { run: () => drive(isolate, tools), close: () => undefined }
  },
})

/** In a sandbox worker, as the agent worker has it. */
export const handrailOver = (sandbox: Sandbox, driver: typeof drive): Contender => ({
  name: 'handrail, in a sandbox worker',
  async prepare(script, tools) {
    const started = sandbox.start(optionsOf(bodyOf(script), Object.keys(tools)))
    return { run: () => driver(started, tools), close: () => started.end() }
  },
})

interface Machine {
  start(at: number): ScriptTurn | Promise<ScriptTurn>
  resume(fed: FedResult): ScriptTurn | Promise<ScriptTurn>
}

/** Answers each call as soon as its tool has, and waits for each turn before the next result is fed. */
export async function drive(script: Machine, tools: Tools): Promise<unknown> {
  const results: FedResult[] = []
  let wake = (): void => undefined
  let turn = await script.start(Date.now())
  for (let next = 0; ; next++) {
    if (turn.outcome) return valueOf(turn.outcome)
    for (const call of turn.calls) {
      void answer(call, tools).then((fed) => {
        results.push(fed)
        wake()
      })
    }
    while (next === results.length) await new Promise<void>((resolve) => (wake = resolve))
    turn = await script.resume(results[next]!)
  }
}

/** Feeds each result as soon as it is there, whatever turns are under way. */
export async function driveAtOnce(script: Machine, tools: Tools): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const take = (turn: ScriptTurn) => {
      if (turn.outcome?.status === 'ok') resolve(turn.outcome.value)
      else if (turn.outcome) reject(new Error(turn.outcome.failure.message))
      for (const call of turn.calls) void answer(call, tools).then(async (fed) => take(await script.resume(fed)))
    }
    void Promise.resolve(script.start(Date.now())).then(take)
  })
}

async function answer({ n, toolName, input }: HostCall, tools: Tools): Promise<FedResult> {
  return { n, at: Date.now(), result: { status: 'ok', value: (await tools[toolName]!(input as never)) as Json } }
}

export function valueOf(outcome: ScriptTurn['outcome']): unknown {
  if (outcome?.status === 'ok') return outcome.value
  throw new Error(`A script of the benchmark failed: ${outcome?.failure.message ?? 'it has not ended'}`)
}
