import { isBuiltIn } from '../core/built-ins.js'
import type { RunEvent } from '../core/events.js'

/**
 * Milliseconds that a script has taken, without those in which one of its tools or a person was waited for, or nobody drove the
 * run: what its `wallMs` limits.
 */
export function wallTime(events: readonly RunEvent[], callId: string, now: number): number {
  const startedAt = events.findLastIndex((event) => event.type === 'tool-start' && event.callId === callId)
  if (startedAt < 0) return 0
  const waitedFor = new Set<string>()
  let time = 0
  let last = events[startedAt]!.at
  for (let i = startedAt + 1; i < events.length; i++) {
    const event = events[i]!
    if (waitedFor.size === 0 && event.type !== 'lease-start') time += Math.max(0, event.at - last)
    last = event.at
    if (event.type === 'script-turn' && event.callId === callId)
      for (const call of event.calls) if (!isBuiltIn(call.toolName)) waitedFor.add(call.callId)
    if (event.type === 'tool-result') waitedFor.delete(event.callId)
  }
  return waitedFor.size === 0 ? time + Math.max(0, now - last) : time
}
