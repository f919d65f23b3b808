import type { Outcome, ToolCall } from '../../src/core/events.js'
import type { ScriptOutcome } from '../../src/core/script-outcome.js'
import type { CallState } from '../../src/core/call-state.js'
import { programs, type Fed, type Program } from './scenarios.js'

/** The calls of a script and its outcome, when the last of `fed` is fed to it. */
export function turnOf(
  call: CallState,
  fed: readonly string[],
  results: Readonly<Record<string, Outcome>>,
): { calls: ToolCall[]; outcome?: ScriptOutcome } {
  const delivered = fed.map((id): Fed => ({ n: numberOf(id), outcome: results[id]! }))
  const program = programOf(call)
  const { calls, outcome } = program(delivered)
  const before = fed.length === 0 ? 0 : program(delivered.slice(0, -1)).calls.length
  const added = calls.slice(before).map((asked, i): ToolCall => {
    const [toolName, to] = asked.split('>') as [string, string?]
    return {
      callId: `${call.callId}/${before + i}`,
      toolName,
      input: { id: `${call.callId}/${before + i}`, to: to ?? 'a' },
      caller: 'script',
    }
  })
  if (!outcome) return { calls: added }
  const failure = { code: 'script_thrown', message: 'thrown', retryable: false } as const
  return { calls: added, outcome: outcome === 'ok' ? { status: 'ok', value: null } : { status: 'error', failure } }
}

export function programOf({ input }: CallState): Program {
  const program = typeof input === 'string' ? programs[input] : undefined
  if (!program) throw new Error(`Cannot run ${JSON.stringify(input)}: there are ${Object.keys(programs).join(', ')}`)
  return program
}

/** Position of a script's call in its own sequence. */
export const numberOf = (callId: string): number => Number(callId.slice(callId.lastIndexOf('/') + 1))
