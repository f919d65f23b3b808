import { isBuiltIn } from '../core/built-ins.js'
import type { EventBody, ToolResult } from '../core/events.js'
import type { Json } from '../core/json.js'
import type { CallState } from '../core/call-state.js'
import type { EffectOf } from '../core/next.js'
import { callBuiltIn } from './call-built-in.js'
import type { RunPorts } from './ports.js'
import { recoverWrite } from './recover-write.js'
import { neverAborted, sendTool, type Sent } from './send-tool.js'
import { done, failed } from './tool-result.js'

/** Steps 8 and 9 of the gate. A read may be aborted; a write that was sent is awaited, and is never called off. */
export async function executeTool(
  ports: RunPorts,
  { call }: EffectOf<'execute-tool'>,
  signal: AbortSignal,
): Promise<EventBody> {
  const result = (body: ToolResult): EventBody => ({ type: 'tool-result', callId: call.callId, ...body })
  // The provider runs it when it reads that a person approved.
  if (call.executor === 'provider') return result({ outcome: 'ok', output: 'approved', bytes: 0 })
  if (isBuiltIn(call.toolName)) return result(await callBuiltIn(ports, call.toolName, call, signal))
  if (call.mode === 'read') return result(readResult(ports, call, await sendTool(ports, call, signal)))
  if (signal.aborted)
    return result(failed('error', 'not_sent', 'The run was stopped before this call was sent: nothing was done.'))
  const sent = await sendTool(ports, call, neverAborted)
  switch (sent.status) {
    case 'ok':
      return result(done(ports, call, sent.output))
    case 'unusable':
      return result({ outcome: 'ok', outputInvalid: sent.failure.message })
    case 'refused':
      return result({ outcome: 'error', failure: sent.failure })
    case 'failed':
    case 'timeout':
    case 'aborted': {
      if ('late' in sent) watchLate(ports, call, sent.late)
      const why = 'failure' in sent ? sent.failure.message : 'The tool did not answer in time.'
      return result(await recoverWrite(ports, call, { resend: () => !signal.aborted, why }))
    }
  }
}

function readResult(ports: RunPorts, call: CallState, sent: Sent): ToolResult {
  switch (sent.status) {
    case 'ok':
      return done(ports, call, sent.output)
    case 'timeout':
      return failed('timeout', 'timeout', `The tool ${call.toolName} did not answer in time.`, true)
    case 'aborted':
      return failed('cancelled', 'cancelled', 'The run was stopped before this call was done.')
    case 'unusable':
    case 'refused':
    case 'failed':
      return { outcome: 'error', failure: sent.failure }
  }
}

/** An answer that comes after the call settled as unknown is news. */
function watchLate(ports: RunPorts, call: CallState, late: (Sent & { status: 'timeout' })['late']): void {
  const { log, memory } = ports
  const { callId, toolName } = call
  const tell = (value: Json) => {
    if (!memory.findUnknown(log.runId, callId)) return
    const newest = ports.newest()
    const elsewhere = newest.runId === log.runId ? {} : { runId: log.runId }
    const { output } = done(ports, call, value)
    const news = { type: 'tool-reconciled', callId, toolName, done: true, by: 'late', output, ...elsewhere } as const
    newest.accept(news).catch(() => false)
  }
  void late.then((reply) => {
    if (!reply.ok) return
    if (log.state.unknown.has(callId)) return tell(reply.value)
    const stop = log.subscribe((event) => {
      if (event.type !== 'tool-result' || event.callId !== callId) return
      stop()
      if (event.outcome === 'unknown') tell(reply.value)
    })
  })
}
