import type { EventBody, ToolResult } from '../core/events.js'
import type { EffectOf } from '../core/next.js'
import { writeResult } from './execute-tool.js'
import { withRules } from './failure-rules.js'
import type { RunPorts } from './ports.js'
import { recoverWrite } from './recover-write.js'
import { isLeft, sendRepeatedly } from './repeat-tool.js'

/**
 * A write that was started under an earlier epoch: whether its request went out is not known, so it is never decided again. One
 * that is idempotent is sent again; then the tool is asked.
 */
export async function reconcileTool(
  ports: RunPorts,
  { call }: EffectOf<'reconcile-tool'>,
  signal: AbortSignal,
): Promise<EventBody> {
  const result = (body: ToolResult): EventBody => ({ type: 'tool-result', callId: call.callId, ...body })
  const mayResend = ports.tools.get(call.toolName)?.definition.idempotent && !signal.aborted && !isLeft(ports, call)
  if (mayResend) {
    const sends = await sendRepeatedly(ports, call, signal)
    return result(await writeResult(ports, call, { ...sends, isUnclear: true }))
  }
  const why = 'The page was closed or its worker ended while the call was executing.'
  return result(withRules(ports, call, await recoverWrite(ports, call, { why }), 1))
}
