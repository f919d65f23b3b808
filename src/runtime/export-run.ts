import type { RunEvent } from '../core/events.js'
import { formatOf } from '../core/stored-event.js'
import type { Agent } from './agent.js'
import { findRun } from './find-run.js'
import { pagesOf, storedJson } from './read-log.js'
import { fileVersion, type RunFileHead } from './run-file.js'

/**
 * A run as one file: as it is stored, also when it is open or damaged. No secret is in it, because none is in a log.
 * @throws {HandrailError} `unknown_run`, and codes of the store.
 */
export async function exportRun(agent: Agent, runId: string): Promise<string> {
  const { owner, session, index, startedAt } = await findRun(agent, runId, 'export')
  const events: string[] = []
  let first: unknown
  for await (const records of pagesOf(agent.store, runId))
    for (const { event } of records) {
      if (events.length === 0) first = event
      events.push(storedJson(event))
    }
  const format = formatOf(first)
  const hash = format === undefined ? undefined : (first as RunEvent & { type: 'run-start' }).contextHash
  const context = typeof hash === 'string' ? await agent.store.getContext(hash) : undefined
  const head: RunFileHead = {
    handrail: 'run',
    version: fileVersion,
    format: format ?? null,
    head: { runId, owner, session, index, startedAt },
    events: events.length,
  }
  return [JSON.stringify(head), JSON.stringify(context ?? null), ...events, ''].join('\n')
}
