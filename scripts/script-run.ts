import { isBuiltIn } from '../src/core/built-ins.js'
import type { ScriptFailure } from '../src/core/script-outcome.js'
import type { Json } from '../src/core/json.js'
import { scriptFailure } from '../src/sandbox/script.js'
import type { HostCall, HostResult, Sandbox, ScriptOptions, ScriptTurn } from '../src/sandbox/script.js'
import { answerBuiltIn } from './script-built-ins.js'
import type { Answer } from './script-input.js'

/** What one script did: the line that the command prints. */
export interface Report {
  readonly ok: boolean
  readonly value: Json
  readonly prints: readonly string[]
  /** Of tools, in the order in which they were made. `skipped`: the script ended before it was answered. */
  readonly calls: readonly CallReport[]
  readonly error: ErrorReport | null
  /** Milliseconds of CPU. */
  readonly cpuMs: number
  /** Milliseconds without those in which a tool was waited for. */
  readonly wallMs: number
  /** The most that the isolate had. */
  readonly memoryBytes: number
}
interface CallReport {
  readonly tool: string
  readonly input: Json
  outcome: 'ok' | 'error' | 'skipped'
}
export interface ErrorReport {
  /** The code of the failure without `script_`, as `tool-error`. */
  readonly kind: string
  readonly message: string
  readonly line: number | null
  readonly column: number | null
  readonly frame?: string
  readonly hint?: string
}

interface OpenCall {
  readonly call: HostCall
  readonly due: number
  readonly result: HostResult
  readonly report?: CallReport
}

/** Runs one script to its end. Never rejects. */
export async function runScript(
  sandbox: Sandbox,
  options: ScriptOptions,
  tools: ReadonlyMap<string, Answer>,
): Promise<Report> {
  const { wallMs: mostWall } = options.limits
  const script = sandbox.start(options)
  const open: OpenCall[] = []
  const calls: CallReport[] = []
  const prints: string[] = []
  let [cpuMs, wallMs, memoryBytes] = [0, 0, 0]

  /** Waits, and counts the time in which no tool is waited for. False: there is no such time left. */
  async function within(work: Promise<unknown>): Promise<boolean> {
    const isCounted = !open.some(({ report }) => report)
    const from = performance.now()
    let timer: NodeJS.Timeout | undefined
    const over = new Promise<boolean>((resolve) => {
      if (isCounted) timer = setTimeout(resolve, Math.min(mostWall - wallMs, longestTimer), false)
    })
    const inTime = await Promise.race([work.then(() => true), over])
    clearTimeout(timer)
    if (isCounted) wallMs += performance.now() - from
    return inTime
  }

  async function turnOf(advance: (at: number) => Promise<ScriptTurn>): Promise<ScriptTurn> {
    const from = performance.now()
    const running = advance(Date.now())
    if (!(await within(running))) script.end()
    const turn = await running
    // A worker that was terminated can't say what it took.
    const isLost = turn.memoryBytes === 0 && turn.cpuMs === 0 && !isChecked(turn)
    cpuMs += isLost ? performance.now() - from : turn.cpuMs
    memoryBytes = Math.max(memoryBytes, turn.memoryBytes)
    prints.push(...turn.prints)
    const madeAt = performance.now()
    for (const call of turn.calls) open.push(opened(call, madeAt))
    return turn
  }

  function opened(call: HostCall, madeAt: number): OpenCall {
    if (isBuiltIn(call.toolName)) {
      const { result, delayMs } = answerBuiltIn(call.toolName, call.input, [...tools.keys()])
      return { call, result, due: madeAt + delayMs }
    }
    const report: CallReport = { tool: call.toolName, input: call.input, outcome: 'skipped' }
    calls.push(report)
    const answer = tools.get(call.toolName)!
    const result: HostResult =
      'value' in answer ? { status: 'ok', value: answer.value } : { status: 'error', failure: answer.failure }
    return { call, result, due: madeAt + answer.delayMs, report }
  }

  async function toEnd(): Promise<ScriptTurn['outcome']> {
    let turn = await turnOf((at) => script.start(at))
    while (!turn.outcome) {
      if (wallMs >= mostWall) return undefined
      // The sort is stable: calls that are due at the same time stay in the order in which they were made.
      const [next] = open.sort((a, b) => a.due - b.due)
      if (!next) return { status: 'error', failure: scriptFailure('script_crashed', 'It waits, and no call is open.') }
      if (!(await within(until(next.due)))) return undefined
      open.shift()
      if (next.report) next.report.outcome = next.result.status
      turn = await turnOf((at) => script.resume({ n: next.call.n, at, result: next.result }))
    }
    return wallMs >= mostWall && turn.memoryBytes === 0 ? undefined : turn.outcome
  }

  const outcome = await toEnd()
  script.end()
  return {
    ok: outcome?.status === 'ok',
    value: outcome?.status === 'ok' ? outcome.value : null,
    prints,
    calls,
    error: outcome?.status === 'ok' ? null : toError(outcome?.failure ?? wallFailure(mostWall)),
    cpuMs: rounded(cpuMs),
    wallMs: rounded(wallMs),
    memoryBytes,
  }
}

const isChecked = ({ outcome }: ScriptTurn): boolean =>
  outcome?.status === 'error' && outcome.failure.code === 'script_check'

const longestTimer = 2 ** 31 - 1
const rounded = (milliseconds: number) => Math.round(milliseconds * 1000) / 1000

async function until(time: number): Promise<void> {
  for (let left = time - performance.now(); left > 0; left = time - performance.now())
    await new Promise((resolve) => setTimeout(resolve, Math.min(left, longestTimer)))
}

const wallFailure = (wallMs: number): ScriptFailure =>
  scriptFailure('script_wall', `The script took more than ${wallMs} ms without waiting for a tool.`)

export const toError = ({ code, message, line = null, column = null, frame, hint }: Failed): ErrorReport => ({
  kind: code.replace(/^script_/, '').replaceAll('_', '-'),
  message,
  line,
  column,
  ...(frame !== undefined && { frame }),
  ...(hint !== undefined && { hint }),
})
type Failed = Omit<ScriptFailure, 'line' | 'column'> & { line?: number | null; column?: number | null }
