import { isBuiltIn } from '../core/built-ins.js'
import type { RunEvent } from '../core/events.js'

/**
 * Milliseconds in which a script only slept: no tool and no person was waited for, and the run was driven. What its `wallMs`
 * limits; its computing has limits of its own, and waiting for a worker is not its fault.
 */
export function sleptTime(events: readonly RunEvent[], callId: string, now: number): number {
  const open = { tools: new Set<string>(), builtIns: new Set<string>() }
  const sleeps = () => open.builtIns.size > 0 && open.tools.size === 0
  let time = 0
  let last = 0
  for (const event of events) {
    if (sleeps() && event.type !== 'lease-start') time += Math.max(0, event.at - last)
    last = event.at
    if (event.type === 'script-turn' && event.callId === callId)
      for (const call of event.calls) open[isBuiltIn(call.toolName) ? 'builtIns' : 'tools'].add(call.callId)
    if (event.type !== 'tool-result') continue
    open.tools.delete(event.callId)
    open.builtIns.delete(event.callId)
  }
  return sleeps() ? time + Math.max(0, now - last) : time
}
