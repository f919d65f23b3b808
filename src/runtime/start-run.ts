import { isAttachedFile } from '../core/attached-file.js'
import type { Json } from '../core/json.js'
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
  const { runId, allow, toolChoice, files, instructions } = options
  const last = logs.at(-1)
  if (last?.failure) throw last.failure
  if (last?.state.status === 'running')
    throw new HandrailError('run_open', `Session "${session}" has an open run: "${last.runId}"`)
  for (const [option, names = []] of Object.entries({ allow, 'toolChoice.tools': toolChoice?.tools })) {
    const unknown = names.find((name) => !agent.tools.get(name))
    if (unknown === undefined) continue
    throw new HandrailError(
      'invalid_options',
      `Cannot start a run: "${option}" names "${unknown}", which is no tool here`,
    )
  }
  await agent.store.putContext(agent.contextHash, agent.context)
  const { now } = agent.platform
  const head = { runId, owner: agent.setup.owner, session, index: logs.length, startedAt: now() }
  const start = { type: 'run-start', ...headerOf(agent, head, options, last?.runId) } as const
  const wrong = (files ?? []).findIndex((file) => !isAttachedFile(file as unknown as Json))
  if (wrong !== -1)
    throw new HandrailError(
      'invalid_options',
      `Cannot start a run: "files[${wrong}]" must be { mediaType, data } with Base64, or { mediaType, url } with http or https`,
    )
  const message = {
    type: 'user-message',
    text,
    ...(files?.length ? { files } : {}),
    ...(instructions ? { instructions } : {}),
  } as const
  return RunLog.start(agent.store, head, [start, message], now, listener)
}
