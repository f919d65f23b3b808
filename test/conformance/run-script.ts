import type { Json } from '../../src/core/json.js'
import { defaultLimits } from '../../src/sandbox/script.js'
import type { HostCall, HostResult, Sandbox, Script, ScriptLimits, ScriptTurn } from '../../src/sandbox/script.js'

export interface RunOptions {
  /** Answers each call; by default with its input. */
  readonly answer?: (call: HostCall) => HostResult | Promise<HostResult>
  readonly tools?: readonly string[]
  readonly seed?: number
  readonly limits?: Partial<ScriptLimits>
}

export interface Run {
  readonly outcome: NonNullable<ScriptTurn['outcome']>
  readonly calls: readonly HostCall[]
  readonly prints: readonly string[]
  readonly turns: number
}

export const at = 1_700_000_000_000

export const ok = (value: Json): HostResult => ({ status: 'ok', value })
export const failure = (code: string, message = code): HostResult => ({
  status: 'error',
  failure: { code, message, retryable: false },
})

/** Time to spare on a loaded machine: only tests of the limit itself set another. */
const unhurried: ScriptLimits = { ...defaultLimits, cpu: 30_000, totalCpu: 60_000 }

export function startScript(sandbox: Sandbox, code: string, options: RunOptions = {}): Script {
  const { tools = ['echo', 'other'], seed = 1, limits } = options
  return sandbox.start({ code, tools, seed, limits: { ...unhurried, ...limits } })
}

/** Runs a script to its outcome; each call is answered in the order in which it was made, a millisecond apart. */
export async function runScript(sandbox: Sandbox, code: string, options: RunOptions = {}): Promise<Run> {
  const script = startScript(sandbox, code, options)
  const { answer = (call) => ok(call.input) } = options
  const calls: HostCall[] = []
  const prints: string[] = []
  let turn = await script.start(at)
  for (let turns = 1; ; turns++) {
    calls.push(...turn.calls)
    prints.push(...turn.prints)
    if (turn.outcome) {
      script.end()
      return { outcome: turn.outcome, calls, prints, turns }
    }
    const call = calls[turns - 1]
    if (!call) throw new Error('The script waits, and no call is open')
    turn = await script.resume(call.n, at + turns, await answer(call))
  }
}

/** The value that a script returns. */
export async function valueOf(sandbox: Sandbox, code: string, options: RunOptions = {}): Promise<Json> {
  const { outcome } = await runScript(sandbox, code, options)
  if (outcome.status === 'error') throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`)
  return outcome.value
}

/** Code and message with which a script fails. */
export async function failureOf(sandbox: Sandbox, code: string, options: RunOptions = {}): Promise<string> {
  const { outcome } = await runScript(sandbox, code, options)
  return outcome.status === 'error'
    ? `${outcome.failure.code}: ${outcome.failure.message}`
    : `ok: ${JSON.stringify(outcome.value)}`
}
