import { unknownCode } from '../core/failure.js'
import type { ToolResult } from '../core/events.js'
import type { CallState } from '../core/call-state.js'
import type { RunPorts } from './ports.js'
import type { ReconcileAnswer } from './protocol.js'
import { pageCallOf } from './send-tool.js'
import { done, failed, label } from './tool-result.js'
import { within } from './within.js'

/** Why the outcome of a write is not known. */
export interface Doubt {
  readonly why: string
  /** In the words of the tool. */
  readonly isQuoted?: boolean
}

/** Asks the tool whether a write took effect that was sent as often as may be; else its outcome stays unknown. */
export async function recoverWrite(ports: RunPorts, call: CallState, { why, isQuoted }: Doubt): Promise<ToolResult> {
  const quoted = (result: ToolResult): ToolResult => {
    const { trusted: _, ...rest } = result
    return isQuoted ? { ...rest, ...label(ports, call) } : result
  }
  if (ports.tools.get(call.toolName)?.definition.reconciles) {
    const answer = await ask(ports, call)
    if (answer.state === 'done') return done(ports, call, answer.output)
    if (answer.state === 'void')
      return quoted(failed('error', 'not_done', `${why} Nothing was done, and its key is void.`, true))
  }
  const message = `${why} It may or may not have taken effect. Do not make this call again; a person must look.`
  return { ...quoted(failed('unknown', unknownCode, message)), ...(isQuoted && { note: inDoubt }) }
}

/** What the tool says stands in a frame, which is no place for what we want of the model. */
const inDoubt = 'The outcome of this call is unknown. Do not make it again; a person must look.'

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
