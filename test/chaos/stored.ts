import { openDB } from 'idb'
import type { RunEvent } from 'handrail'

export interface StoredRun {
  readonly runId: string
  readonly events: readonly RunEvent[]
}

/** The logs of a session as they lie in the database, read without the store. */
export async function readStored(session: string): Promise<StoredRun[]> {
  const db = await openDB('handrail')
  const heads = (await db.getAll('runs')) as { runId: string; session: string; index: number }[]
  const own = heads.filter((head) => head.session === session).toSorted((a, b) => a.index - b.index)
  const runs = await Promise.all(
    own.map(async ({ runId }) => {
      const records = (await db.getAll('events', IDBKeyRange.bound([runId, 0], [runId, []]))) as { event: RunEvent }[]
      return { runId, events: records.map(({ event }) => event) }
    }),
  )
  db.close()
  return runs
}
