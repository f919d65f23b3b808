import type { EventBody } from '../core/events.js'
import type { CallState } from '../core/call-state.js'
import { fromFailure, HandrailError } from '../errors.js'
import type { Agent } from './agent.js'
import { askGate } from './decide-tool.js'
import type { RunLog } from './log.js'
import type { SessionMemory } from './memory.js'
import type { Command } from './protocol.js'

const known: ReadonlySet<string> = new Set<Command['type']>(['approve', 'deny', 'cancel', 'reconcile', 'mode'])

/**
 * What a person said, checked against the newest run of the session and appended.
 * @throws {HandrailError} `unknown_command`, `run_over`, `not_asking`, `stale_approval`, `not_unknown`, or what the gate says
 * of an edited input.
 */
export async function applyCommand(
  agent: Agent,
  log: RunLog | undefined,
  memory: SessionMemory,
  command: Command,
): Promise<void> {
  // Another tab may run another version of the app: what it says must not be taken for an approval.
  if (!known.has(command.type))
    throw new HandrailError('unknown_command', `This version knows no command "${String(command.type)}"`)
  if (!log) throw new HandrailError('run_over', `Run "${command.runId}" is not in this session`)
  if (command.type === 'reconcile') return reconcile(log, memory, command)
  if (log.runId !== command.runId || log.state.status !== 'running')
    throw new HandrailError('run_over', `Run "${command.runId}" is over: it takes no "${command.type}"`)
  if (command.type === 'cancel') {
    await log.accept({ type: 'run-stop', reason: 'cancelled' })
    return
  }
  if (command.type === 'mode') {
    await log.accept({ type: 'mode-change', ...command.modes })
    return
  }
  const { callId, hash } = command
  const call = log.state.calls.get(callId)
  if (call?.phase !== 'asking')
    throw new HandrailError('not_asking', `Call ${callId} asks for no approval: it is ${call?.phase ?? 'not open'}`)
  const answer: EventBody = {
    type: 'approval-response',
    callId,
    hash,
    ...(command.type === 'deny' ? denial(command) : await approval(agent, log, memory, call, command)),
  }
  if (!(await log.accept(answer)))
    throw new HandrailError(
      'stale_approval',
      `Call ${callId} has changed since it was shown: its approval is for another input or other reasons`,
    )
}

const denial = ({ reason }: Command & { type: 'deny' }) => ({ approved: false, ...(reason ? { reason } : {}) })

/** An edit is an approval of the edited input, under the hash that the gate will find for it. */
async function approval(
  agent: Agent,
  log: RunLog,
  memory: SessionMemory,
  call: CallState,
  { input }: Command & { type: 'approve' },
) {
  if (input === undefined) return { approved: true }
  if (call.executor === 'provider')
    throw new HandrailError(
      'invalid_options',
      `Cannot approve call "${call.callId}" with another input: the provider runs it as it asked`,
    )
  const ports = { log, memory, tools: agent.tools, page: agent.page }
  const decision = await askGate(ports, { ...call, input, inputText: undefined })
  if (decision.verdict === 'deny' && decision.failure) throw fromFailure(decision.failure)
  return { approved: true, edit: { input, hash: decision.hash } }
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
