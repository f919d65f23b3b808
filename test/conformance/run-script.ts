import type { Json } from '../../src/core/json.js'
import { engineName } from '../../src/sandbox/engine-name.js'
import { defaultLimits } from '../../src/sandbox/script.js'
import type {
  HostCall,
  HostResult,
  Sandbox,
  Script,
  ScriptLimits,
  ScriptFailure,
  ScriptOptions,
  ScriptTurn,
} from '../../src/sandbox/script.js'

export interface RunOptions {
  /** Answers each call; by default with its input. */
  readonly answer?: (call: HostCall) => HostResult | Promise<HostResult>
  readonly tools?: readonly string[]
  readonly seed?: number
  readonly limits?: Partial<ScriptLimits>
  readonly more?: Partial<ScriptOptions>
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
const unhurried: ScriptLimits = { ...defaultLimits, cpuMs: 30_000, totalCpuMs: 60_000 }

export function startScript(sandbox: Sandbox, code: string, options: RunOptions = {}): Script {
  const { tools = ['echo', 'other'], seed = 1, limits, more } = options
  return sandbox.start({ ...scriptOptions(code, { tools, seed, limits: { ...unhurried, ...limits } }), ...more })
}

/** All that a script starts with, where a test does not say otherwise. */
export const scriptOptions = (code: string, more: Partial<ScriptOptions> = {}): ScriptOptions => ({
  code,
  engine: engineName,
  tools: ['echo', 'other'],
  seed: 1,
  locale: 'en-GB',
  timeZone: 'UTC',
  state: {},
  limits: defaultLimits,
  ...more,
})

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
    turn = await script.resume({ n: call.n, at: at + turns, result: await answer(call) })
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
  return outcome.status === 'error' ? toText(outcome.failure) : `ok: ${JSON.stringify(outcome.value)}`
}

const toText = ({ code, message, line, column, frame = '' }: ScriptFailure): string => {
  const shown = /^> *\d+ \| (.*)$/m.exec(frame)?.[1]?.trim()
  return `${code}: ${message}${line === undefined ? '' : ` (line ${line}, column ${column}: ${shown})`}`
}
