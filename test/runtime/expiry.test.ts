import { afterEach, describe, expect, it, vi } from 'vitest'
import { ask, inTurn, lastResult, say, World, type TestAgent } from './world.js'

const expiring = (expires: number) =>
  new World({
    tools: { send: { risk: 'irreversible', approval: { expires }, run: () => ({ id: 'AS-1' }) } },
    model: inTurn(ask(['send', { to: 'bob' }]), (request) => say(lastResult(request))),
  })

const hashOf = async (agent: TestAgent) =>
  ((await agent.until(({ type }) => type === 'tool-decision')) as unknown as { hash: string }).hash

const approve = (hash: string) => ({ type: 'approve', runId: 'r1', callId: '1.0', hash }) as const

afterEach(() => void vi.restoreAllMocks())

describe('an approval that expires', () => {
  it('is denied when its time is over, and the model is told', async () => {
    const world = expiring(30)
    const agent = await world.agent()
    await agent.run('Send')
    await agent.end()
    expect(agent.events.find(({ type }) => type === 'approval-expired')).toMatchObject({ callId: '1.0' })
    expect(agent.events.find(({ type }) => type === 'tool-result')).toMatchObject({ outcome: 'denied', trusted: true })
    expect(JSON.stringify(agent.events.at(-2))).toContain('expired')
    expect(world.executed).toEqual([])
  })

  it('is denied at once when the session is opened again after its time', async () => {
    const world = expiring(60_000)
    const agent = await world.agent()
    await agent.run('Send')
    const hash = await hashOf(agent)
    await agent.ok(agent.api.unfollow('s'))
    world.time += 60_000
    const other = await world.agent()
    const answer = await other.api.command('s', approve(hash))
    expect(answer).toMatchObject({ ok: false })
    await other.end()
    expect(other.events.filter(({ type }) => type === 'approval-expired')).toHaveLength(1)
    expect(other.events.some(({ type }) => type === 'approval-response')).toBe(false)
    expect(world.executed).toEqual([])
  })

  it('is taken while there is time, and leaves no timer behind', async () => {
    const [set, clear] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')]
    const world = expiring(55_000)
    const agent = await world.agent()
    await agent.run('Send')
    await agent.ok(agent.api.command('s', approve(await hashOf(agent))))
    expect(await agent.end()).toMatchObject({ outcome: 'completed' })
    world.time += 55_000
    expect(world.executed).toHaveLength(1)
    expect(agent.events.some(({ type }) => type === 'approval-expired')).toBe(false)
    const timers = set.mock.calls.flatMap(([, ms], i) =>
      ms! > 50_000 && ms! <= 55_000 ? [set.mock.results[i]!.value] : [],
    )
    expect(timers.length).toBeGreaterThan(0)
    await vi.waitFor(() => {
      const cleared = clear.mock.calls.map(([timer]) => timer)
      expect(timers.every((timer) => cleared.includes(timer))).toBe(true)
    })
  })

  it('expires each at its own time, and not what asks without an end', async () => {
    const world = new World({
      tools: {
        short: { risk: 'irreversible', approval: { expires: 20 }, run: () => 1 },
        long: { risk: 'irreversible', approval: { expires: 60_000 }, run: () => 1 },
        endless: { risk: 'irreversible', run: () => 1 },
      },
      model: inTurn(ask(['short', {}], ['long', {}], ['endless', {}]), say('Done')),
    })
    const agent = await world.agent()
    await agent.run('Go')
    await agent.until((event) => event.type === 'approval-expired' && event.callId === '1.0')
    world.time += 60_000
    // A timer that looks again after an event finds that the time has passed.
    await agent.ok(agent.api.command('s', { type: 'mode', runId: 'r1', modes: {} }))
    await agent.until((event) => event.type === 'approval-expired' && event.callId === '1.1')
    const asking = agent.events.filter((event) => event.type === 'approval-expired').map(({ callId }) => callId)
    expect(asking).toEqual(['1.0', '1.1'])
    await agent.ok(agent.api.command('s', { type: 'cancel', runId: 'r1' }))
    await agent.end()
  })
})
