import { HandrailError } from '../errors.js'
import type { RunHead } from '../store/store.js'
import type { Agent } from './agent.js'

/** @throws {HandrailError} `unknown_run`, also of one that is another owner's. */
export async function findRun({ store, setup }: Agent, runId: string, doing: string): Promise<RunHead> {
  const head = typeof runId === 'string' ? await store.run(setup.owner, runId) : undefined
  if (head && !head.deleted) return head
  throw new HandrailError('unknown_run', `Cannot ${doing} run "${String(runId)}": this owner has no such run`)
}
