import { describe, expect, it } from 'vitest'
import type { EventBody, RunEvent } from '../../src/core/events.js'
import { HandrailError } from '../../src/errors.js'
import type { Store } from '../../src/store/store.js'
import { header } from '../core/log.js'
import { ask, inTurn, say, World, type TestAgent } from './world.js'

const asking = () =>
  new World({
    tools: { send: { risk: 'irreversible', run: () => ({ id: 'AS-1' }) } },
    model: inTurn(ask(['send', { to: 'bob' }]), say('Sent')),
  })

async function hashOf(agent: TestAgent): Promise<string> {
  return ((await agent.until(({ type }) => type === 'tool-decision')) as unknown as { hash: string }).hash
}

/** A session of a page that was left while its call asked. */
async function left(): Promise<{ world: World; hash: string }> {
  const world = asking()
  const agent = await world.agent()
  await agent.run('Send')
  const hash = await hashOf(agent)
  await agent.ok(agent.api.unfollow('s'))
  return { world, hash }
}

function breakable(store: Store, method: 'append' | 'records', code: string): { isBroken: boolean } {
  const state = { isBroken: false }
  const works = store[method].bind(store) as (...args: unknown[]) => Promise<never>
  const breaks = (...args: unknown[]) =>
    state.isBroken ? Promise.reject(new HandrailError(code, 'Broken')) : works(...args)
  Object.assign(store, { [method]: breaks })
  return state
}

const cancel = { type: 'cancel', runId: 'r1' } as const

describe('a session', () => {
  it('can be opened again after it could not be read, and is driven', async () => {
    const { world } = await left()
    const store = breakable(world.store, 'records', 'store_failed')
    const agent = await world.agent()
    store.isBroken = true
    expect(await agent.api.follow('s')).toMatchObject({ failure: { code: 'store_failed' } })
    store.isBroken = false
    await agent.ok(agent.api.follow('s'))
    await agent.ok(agent.api.command('s', cancel))
    expect(await agent.end()).toMatchObject({ outcome: 'cancelled' })
  })

  it('shows its past when the store is full, says why it stands, and goes on when there is room', async () => {
    const { world, hash } = await left()
    const store = breakable(world.store, 'append', 'store_full')
    const agent = await world.agent()
    store.isBroken = true
    expect((await agent.ok(agent.api.follow('s'))).runs[0]?.events).toHaveLength(5)
    expect(agent.notices).toMatchObject([{ type: 'stalled', runId: 'r1', failure: { code: 'store_full' } }])
    store.isBroken = false
    await agent.ok(agent.api.command('s', { ...cancel, type: 'approve', callId: '1.0', hash }))
    expect(await agent.end()).toMatchObject({ outcome: 'completed' })
  })

  it('takes an approval once there is room again, however often the store refused it', async () => {
    const world = asking()
    const store = breakable(world.store, 'append', 'store_full')
    const agent = await world.agent()
    await agent.run('Send')
    const approve = { ...cancel, type: 'approve', callId: '1.0', hash: await hashOf(agent) } as const
    store.isBroken = true
    for (let i = 0; i < 3; i++)
      expect(await agent.api.command('s', approve)).toMatchObject({ failure: { code: 'store_full' } })
    store.isBroken = false
    await agent.ok(agent.api.command('s', approve))
    expect(await agent.end()).toMatchObject({ outcome: 'completed' })
    expect(world.executed).toHaveLength(1)
    expect(await world.store.read('r1')).toEqual(agent.events)
  })

  it('writes nothing into a log of a newer format, whatever a person says', async () => {
    const { world, hash } = await left()
    const [start, ...events] = await world.store.read('r1')
    const newer = asking()
    const head = { runId: 'r1', owner: 'ann', session: 's', index: 0, startedAt: 1 }
    await newer.store.start(head, [{ ...start, format: 99 } as RunEvent, ...events])
    const agent = await newer.agent()
    await agent.ok(agent.api.follow('s'))
    const commands = [cancel, { ...cancel, type: 'approve', callId: '1.0', hash } as const]
    for (const command of commands)
      expect(await agent.api.command('s', command)).toMatchObject({ failure: { code: 'log_newer' } })
    await expect(agent.run('More', { runId: 'r2' })).rejects.toMatchObject({ code: 'log_newer' })
    expect(await newer.store.read('r1')).toHaveLength(1 + events.length)
  })

  it('is read again when another tab has started a run in it', async () => {
    const world = new World({ model: () => say('Hello') })
    const agent = await world.agent()
    await agent.ok(agent.api.follow('s'))
    const foreign: EventBody[] = [
      { type: 'run-start', ...header() },
      { type: 'run-end', outcome: 'completed' },
    ]
    const head = { runId: 'r0', owner: 'ann', session: 's', index: 0, startedAt: 1 }
    await world.store.start(
      head,
      foreign.map((body) => ({ ...body, at: 1 })),
    )
    await agent.run('Hi')
    await agent.until((event) => event.type === 'assistant-message')
    expect(await world.store.runs('ann', 's')).toMatchObject([{ runId: 'r0' }, { runId: 'r1' }])
  })

  it('can be deleted while it is being left, though it was still opening', async () => {
    const { world } = await left()
    const agent = await world.agent()
    const [, , deleted] = await Promise.all([
      agent.api.follow('s'),
      agent.api.unfollow('s'),
      agent.api.deleteSession('s'),
    ])
    expect(deleted).toMatchObject({ ok: true })
    expect(await agent.ok(agent.api.sessions())).toEqual([])
  })

  it('is not driven by whoever has left it', async () => {
    const world = asking()
    const agent = await world.agent()
    await agent.ok(agent.api.follow('s'))
    await Promise.all([agent.api.run('s', 'Send', { runId: 'r1' }), agent.api.unfollow('s')])
    const before = (await world.store.read('r1')).length
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await world.store.read('r1')).toHaveLength(before)
  })
})
