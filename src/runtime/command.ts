import type { EventBody } from '../core/events.js'
import type { CallState } from '../core/call-state.js'
import { expiryOf } from '../core/next.js'
import { HandrailError } from '../errors.js'
import type { Agent } from './agent.js'
import { approval, denial } from './answer-call.js'
import { modesFault } from './check-modes.js'
import type { RunLog } from './log.js'
import type { SessionMemory } from './memory.js'
import type { Command } from './protocol.js'

const known: ReadonlySet<string> = new Set<Command['type']>(['approve', 'deny', 'cancel', 'reconcile', 'mode'])

/**
 * What a person said, checked against the newest run of the session and appended.
 * @throws {HandrailError} `unknown_command`, `run_over`, `not_asking`, `stale_approval`, `approval_expired`, `invalid_options`,
 * `invalid_input`, `not_unknown`, or what the gate says of an edited input.
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
  // The tab that took over to cancel it has done so before it drove on.
  if (command.type === 'cancel' && log.runId === command.runId && log.state.stop === 'cancelled') return
  if (log.runId !== command.runId || log.state.status !== 'running') throw over(command)
  if (command.type === 'cancel') {
    await log.accept({ type: 'run-stop', reason: 'cancelled' })
    return
  }
  if (command.type === 'mode') return changeModes(agent, log, command)
  const call = askingCall(log, command)
  if (agent.platform.now() >= expiryOf(call)) throw expired(command)
  const answer: EventBody = {
    type: 'approval-response',
    callId: command.callId,
    hash: command.hash,
    ...(command.type === 'deny' ? denial(agent, call, command) : await approval(agent, log, memory, call, command)),
  }
  if (await log.accept(answer)) return
  if (log.state.stop || log.state.status !== 'running') throw over(command)
  askingCall(log, command)
  throw expired(command)
}

const over = ({ runId, type }: Command): HandrailError =>
  new HandrailError('run_over', `Run "${runId}" is over: it takes no "${type}"`)

type Answer = Command & { readonly type: 'approve' | 'deny' }

/** The call as it was shown to who answers. */
function askingCall(log: RunLog, { callId, hash }: Answer): CallState {
  const call = log.state.calls.get(callId)
  if (call?.phase === 'asking' && call.hash === hash) return call
  if (call?.phase === 'asking')
    throw new HandrailError(
      'stale_approval',
      `Call ${callId} has changed since it was shown: its approval is for another input or other reasons`,
    )
  const isExpired = log.events.some(
    (event) => event.type === 'approval-expired' && event.callId === callId && event.hash === hash,
  )
  if (isExpired) throw expired({ callId })
  throw new HandrailError('not_asking', `Call ${callId} asks for no approval: it is ${call?.phase ?? 'not open'}`)
}

const expired = ({ callId }: Pick<Answer, 'callId'>): HandrailError =>
  new HandrailError('approval_expired', `The time in which call ${callId} could be answered is over`)

async function changeModes({ tools }: Agent, log: RunLog, command: Command & { type: 'mode' }): Promise<void> {
  const { modes } = command
  const fault = modesFault(modes, tools)
  if (fault) throw new HandrailError('invalid_options', `Cannot change what run "${log.runId}" may do: ${fault}`)
  if (!(await log.accept({ type: 'mode-change', ...modes }))) throw over(command)
}

async function reconcile(
  log: RunLog,
  memory: SessionMemory,
  { runId, callId, done }: Command & { type: 'reconcile' },
): Promise<void> {
  if (typeof done !== 'boolean')
    throw new HandrailError('invalid_options', `Cannot say what became of call ${callId}: "done" must be true or false`)
  const open = memory.findUnknown(runId, callId)
  if (!open) throw new HandrailError('not_unknown', `The outcome of call ${callId} of run "${runId}" is not unknown`)
  const elsewhere = runId === log.runId ? {} : { runId }
  await log.accept({ type: 'tool-reconciled', callId, toolName: open.toolName, done, by: 'person', ...elsewhere })
}
