import { HandrailError } from '../errors.js'
import type { Agent } from './agent.js'
import { leaseName, withFreeLease } from './lease.js'
import { isOpen, readSession, type SessionLogs } from './session-logs.js'

/**
 * Removes what a run has stored. To be called under the lease of its session, whose logs these are.
 * @throws {HandrailError} `run_open` while a run of the session is open: it may go on from any that was before. A damaged log,
 * which keeps the session from going on, can be deleted in any case.
 */
export async function deleteRun({ store, setup }: Agent, { logs }: SessionLogs, runId: string): Promise<void> {
  const log = logs.find((each) => each.runId === runId)
  const open = logs.find(isOpen)
  if (open && log?.failure?.code !== 'log_damaged') {
    const message = `Cannot delete run "${runId}": run "${open.runId}" of its session is open; cancel it first`
    throw new HandrailError('run_open', message)
  }
  // Nothing else is in its session, and the file may be imported again.
  if (log?.head.imported) return store.deleteSession(setup.owner, log.head.session)
  await store.deleteRun(setup.owner, runId)
}

/** Of a session that is not open here. @throws {HandrailError} `session_busy` if another tab has it open, `run_open` */
export async function deleteClosedRun(agent: Agent, session: string, runId: string): Promise<void> {
  const name = leaseName(agent.setup.owner, session)
  await withFreeLease(agent.platform.locks, name, `delete run "${runId}" of session "${session}"`, async () =>
    deleteRun(agent, await readSession(agent, session), runId),
  )
}
