import type { EventBody, Failure, Outcome } from '../core/events.js'
import type { CallState } from '../core/call-state.js'
import { cut, shownPrints } from '../core/shown.js'
import type { EffectOf } from '../core/next.js'
import type { RunPorts } from './ports.js'
import { callsOf } from './script-calls.js'
import { bytesOf } from './tool-result.js'

/** Closes a call that was not executed, or a script that has ended. */
export async function settleTool(ports: RunPorts, { call, outcome }: EffectOf<'settle-tool'>): Promise<EventBody> {
  const { callId, script } = call
  ports.scripts.end(callId)
  const prints = script && printsOf(ports, callId)
  const printed = prints === undefined ? {} : { prints }
  if (script?.outcome?.status === 'ok') {
    const { value } = script.outcome
    return { type: 'tool-result', callId, outcome: 'ok', output: value, ...printed, bytes: bytesOf(value) }
  }
  const made = script && callsOf(ports.log.events, callId)
  const output = made && made.length > 0 ? { output: { calls: made } } : {}
  return { type: 'tool-result', callId, outcome, failure: failureOf(call, outcome), ...output, ...printed }
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
  return lines.length === 0 ? undefined : cut(lines.join('\n'), shownPrints, 'print less, or return it')
}
