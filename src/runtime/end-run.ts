import type { EventBody } from '../core/events.js'
import { budgetOf } from '../core/state.js'
import type { EffectOf } from '../core/next.js'
import type { RunPorts } from './ports.js'

export async function endRun({ log }: RunPorts, { outcome, budget, failure }: EffectOf<'end-run'>): Promise<EventBody> {
  if (outcome === 'completed' || outcome === 'cancelled') return { type: 'run-end', outcome }
  if (outcome === 'failed') {
    const reason = failure ?? { code: 'failed', message: 'The model gave no answer.', retryable: true }
    return {
      type: 'run-end',
      outcome,
      failure: reason,
      message: `The run failed: ${reason.message.replace(/\.?$/, '.')} ${doneSoFar(log.events)}`,
    }
  }
  const { state } = log
  const limit = budget ? budgetOf(state)[budget] : 0
  const unit = budget === 'time' ? 'ms of driven time' : (budget ?? '')
  const message = `The run used up its budget of ${limit} ${unit}. ${doneSoFar(log.events)} Hand over to a person to go on.`
  return { type: 'run-end', outcome, budget, message }
}

/** What a person must know who takes over: the writes, as far as they are known. */
function doneSoFar(events: RunPorts['log']['events']): string {
  const writes = new Map<string, string>()
  const names = new Map<string, string>()
  let settled = 0
  for (const event of events) {
    if (event.type === 'assistant-message' || event.type === 'script-turn')
      for (const { callId, toolName } of event.calls) names.set(callId, toolName)
    if (event.type === 'tool-decision' && event.mode === 'write') writes.set(event.callId, 'not done')
    if (event.type !== 'tool-result') continue
    settled++
    if (writes.has(event.callId)) writes.set(event.callId, event.outcome === 'ok' ? 'done' : event.outcome)
  }
  const list = [...writes].map(([callId, how]) => `${names.get(callId)} (${callId}): ${how}`)
  return `So far ${settled} calls ended${list.length > 0 ? `; writes: ${list.join(', ')}.` : ', none of them a write.'}`
}
