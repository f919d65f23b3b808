import type { CallState } from '../core/call-state.js'
import type { Json } from '../core/json.js'
import type { Reply } from './protocol.js'
import type { RunPorts } from './ports.js'
import { done } from './tool-result.js'

/** An answer that comes after the call settled as unknown is news. */
export function watchLate(ports: RunPorts, call: CallState, late: Promise<Reply<Json>>): void {
  const { log } = ports
  const { callId } = call
  void late.then((reply) => {
    if (!reply.ok) return
    if (log.state.unknown.has(callId)) return tell(ports, call, reply.value)
    const stop = log.subscribe((event) => {
      if (event.type !== 'tool-result' || event.callId !== callId) return
      stop()
      if (event.outcome === 'unknown') void tell(ports, call, reply.value)
    })
  })
}

async function tell(ports: RunPorts, call: CallState, value: Json): Promise<void> {
  const { log, memory } = ports
  const { callId, toolName } = call
  const { output, trusted, warnings } = await done(ports, call, value)
  if (!memory.findUnknown(log.runId, callId)) return
  const newest = ports.newest()
  const elsewhere = newest.runId === log.runId ? {} : { runId: log.runId }
  const news = {
    type: 'tool-reconciled',
    callId,
    toolName,
    done: true,
    by: 'late',
    ...(output !== undefined && { output }),
    ...(trusted && { trusted }),
    ...(warnings && { warnings }),
    ...elsewhere,
  } as const
  await newest.accept(news).catch(() => false)
}
