import type { ToolResult } from '../core/events.js'
import type { CallState } from '../core/call-state.js'
import type { RunPorts } from './ports.js'
import type { ReconcileAnswer } from './protocol.js'
import { neverAborted, pageCallOf, sendTool } from './send-tool.js'
import { done, failed } from './tool-result.js'
import { within } from './within.js'

/** Asks the tool, then sends again with the same key where that is declared harmless; else the outcome stays unknown. */
export async function recoverWrite(
  ports: RunPorts,
  call: CallState,
  options: { resend: () => boolean; why: string },
): Promise<ToolResult> {
  const definition = ports.tools.get(call.toolName)?.definition
  if (definition?.reconciles) {
    const answer = await ask(ports, call)
    if (answer.state === 'done') return done(ports, call, answer.output)
    if (answer.state === 'void')
      return failed('error', 'not_done', `${options.why} Nothing was done, and its key is void.`, true)
  }
  if (definition?.idempotent && options.resend()) {
    const sent = await sendTool(ports, call, neverAborted)
    if (sent.status === 'ok') return done(ports, call, sent.output)
    if (sent.status === 'unusable') return { outcome: 'ok', outputInvalid: sent.failure.message }
  }
  const message = `${options.why} It may or may not have taken effect. Do not make this call again; a person must look.`
  return failed('unknown', 'unknown', message)
}

/** Milliseconds in which a tool must say whether a call took effect. */
const askTimeout = 30_000

async function ask(ports: RunPorts, call: CallState): Promise<ReconcileAnswer> {
  try {
    const reply = await within(askTimeout, ports.page.reconcile(pageCallOf(ports, call)), call.toolName)
    return reply.ok ? reply.value : unanswered
  } catch {
    return unanswered
  }
}

const unanswered: ReconcileAnswer = { state: 'unknown' }
