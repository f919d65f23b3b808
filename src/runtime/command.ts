import type { EventBody } from '../core/events.js'
import type { Json } from '../core/json.js'
import type { CallState } from '../core/state.js'
import { fromFailure, HandrailError } from '../errors.js'
import type { Agent } from './agent.js'
import { askGate } from './decide-tool.js'
import type { RunLog } from './log.js'
import type { SessionMemory } from './memory.js'
import type { Command } from './protocol.js'

/**
 * What a person said, checked against the newest run of the session and appended.
 * @throws {HandrailError} `run_over`, `not_asking`, `stale_approval`, `not_unknown`, or what the gate says of an edited input.
 */
export async function applyCommand(
  agent: Agent,
  log: RunLog | undefined,
  memory: SessionMemory,
  command: Command,
): Promise<void> {
  if (!log) throw new HandrailError('run_over', `Run "${command.runId}" is not in this session`)
  if (command.type === 'reconcile') return reconcile(log, memory, command)
  if (log.runId !== command.runId || log.state.status !== 'running')
    throw new HandrailError('run_over', `Run "${command.runId}" is over: it takes no "${command.type}"`)
  if (command.type === 'cancel') {
    await log.accept({ type: 'run-stop', reason: 'cancelled' })
    return
  }
  const { callId, hash } = command
  const call = log.state.calls.get(callId)
  if (call?.phase !== 'asking')
    throw new HandrailError('not_asking', `Call ${callId} asks for no approval: it is ${call?.phase ?? 'not open'}`)
  const answer: EventBody =
    command.type === 'deny'
      ? {
          type: 'approval-response',
          callId,
          hash,
          approved: false,
          ...(command.reason ? { reason: command.reason } : {}),
        }
      : {
          type: 'approval-response',
          callId,
          hash,
          approved: true,
          ...(await editOf(agent, log, memory, call, command.input)),
        }
  if (!(await log.accept(answer)))
    throw new HandrailError(
      'stale_approval',
      `Call ${callId} has changed since it was shown: its approval is for another input or other reasons`,
    )
}

/** An edit is an approval of the edited input, under the hash that the gate will find for it. */
async function editOf(agent: Agent, log: RunLog, memory: SessionMemory, call: CallState, input: Json | undefined) {
  if (input === undefined) return {}
  const ports = { log, memory, tools: agent.tools, page: agent.page }
  const decision = await askGate(ports, { ...call, input, inputText: undefined })
  if (decision.verdict === 'deny' && decision.failure) throw fromFailure(decision.failure)
  return { edit: { input, hash: decision.hash } }
}

async function reconcile(
  log: RunLog,
  memory: SessionMemory,
  { runId, callId, done }: Command & { type: 'reconcile' },
): Promise<void> {
  const open = memory.findUnknown(runId, callId)
  if (!open) throw new HandrailError('not_unknown', `The outcome of call ${callId} of run "${runId}" is not unknown`)
  const elsewhere = runId === log.runId ? {} : { runId }
  await log.accept({ type: 'tool-reconciled', callId, toolName: open.toolName, done, by: 'person', ...elsewhere })
}
