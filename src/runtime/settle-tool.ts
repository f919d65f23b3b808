import type { EventBody, Failure, Outcome, ToolResult } from '../core/events.js'
import type { CallState } from '../core/call-state.js'
import { parentOf } from '../core/state.js'
import { cut, shownPrints } from '../core/shown.js'
import type { EffectOf } from '../core/next.js'
import type { RunPorts } from './ports.js'
import { callsOf } from './script-calls.js'
import { bytesOf } from './tool-result.js'

/** Closes a call that was not executed, or a script that has ended. */
export async function settleTool(ports: RunPorts, { call, outcome }: EffectOf<'settle-tool'>): Promise<EventBody> {
  const { callId, script } = call
  ports.scripts.end(callId)
  if (!script) return { type: 'tool-result', callId, outcome, failure: failureOf(call, outcome), trusted: true }
  const beside = { ...printsOf(ports, callId), ...wordsOf(ports, callId) }
  if (script.outcome?.status === 'ok') {
    const { value } = script.outcome
    return { type: 'tool-result', callId, outcome: 'ok', output: value, ...beside, bytes: bytesOf(value) }
  }
  const made = callsOf(ports.log.events, callId)
  const output = made.length > 0 ? { output: { calls: made } } : {}
  return { type: 'tool-result', callId, outcome, failure: failureOf(call, outcome), ...output, ...beside }
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

function printsOf({ log }: RunPorts, callId: string): Pick<ToolResult, 'prints'> {
  const lines = log.events.flatMap((event) =>
    event.type === 'script-turn' && event.callId === callId ? (event.prints ?? []) : [],
  )
  return lines.length === 0 ? {} : { prints: cut(lines.join('\n'), shownPrints, 'print less, or return it') }
}

/**
 * Whose words a script speaks: the app's own if all that it was told were. What an earlier script left in its state may be
 * anybody's. And what we have to say of the calls that it made.
 */
function wordsOf({ log, memory }: RunPorts, callId: string): Pick<ToolResult, 'trusted' | 'note'> {
  const told = log.events.filter((event) => event.type === 'tool-result' && parentOf(event.callId) === callId)
  const results = told as readonly ToolResult[]
  const isClean =
    memory.provenance.untrusted.length === 0 || Object.keys(memory.stateAtStart(log.runId, callId)).length === 0
  const notes = [...new Set(results.flatMap(({ note }) => note ?? []))]
  return {
    ...(isClean && results.every(({ trusted }) => trusted) && { trusted: true }),
    ...(notes.length > 0 && { note: notes.join(' ') }),
  }
}
