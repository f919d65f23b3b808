import type { RunEvent } from '../core/events.js'
import type { Agent } from './agent.js'
import { RunLog, type LogListener } from './log.js'
import { SessionMemory } from './memory.js'

/** A session as the store has it. */
export interface SessionLogs {
  /** Of the runs that are not deleted, in their order. */
  readonly logs: readonly RunLog[]
  /** Runs that it has had. */
  readonly places: number
  readonly memory: SessionMemory
}

export const noLogs = (): SessionLogs => ({ logs: [], places: 0, memory: new SessionMemory() })

export type EventTeller = (runId: string, seq: number, event: RunEvent) => void

export const rememberAndTell =
  (memory: SessionMemory, runId: string, tell: EventTeller): LogListener =>
  (event, seq, before) => {
    memory.observe(runId, event, before)
    tell(runId, seq, event)
  }

/** `tell` hears the past, and then what is appended. */
export async function readSession(
  { store, setup, platform }: Agent,
  session: string,
  tell: EventTeller = () => undefined,
): Promise<SessionLogs> {
  const memory = new SessionMemory()
  const heads = await store.runs(setup.owner, session)
  const logs: RunLog[] = []
  for (const head of heads) {
    if (head.deleted) memory.skipRun()
    else logs.push(await RunLog.open(store, head, platform.now, rememberAndTell(memory, head.runId, tell)))
  }
  return { logs, places: heads.length, memory }
}

/** It may be gone on with: what is imported or damaged never is. */
export const isOpen = ({ state, failure, head }: RunLog): boolean =>
  state.status === 'running' && !head.imported && failure?.code !== 'log_damaged'
