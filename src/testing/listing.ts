import type { RunEvent } from '../core/events.js'

/** The tool of each call. */
export function namesOf(events: readonly RunEvent[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const event of events)
    if (event.type === 'assistant-message' || event.type === 'script-turn')
      for (const { callId, toolName } of event.calls) names.set(callId, toolName)
  return names
}

export function nameOf(event: RunEvent, names: ReadonlyMap<string, string>): string {
  if ('callId' in event) return `${event.type} of call ${event.callId} (${names.get(event.callId) ?? '?'})`
  return 'step' in event ? `${event.type} of step ${event.step}` : event.type
}
