import { describe, expect, it } from 'vitest'
import type { Notice } from '../../src/runtime/protocol.js'
import { ask, inTurn, say, World, type TestAgent } from './world.js'

const options = new World({ model: () => say('Done') }).options

const play = async (agent: TestAgent, runId: string) => {
  await agent.run('Hello', { runId })
  await agent.notice((n) => n.type === 'event' && n.runId === runId && n.event.type === 'run-end')
}
const deletedIn = (agent: TestAgent) => agent.notices.filter(({ type }) => type === 'deleted').map(({ runId }) => runId)
const isDeleted = (notice: Notice) => notice.type === 'deleted'

describe('a page', () => {
  it('is told of a run that is deleted, here and in a tab that follows', async () => {
    const world = new World(options)
    const [driver, follower] = [await world.agent(), await world.agent()]
    await driver.ok(driver.api.follow('s'))
    await follower.ok(follower.api.follow('s'))
    await play(driver, 'r1')
    await play(driver, 'r2')
    await driver.ok(driver.api.deleteRun('r1'))
    expect(deletedIn(driver)).toEqual(['r1'])
    await follower.notice(isDeleted)
    expect(deletedIn(follower)).toEqual(['r1'])
  })

  it('is told of what went from the store before its tab took the session', async () => {
    const world = new World(options)
    const first = await world.agent()
    await play(first, 'r1')
    await play(first, 'r2')
    const next = await world.agent()
    await next.ok(next.api.follow('s'))
    await world.store.deleteRun('ann', 'r1')
    await first.ok(first.api.unfollow('s'))
    await next.notice(isDeleted)
    expect(deletedIn(next)).toEqual(['r1'])
  })

  it('deletes a run of a session that it has just closed', async () => {
    const world = new World(options)
    const agent = await world.agent()
    await play(agent, 'r1')
    const [closed, deleted] = await Promise.all([agent.api.unfollow('s'), agent.api.deleteRun('r1')])
    expect([closed.ok, deleted.ok]).toEqual([true, true])
    expect(await world.store.read('r1')).toEqual([])
  })

  it('is refused the deletion of a run while the next one is being started', async () => {
    const world = new World({
      model: inTurn(say('Done'), ask(['send', {}])),
      tools: { send: { risk: 'irreversible', run: () => 1 } },
    })
    const agent = await world.agent()
    await play(agent, 'r1')
    const [started, deleted] = await Promise.all([
      agent.api.run('s', 'More', { runId: 'r2' }),
      agent.api.deleteRun('r1'),
    ])
    expect(started.ok).toBe(true)
    expect(deleted).toMatchObject({ ok: false, failure: { code: 'run_open' } })
    await agent.until(({ type }) => type === 'tool-decision')
    expect((await world.store.read('r1')).length).toBeGreaterThan(0)
  })
})

describe('a run that was imported', () => {
  it('can be imported again once it was deleted, and its session goes with it', async () => {
    const world = new World(options)
    const agent = await world.agent()
    await play(agent, 'r1')
    const file = await agent.ok(agent.api.exportRun('r1'))
    const other = await new World(options).agent()
    const { session } = await other.ok(other.api.importRun(file))
    await other.ok(other.api.follow(session))
    await other.ok(other.api.deleteRun('r1'))
    expect(deletedIn(other)).toEqual(['r1'])
    expect(await other.ok(other.api.sessions())).toEqual([])
    await other.ok(other.api.importRun(file))
    expect(await other.ok(other.api.sessions())).toMatchObject([{ runs: 1, imported: true }])
  })

  it('is measured anew, when another run of its id takes its place', async () => {
    const files = []
    for (const text of ['Done', 'Done, with many words']) {
      const agent = await new World({ model: () => say(text) }).agent()
      await play(agent, 'r1')
      files.push(await agent.ok(agent.api.exportRun('r1')))
    }
    const agent = await new World(options).agent()
    const left: number[] = []
    for (const file of files) {
      await agent.ok(agent.api.importRun(file))
      left.push((await agent.ok(agent.api.prune({ maxBytes: 1e9 }))).left.bytes)
      await agent.ok(agent.api.deleteRun('r1'))
    }
    expect(left[1]! - left[0]!).toBe(', with many words'.length)
  })

  it('is refused as deleted, where it was of a session that is kept', async () => {
    const world = new World(options)
    const agent = await world.agent()
    await play(agent, 'r1')
    const file = await agent.ok(agent.api.exportRun('r1'))
    await agent.ok(agent.api.deleteRun('r1'))
    const reply = await agent.api.importRun(file)
    expect(reply).toMatchObject({
      ok: false,
      failure: { code: 'run_exists', message: expect.stringContaining('deleted') },
    })
  })
})
