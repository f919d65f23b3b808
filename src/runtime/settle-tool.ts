import type { EventBody, Failure, Outcome } from '../core/events.js'
import type { Json } from '../core/json.js'
import type { CallState } from '../core/state.js'
import type { EffectOf } from '../core/next.js'
import type { RunPorts } from './ports.js'
import { bytesOf } from './tool-result.js'

/** Characters of a script's prints that the model is shown. The log has all of them. */
const shownPrints = 8_000

/** Closes a call that was not executed, or a script that has ended. */
export async function settleTool(ports: RunPorts, { call, outcome }: EffectOf<'settle-tool'>): Promise<EventBody> {
  const { callId, script } = call
  ports.scripts.get(callId)?.script.end()
  ports.scripts.delete(callId)
  const prints = script ? printsOf(ports, callId) : undefined
  if (script?.outcome?.status === 'ok') {
    const { value } = script.outcome
    const output: Json = prints ? { result: value, prints } : value
    return { type: 'tool-result', callId, outcome: 'ok', output, bytes: bytesOf(output) }
  }
  const failure = failureOf(call, outcome)
  return { type: 'tool-result', callId, outcome, failure, ...(prints ? { output: { prints } } : {}) }
}

function failureOf(call: CallState, outcome: Outcome): Failure {
  const failure = call.script?.outcome?.status === 'error' ? call.script.outcome.failure : call.failure
  if (failure) return failure
  const message =
    outcome === 'skipped'
      ? 'The script ended before this call was started.'
      : outcome === 'cancelled'
        ? 'The run was stopped before this call was done.'
        : 'This call was refused.'
  return { code: outcome, message, retryable: false }
}

function printsOf({ log }: RunPorts, callId: string): string | undefined {
  const lines = log.events.flatMap((event) =>
    event.type === 'script-turn' && event.callId === callId ? (event.prints ?? []) : [],
  )
  if (lines.length === 0) return undefined
  const text = lines.join('\n')
  if (text.length <= shownPrints) return text
  return `${text.slice(0, shownPrints)}\n[cut: ${shownPrints} of ${text.length} characters are shown]`
}
