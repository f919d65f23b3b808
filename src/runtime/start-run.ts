import { HandrailError } from '../errors.js'
import type { Agent } from './agent.js'
import { checkRoom } from './check-room.js'
import { checkRunOptions } from './check-run-options.js'
import { askGuards } from './guard.js'
import { RunLog, type LogListener } from './log.js'
import type { RunOptions } from './protocol.js'
import { headerOf } from './run-header.js'
import type { SessionLogs } from './session-logs.js'

/**
 * Starts the log of a session's next run, after those that are there.
 * @throws {HandrailError} `run_open` while another is open, `input_denied`, `store_nearly_full`, `invalid_options`, `log_newer`, `log_damaged`, `run_imported`, and
 * codes of the store.
 */
export async function startRun(
  agent: Agent,
  session: string,
  { logs, places }: Pick<SessionLogs, 'logs' | 'places'>,
  { text, options, listener }: { text: string; options: RunOptions; listener: LogListener },
): Promise<RunLog> {
  const { runId, files, instructions } = options
  const last = logs.at(-1)
  const failed = logs.find(({ failure }) => failure)
  if (failed) throw failed.failure
  if (last?.state.status === 'running')
    throw new HandrailError('run_open', `Session "${session}" has an open run: "${last.runId}"`)
  checkRunOptions(options, agent)
  await checkRoom(agent)
  const warnings = await warningsOf(agent, session, runId, text)
  const { now } = agent.platform
  const head = { runId, owner: agent.setup.owner, session, index: places, startedAt: now() }
  const start = { type: 'run-start', ...headerOf(agent, head, options, last?.runId) } as const
  const message = {
    type: 'user-message',
    text,
    ...(files?.length ? { files } : {}),
    ...(instructions ? { instructions } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
  } as const
  return RunLog.start(agent.store, head, [start, message], agent.context, now, listener)
}

/** Why the guardrails want what acts outside to ask. @throws {HandrailError} `input_denied` */
async function warningsOf({ page, setup }: Agent, session: string, runId: string, text: string) {
  if (!setup.guards.input) return []
  const { denied, warnings } = await askGuards(page, { on: 'input', session, runId, text })
  if (denied !== undefined) throw new HandrailError('input_denied', `The run is not started: ${denied}`)
  return warnings
}
