import { describe, expect, it } from 'vitest'
import type { Link } from '../../src/client/link.js'
import { runParts } from '../../src/client/run-parts.js'
import { LiveSession } from '../../src/client/session.js'
import { HandrailError } from '../../src/errors.js'
import type { AgentApi, SessionView } from '../../src/runtime/protocol.js'
import { asked, stamped } from '../core/log.js'

const view: SessionView = { session: 's', runs: [{ runId: 'r', events: stamped(asked) }] }

/** A session whose worker does what `follow` does, and notes what it was asked for. */
function make(follow: () => Promise<SessionView>) {
  const calls: string[] = []
  const note =
    <T>(name: string, answer: () => Promise<T>) =>
    async () => {
      calls.push(name)
      return answer()
    }
  const api = {
    follow: note('follow', follow),
    unfollow: note('unfollow', async () => null),
    run: note('run', async () => null),
  } as unknown as AgentApi
  const link = { call: (work: (given: AgentApi) => Promise<unknown>) => work(api), parts: runParts } as unknown as Link
  return { calls, session: new LiveSession('s', { link, onClose: () => undefined }) }
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'resolved',
    (error: unknown) => (HandrailError.is(error) ? error.code : String(error)),
  )

describe('a session', () => {
  it('says that a run stands still, though that was told before its history', async () => {
    const { session } = make(async () => view)
    const failure = { code: 'store_full', message: 'Full', retryable: false }
    session.receive({ type: 'stalled', session: 's', runId: 'r', failure })
    await session.opened
    expect(session.runs.map(({ events }) => events.length)).toEqual([asked.length])
    expect(await codeOf(session.runs[0]!.answer)).toBe('store_full')
    expect(session.openRun).toBeUndefined()
  })

  it('reads its history again for the next run when it could not be read', async () => {
    let isBroken = true
    const { session } = make(async () => {
      if (isBroken) throw new HandrailError('store_failed', 'Broken')
      return { session: 's', runs: [] }
    })
    expect(await codeOf(session.run('Hi').answer)).toBe('store_failed')
    isBroken = false
    const run = session.run('Hi')
    await session.opened
    await (run as unknown as { started: Promise<unknown> }).started
    expect(session.openRun).toBe(run)
  })

  it('no longer has a run that was deleted, here or in another tab, and says so once', async () => {
    const { session } = make(async () => view)
    await session.opened
    const heard: string[] = []
    session.subscribe((run, update) => heard.push(update ? '' : run.id))
    session.receive({ type: 'deleted', session: 's', runId: 'r' })
    session.receive({ type: 'deleted', session: 's', runId: 'other' })
    expect(session.runs).toEqual([])
    expect(heard).toEqual(['r'])
  })

  it('starts nothing once it is closed', async () => {
    const { session, calls } = make(async () => ({ session: 's', runs: [] }))
    const run = session.run('Hi')
    session.close()
    expect(await codeOf(run.answer)).toBe('session_closed')
    await new Promise((resolve) => setTimeout(resolve))
    expect(calls).toEqual(['follow', 'unfollow'])
  })
})
