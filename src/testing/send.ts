import type { RunEvent } from '../core/events.js'
import { toFailure } from '../errors.js'
import type { Agent } from '../runtime/agent.js'
import { applyCommand } from '../runtime/command.js'
import type { RunLog } from '../runtime/log.js'
import type { SessionMemory } from '../runtime/memory.js'
import type { Command } from '../runtime/protocol.js'

/**
 * Says what a person, a timer or another tab said, by the way that it took: an answer is for the hash that the call has now.
 * @returns why the run does not take it
 */
export async function send(
  agent: Agent,
  log: RunLog,
  memory: SessionMemory,
  event: RunEvent,
): Promise<string | undefined> {
  const { at: _at, chain: _chain, ...body } = event
  const hash = 'callId' in event ? (log.state.calls.get(event.callId)?.hash ?? '') : ''
  try {
    if (event.type === 'approval-response') {
      await applyCommand(agent, log, memory, toCommand(log.runId, event, hash))
      return undefined
    }
    const sent = event.type === 'approval-expired' ? { ...body, hash } : body
    return (await log.accept(sent as typeof event)) ? undefined : 'the run does not take it in the state that it is in.'
  } catch (error) {
    return `the run refuses it: ${toFailure(error).message}`
  }
}

function toCommand(
  runId: string,
  { callId, approved, reason, edit, grant }: RunEvent & { readonly type: 'approval-response' },
  hash: string,
): Command {
  if (!approved) return { type: 'deny', runId, callId, hash, ...(reason && { reason }), ...(grant && { rest: true }) }
  const rest = grant && { count: grant.count ?? 0, fixed: Object.keys(grant.fixed) }
  return { type: 'approve', runId, callId, hash, ...(edit && { input: edit.input }), ...(rest && { rest }) }
}
