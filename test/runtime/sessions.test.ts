import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.js'
import { HandrailError } from '../../src/errors.js'
import type { Store } from '../../src/store/store.js'
import { ask, inTurn, say, World, type TestAgent } from './world.js'

const asking = new World({
  tools: { send: { risk: 'irreversible', run: () => ({ id: 'AS-1' }) } },
  model: inTurn(ask(['send', { to: 'bob' }]), say('Sent')),
}).options

async function hashOf(agent: TestAgent): Promise<string> {
  return ((await agent.until(({ type }) => type === 'tool-decision')) as unknown as { hash: string }).hash
}

describe('tabs of one session', () => {
  it('lets a following tab see events live, and send its approval to the driver', async () => {
    const world = new World(asking)
    const [driver, follower] = [await world.agent(), await world.agent()]
    await driver.ok(driver.api.follow('s'))
    await follower.ok(follower.api.follow('s'))
    await driver.run('Send')
    const hash = await hashOf(follower)
    await follower.ok(follower.api.command('s', { type: 'approve', runId: 'r1', callId: '1.0', hash }))
    await follower.end()
    expect(world.executed).toHaveLength(1)
    expect(follower.events).toEqual(driver.events)
  })

  it('lets a following tab start a run on the driver', async () => {
    const world = new World({ model: inTurn(say('Hello')) })
    const [driver, follower] = [await world.agent(), await world.agent()]
    await driver.ok(driver.api.follow('s'))
    await follower.ok(follower.api.follow('s'))
    await follower.run('Hi')
    expect(await follower.end()).toMatchObject({ outcome: 'completed' })
    expect(driver.events).toEqual(follower.events)
  })

  it('passes the refusals of the driver on', async () => {
    const world = new World(asking)
    const [driver, follower] = [await world.agent(), await world.agent()]
    await driver.run('Send')
    await follower.ok(follower.api.follow('s'))
    const answer = await follower.api.command('s', { type: 'approve', runId: 'r1', callId: '1.0', hash: 'forged' })
    expect(answer).toMatchObject({ ok: false, failure: { code: expect.stringMatching(/stale_approval|not_asking/) } })
  })

  it('takes over when the driver ends, and continues its run', async () => {
    const world = new World(asking)
    const [driver, follower] = [await world.agent(), await world.agent()]
    await driver.run('Send')
    const hash = await hashOf(driver)
    await follower.ok(follower.api.follow('s'))
    await driver.ok(driver.api.unfollow('s'))
    await follower.until(({ type }) => type === 'lease-start')
    await follower.ok(follower.api.command('s', { type: 'approve', runId: 'r1', callId: '1.0', hash }))
    expect(await follower.end()).toMatchObject({ outcome: 'completed' })
    expect(world.executed).toHaveLength(1)
  })

  it('takes the lease by force from a driver that does not answer, and refuses what that one still writes', async () => {
    const world = new World(asking)
    const [frozen, follower] = [await world.agent(), await world.agent()]
    await frozen.run('Send')
    const hash = await hashOf(frozen)
    await follower.ok(follower.api.follow('s'))
    frozen.freeze()
    await follower.ok(follower.api.command('s', { type: 'approve', runId: 'r1', callId: '1.0', hash }))
    expect(await follower.end()).toMatchObject({ outcome: 'completed' })
    expect(world.executed).toHaveLength(1)
    expect((await world.store.read('r1')).filter(({ type }) => type === 'lease-start')).toHaveLength(1)
  })

  it('stops a run whose driver does not hear that it is cancelled, before it starts anything of it', async () => {
    const world = new World(asking)
    const [frozen, follower] = [await world.agent(), await world.agent()]
    await frozen.run('Send')
    const hash = await hashOf(frozen)
    await follower.ok(follower.api.follow('s'))
    const append = world.store.append.bind(world.store)
    let wake!: () => void
    const woken = new Promise<void>((resolve) => (wake = resolve))
    const isStarting = new Promise<void>((resolve) => {
      world.store.append = async (runId, seq, event, durability) => {
        if (event.type === 'tool-start') {
          frozen.freeze()
          resolve()
          await woken
        }
        return append(runId, seq, event, durability)
      }
    })
    await frozen.ok(frozen.api.command('s', { type: 'approve', runId: 'r1', callId: '1.0', hash }))
    await isStarting
    await follower.ok(follower.api.command('s', { type: 'cancel', runId: 'r1' }))
    expect(await follower.end()).toMatchObject({ outcome: 'cancelled' })
    wake()
    await frozen.ok(frozen.api.unfollow('s'))
    const types = (await world.store.read('r1')).map(({ type }) => type)
    expect(types.slice(types.indexOf('lease-start'))).toEqual(['lease-start', 'run-stop', 'tool-result', 'run-end'])
    expect(world.executed).toEqual([])
  })

  it('waits for a driver that is at work: the check of an edited input is slow', { timeout: 10_000 }, async () => {
    let delay = 0
    const check = async () => {
      await new Promise((resolve) => setTimeout(resolve, delay))
      return { verdict: 'allow' } as const
    }
    const world = new World({
      tools: { send: { risk: 'irreversible', run: () => null, check } },
      model: inTurn(ask(['send', {}]), say('Sent')),
    })
    const [driver, follower] = [await world.agent(), await world.agent()]
    await driver.run('Send')
    const hash = await hashOf(driver)
    await follower.ok(follower.api.follow('s'))
    delay = 2_500
    const approve = { type: 'approve', runId: 'r1', callId: '1.0', hash, input: { a: 1 } } as const
    const approved = follower.ok(follower.api.command('s', approve))
    setTimeout(() => (delay = 0), 1_000)
    await approved
    await follower.end()
    expect(follower.events.filter(({ type }) => type === 'lease-start')).toEqual([])
    expect(world.executed).toHaveLength(1)
  })

  it('leaves the lease with the driver when a follower is closed that waits for its answer', async () => {
    const world = new World(asking)
    const [driver, follower] = [await world.agent(), await world.agent()]
    await driver.run('Send')
    const hash = await hashOf(driver)
    await follower.ok(follower.api.follow('s'))
    driver.freeze()
    const command = { type: 'approve', runId: 'r1', callId: '1.0', hash } as const
    const [answer] = await Promise.all([follower.api.command('s', command), follower.api.unfollow('s')])
    expect(answer).toMatchObject({ ok: false, failure: { code: 'session_busy' } })
    expect((await world.store.read('r1')).filter(({ type }) => type === 'lease-start')).toEqual([])
    await driver.ok(driver.api.command('s', command))
    expect(await driver.end()).toMatchObject({ outcome: 'completed' })
  })

  it('opens the dialog again after a reload: the call still asks, with the same hash', async () => {
    const world = new World(asking)
    const before = await world.agent()
    await before.run('Send')
    const hash = await hashOf(before)
    await before.ok(before.api.unfollow('s'))
    const after = await world.agent()
    const view = await after.ok(after.api.follow('s'))
    expect(view.runs[0]?.events.findLast(({ type }) => type === 'tool-decision')).toMatchObject({
      verdict: 'ask',
      hash,
    })
    await after.ok(after.api.command('s', { type: 'approve', runId: 'r1', callId: '1.0', hash }))
    expect(await after.end()).toMatchObject({ outcome: 'completed' })
  })

  it('keeps the sessions of each owner apart', async () => {
    const world = new World({ model: inTurn(say('Hello')) })
    const ann = await world.agent()
    await ann.run('Hi')
    await ann.end()
    const bob = await new World({ ...world.options, setup: { owner: 'bob' } }).sharing(world).agent()
    expect((await bob.ok(bob.api.follow('s'))).runs).toEqual([])
    expect(await bob.ok(bob.api.sessions())).toEqual([])
    await bob.ok(bob.api.deleteSession('s'))
    expect(await ann.ok(ann.api.sessions())).toHaveLength(1)
  })

  it('deletes a session that is open here, and refuses one that another tab has open', async () => {
    const world = new World({ model: inTurn(say('Hello')) })
    const [one, other] = [await world.agent(), await world.agent()]
    await one.run('Hi')
    await one.end()
    await expect(other.ok(other.api.deleteSession('s'))).rejects.toMatchObject({ code: 'session_busy' })
    await one.ok(one.api.deleteSession('s'))
    expect(await one.ok(one.api.sessions())).toEqual([])
  })
})

describe('a store that fails', () => {
  /** Refuses the append at one position, once. */
  const failOnce = (store: Store, position: number, code: string): void => {
    const append = store.append.bind(store)
    let left = 1
    store.append = async (runId, seq, event, durability) => {
      if (seq === position && left-- > 0) throw new HandrailError(code, `The store refused event ${seq}`)
      return append(runId, seq, event, durability)
    }
  }

  it('stalls the run with its code, and the run goes on when the page asks again', async () => {
    const world = new World(asking)
    failOnce(world.store, 3, 'store_full')
    const agent = await world.agent()
    await agent.run('Send')
    const stalled = await agent.notice(({ type }) => type === 'stalled')
    expect(stalled).toMatchObject({ failure: { code: 'store_full' } })
    const failed = await agent.api.command('s', { type: 'approve', runId: 'r1', callId: '1.0', hash: 'x' })
    expect(failed).toMatchObject({ ok: false, failure: { code: 'not_asking' } })
    const hash = await hashOf(agent)
    await agent.ok(agent.api.command('s', { type: 'approve', runId: 'r1', callId: '1.0', hash }))
    expect(await agent.end()).toMatchObject({ outcome: 'completed' })
    expect(await world.store.read('r1')).toEqual(agent.events)
  })

  it('does not drive a log of a newer format, and shows it', async () => {
    const world = new World(asking)
    const agent = await world.agent()
    await agent.run('Send')
    await hashOf(agent)
    await agent.ok(agent.api.unfollow('s'))
    const events = await world.store.read('r1')
    const newer = new World(asking)
    const head = { runId: 'r1', owner: 'ann', session: 's', index: 0, startedAt: 1 }
    // What only the newer version knows, and what comes of it.
    const strange = [
      { type: 'agent-turn', at: 9, calls: [{ callId: '1.9' }] },
      { type: 'tool-result', at: 9, callId: '1.9', outcome: 'postponed' },
      { type: 'step-start', at: 9, step: 2, attempt: 1 },
    ] as unknown as RunEvent[]
    const start = { ...events[0], format: 99 } as RunEvent
    await newer.store.start(head, [start, ...events.slice(1), ...strange])
    const reader = await newer.agent()
    expect((await reader.ok(reader.api.follow('s'))).runs[0]?.events).toHaveLength(events.length + strange.length)
    expect(reader.notices).toContainEqual(
      expect.objectContaining({ type: 'stalled', failure: expect.objectContaining({ code: 'log_newer' }) }),
    )
  })
})
