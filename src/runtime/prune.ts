import { HandrailError } from '../errors.js'
import type { SessionHead } from '../store/store.js'
import type { Agent } from './agent.js'
import { leaseName, takeLease } from './lease.js'
import { RunLog } from './log.js'
import type { Pruned, Retention } from './protocol.js'
import type { RunSizes } from './run-sizes.js'
import { isOpen } from './session-logs.js'

interface Measured extends SessionHead {
  readonly runIds: readonly string[]
  readonly bytes: number
}

/**
 * Removes the oldest session that is beyond the limits: none that a tab has open, and none whose last run is. One a call, so that
 * a page can show how it goes, and stop.
 * @throws {HandrailError} `invalid_options`, and codes of the store.
 */
export async function prune(
  agent: Agent,
  limits: Retention,
  sizes: RunSizes,
  isFollowed: (session: string) => boolean,
): Promise<Pruned> {
  const { maxAge = Infinity, maxBytes = Infinity } = checkLimits(limits)
  const sessions = await measure(agent, sizes)
  const total = sessions.reduce((sum, { bytes }) => sum + bytes, 0)
  const now = agent.platform.now()
  const left = { sessions: sessions.length, bytes: total }
  for (const each of sessions) {
    const isBeyond = now - each.lastRunAt > maxAge || total > maxBytes
    if (!isBeyond || isFollowed(each.session) || !(await removeClosed(agent, each))) continue
    for (const runId of each.runIds) sizes.forget(runId)
    const { session, runs, bytes } = each
    return { done: false, session, runs, bytes, left: { sessions: left.sessions - 1, bytes: total - bytes } }
  }
  return { done: true, runs: 0, bytes: 0, left }
}

/** The one whose last run was started first comes first. */
async function measure({ store, setup }: Agent, sizes: RunSizes): Promise<Measured[]> {
  const measured: Measured[] = []
  for (const head of await store.sessions(setup.owner)) {
    const runs = (await store.runs(setup.owner, head.session)).filter(({ deleted }) => !deleted)
    let bytes = 0
    for (const { runId } of runs) bytes += await sizes.of(store, runId)
    measured.push({ ...head, runIds: runs.map(({ runId }) => runId), bytes })
  }
  return measured.toSorted((a, b) => a.lastRunAt - b.lastRunAt)
}

/** False: a tab has it open, or its last run is open. */
async function removeClosed({ store, setup, platform }: Agent, { session, lastRunAt }: Measured): Promise<boolean> {
  const lease = await takeLease(platform.locks, leaseName(setup.owner, session), 'now')
  if (!lease) return false
  try {
    const heads = await store.runs(setup.owner, session)
    // Another tab may have gone on with it since it was measured.
    if (heads.at(-1)?.startedAt !== lastRunAt) return false
    const last = heads.findLast(({ deleted }) => !deleted)
    if (last && isOpen(await RunLog.open(store, last, platform.now, () => undefined))) return false
    await store.deleteSession(setup.owner, session)
    return true
  } finally {
    await lease.release()
  }
}

function checkLimits(limits: Retention): Retention {
  const { maxAge, maxBytes } = limits ?? {}
  for (const [name, value] of Object.entries({ maxAge, maxBytes }))
    if (value !== undefined && !(typeof value === 'number' && value >= 0))
      throw new HandrailError('invalid_options', `Cannot prune: "${name}" must be a number of at least 0`)
  if (maxAge === undefined && maxBytes === undefined)
    throw new HandrailError('invalid_options', 'Cannot prune: "maxAge" or "maxBytes" must be given')
  return { ...(maxAge !== undefined && { maxAge }), ...(maxBytes !== undefined && { maxBytes }) }
}
