import { isBuiltIn } from '../core/built-ins.js'
import type { EventBody, ToolResult } from '../core/events.js'
import type { CallState } from '../core/call-state.js'
import type { EffectOf } from '../core/next.js'
import { callBuiltIn } from './call-built-in.js'
import { withRules } from './failure-rules.js'
import { watchLate } from './late-answer.js'
import type { RunPorts } from './ports.js'
import { recoverWrite, type Doubt } from './recover-write.js'
import { sendRepeatedly, type Sends } from './repeat-tool.js'
import { done, failed, refused, unusable } from './tool-result.js'

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
  if (call.mode !== 'read' && signal.aborted)
    return result(failed('error', 'not_sent', 'The run was stopped before this call was sent: nothing was done.'))
  const sends = await sendRepeatedly(ports, call, signal)
  return result(await (call.mode === 'read' ? readResult(ports, call, sends) : writeResult(ports, call, sends)))
}

async function readResult(ports: RunPorts, call: CallState, { sent, attempts }: Sends): Promise<ToolResult> {
  const made = async (): Promise<ToolResult> => {
    switch (sent.status) {
      case 'ok':
        return done(ports, call, sent.output)
      case 'timeout':
        return failed('timeout', 'timeout', `The tool ${call.toolName} did not answer in time.`, true)
      case 'aborted':
        return failed('cancelled', 'cancelled', 'The run was stopped before this call was done.')
      case 'unreachable':
        return failed('error', sent.failure.code, sent.failure.message, sent.failure.retryable)
      case 'unusable':
      case 'refused':
      case 'failed':
        return refused(ports, call, sent.failure)
    }
  }
  return withRules(ports, call, await made(), attempts)
}

/** Also of one that was interrupted, and sent again: only a refusal before anything else says that nothing was done. */
export async function writeResult(ports: RunPorts, call: CallState, sends: Sends): Promise<ToolResult> {
  const { sent, attempts, isUnclear, late } = sends
  const made = async (): Promise<ToolResult> => {
    if (sent.status === 'ok') return done(ports, call, sent.output)
    if (sent.status === 'unusable') return unusable(ports, call, sent.failure.message)
    if (sent.status === 'refused' && !isUnclear) return refused(ports, call, sent.failure)
    for (const each of late) watchLate(ports, call, each)
    return recoverWrite(ports, call, doubtOf(sent))
  }
  return withRules(ports, call, await made(), attempts)
}

const doubtOf = (sent: Sends['sent']): Doubt =>
  'failure' in sent
    ? { why: sent.failure.message, isQuoted: sent.status !== 'unreachable' }
    : { why: 'The tool did not answer in time.' }
