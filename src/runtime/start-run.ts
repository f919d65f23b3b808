import { HandrailError } from '../errors.js'
import type { Agent } from './agent.js'
import { RunLog, type LogListener } from './log.js'
import type { RunOptions } from './protocol.js'
import { headerOf } from './run-header.js'

/**
 * Starts the log of a session's next run, after those that are there.
 * @throws {HandrailError} `run_open` while another is open, `invalid_options`, `log_newer`, and codes of the store.
 */
export async function startRun(
  agent: Agent,
  session: string,
  logs: readonly RunLog[],
  { text, options, listener }: { text: string; options: RunOptions; listener: LogListener },
): Promise<RunLog> {
  const { runId, allow, readOnly } = options
  const last = logs.at(-1)
  if (last?.failure) throw last.failure
  if (last?.state.status === 'running')
    throw new HandrailError('run_open', `Session "${session}" has an open run: "${last.runId}"`)
  const unknown = allow?.find((name) => !agent.tools.get(name))
  if (unknown !== undefined)
    throw new HandrailError('invalid_options', `Cannot start a run: "allow" names "${unknown}", which is no tool here`)
  await agent.store.putContext(agent.contextHash, agent.context)
  const { now } = agent.platform
  const head = { runId, owner: agent.setup.owner, session, index: logs.length, startedAt: now() }
  const start = { type: 'run-start', ...headerOf(agent, head, { allow, readOnly }, last?.runId) } as const
  return RunLog.start(agent.store, head, [start, { type: 'user-message', text }], now, listener)
}
