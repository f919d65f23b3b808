import type { RunHead, SessionHead } from './store.js'

/** The sessions that these runs make, the one that was started last first. Runs of a session are in their order. */
export function toSessions(heads: Iterable<RunHead>): SessionHead[] {
  const sessions = new Map<string, SessionHead>()
  for (const { session, startedAt, imported, deleted } of heads) {
    const known = sessions.get(session)
    const first = known?.startedAt ?? startedAt
    const runs = (known?.runs ?? 0) + (deleted ? 0 : 1)
    sessions.set(session, { session, startedAt: first, lastRunAt: startedAt, runs, ...(imported && { imported }) })
  }
  return [...sessions.values()].toSorted((a, b) => b.startedAt - a.startedAt || (a.session < b.session ? -1 : 1))
}
