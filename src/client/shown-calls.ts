import type { RunEvent } from '../core/events.js'
import type { RunState } from '../core/state.js'
import type { Approval, FailedCall } from './answers.js'

export const toApprovals = ({ calls }: RunState): readonly Approval[] =>
  [...calls.values()]
    .filter(({ phase }) => phase === 'asking')
    .map(({ callId, toolName, checked = null, reasons = [], hash = '', detail = {}, decidedAt: askedAt = 0 }) => ({
      callId,
      toolName,
      input: checked,
      ...(detail.risk && { risk: detail.risk }),
      reasons,
      hash,
      detail,
      askedAt,
      ...(detail.expires !== undefined && { expiresAt: askedAt + detail.expires }),
    }))

export function toFailedCalls(events: readonly RunEvent[]): readonly FailedCall[] {
  const calls = new Map(
    events.flatMap((event) => ('calls' in event ? event.calls.map((call) => [call.callId, call.toolName]) : [])),
  )
  return events.flatMap((event) => {
    if (event.type !== 'tool-result' || !event.tellPerson) return []
    const { callId, outcome, failure } = event
    return [{ callId, toolName: calls.get(callId) ?? '', outcome, ...(failure && { failure }) }]
  })
}
