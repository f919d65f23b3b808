import { HandrailError, toFailure } from '../errors.js'
import { openAgent, type Agent } from './agent.js'
import { deleteClosedRun } from './delete-run.js'
import { findRun } from './find-run.js'
import { leaseName, withFreeLease } from './lease.js'
import { LiveSession } from './live-session.js'
import { Notices } from './notices.js'
import type { Platform } from './platform.js'
import type { AgentApi, PageApi, Reply } from './protocol.js'
import { RunSizes } from './run-sizes.js'

/** The worker's half of the wire: every method answers, and nothing is thrown across threads. */
export function serve(platform: Platform, page: PageApi): AgentApi {
  const sessions = new Map<string, Promise<LiveSession>>()
  /** Those that are being closed: their lease is not free yet. */
  const leaving = new Map<string, Promise<void>>()
  const notices = new Notices(page)
  const sizes = new RunSizes()
  let opened: Promise<Agent> | undefined

  const agent = (): Promise<Agent> => {
    if (!opened) throw new HandrailError('not_open', 'The agent was asked to work before it was opened')
    return opened
  }
  /** Noted before anything is awaited, so that what the page asks for first is done first. */
  const session = (id: string): Promise<LiveSession> => {
    const known = sessions.get(id)
    if (known) return known
    const ready = agent()
    const opening = (leaving.get(id) ?? Promise.resolve()).then(async () => LiveSession.open(await ready, id))
    sessions.set(id, opening)
    opening.catch(() => {
      if (sessions.get(id) === opening) sessions.delete(id)
    })
    return opening
  }
  const leave = (id: string): Promise<void> => {
    const live = sessions.get(id)
    if (!live) return leaving.get(id) ?? Promise.resolve()
    sessions.delete(id)
    const close = live.then(
      (opened) => opened.close(),
      () => undefined,
    )
    const left = close.finally(() => {
      if (leaving.get(id) === left) leaving.delete(id)
    })
    leaving.set(id, left)
    return left
  }

  const answer = async <T>(work: () => Promise<T>): Promise<Reply<T>> => {
    try {
      return { ok: true, value: await work() }
    } catch (error) {
      return { ok: false, failure: toFailure(error) }
    } finally {
      notices.flush()
    }
  }

  return {
    open: (setup) =>
      answer(async () => {
        opened ??= openAgent(setup, platform, notices)
        opened.catch(() => (opened = undefined))
        return { engine: (await opened).sandbox.engine }
      }),
    run: (id, text, options) =>
      answer(async () => {
        if (typeof text !== 'string' || text.trim() === '')
          throw new HandrailError('invalid_message', 'Cannot start a run: the message must be a text that is not empty')
        await (await session(id)).run(text, options)
        return { runId: options.runId }
      }),
    follow: (id) => answer(async () => (await session(id)).view()),
    unfollow: (id) =>
      answer(async () => {
        await leave(id)
        return null
      }),
    command: (id, command) =>
      answer(async () => {
        await (await session(id)).command(command)
        return null
      }),
    sessions: () =>
      answer(async () => {
        const { store, setup } = await agent()
        return store.sessions(setup.owner)
      }),
    deleteSession: (id) =>
      answer(async () => {
        const { store, setup } = await agent()
        await leave(id)
        await withFreeLease(platform.locks, leaseName(setup.owner, id), `delete session "${id}"`, () =>
          store.deleteSession(setup.owner, id),
        )
        return null
      }),
    exportRun: (runId) => answer(async () => (await import('./export-run.js')).exportRun(await agent(), runId)),
    importRun: (file) => answer(async () => (await import('./import-run.js')).importRun(await agent(), file)),
    deleteRun: (runId) =>
      answer(async () => {
        const { session } = await findRun(await agent(), runId, 'delete')
        await leaving.get(session)
        const live = await sessions.get(session)
        await (live ? live.deleteRun(runId) : deleteClosedRun(await agent(), session, runId))
        sizes.forget(runId)
        return null
      }),
    prune: (limits) =>
      answer(async () => (await import('./prune.js')).prune(await agent(), limits, sizes, (id) => sessions.has(id))),
    delta: async (id, delta) => (await agent()).hostedModels.delta(id, delta),
  }
}
