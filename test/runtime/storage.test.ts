import { describe, expect, it } from 'vitest'
import type { Failure, RunEvent } from '../../src/core/events.js'
import { HandrailError } from '../../src/errors.js'
import type { Notice } from '../../src/runtime/protocol.js'
import { createIsolateSandbox } from '../sandbox/isolate-sandbox.js'
import { ask, inTurn, lastResult, say, World, type TestAgent } from './world.js'

const code = 'const { found } = await tools.look({}); return await tools.send({ found })'

/** A run of a read, a write that a person approves, and a script that makes both. */
function busy(): { world: World; effects: Map<string, number> } {
  const effects = new Map<string, number>()
  const act = (key: string) => effects.set(key, (effects.get(key) ?? 0) + 1)
  const world = new World({
    tools: {
      look: { risk: 'read', trusted: true, run: () => ({ found: 3 }) },
      send: {
        risk: 'irreversible',
        run: (_, { idempotencyKey }) => {
          act(idempotencyKey)
          return { id: idempotencyKey }
        },
        reconcile: ({ idempotencyKey }) =>
          effects.has(idempotencyKey) ? { state: 'done', output: { id: idempotencyKey } } : { state: 'void' },
      },
    },
    model: inTurn(ask(['look', {}], ['send', {}]), ask(['run_script', { code }]), (request) =>
      say(lastResult(request)),
    ),
  })
  world.sandbox = createIsolateSandbox()
  return { world, effects }
}

/** Approves whatever asks. What it gives is why one approval could not be stored. */
const approving = (agent: TestAgent): Promise<Failure> =>
  new Promise((resolve) => {
    agent.onEvent = (event) => {
      if (event.type !== 'tool-decision' || event.verdict !== 'ask') return
      const command = { type: 'approve', runId: 'r1', callId: event.callId, hash: event.hash } as const
      void agent.api.command('s', command).then((reply) => reply.ok || resolve(reply.failure))
    }
  })

/** Why the run stands: the page is told, or the person whose word could not be stored. */
async function standing(agent: TestAgent, refused: Promise<Failure>): Promise<Failure> {
  const told = agent.notice(({ type }) => type === 'stalled')
  return Promise.race([refused, told.then((notice) => (notice as Notice & { type: 'stalled' }).failure)])
}

/** The store as it is, but for one append. */
function failing(world: World, nth: number, code: string): { appends: number } {
  const state = { appends: 0 }
  const { store } = world
  const append = store.append.bind(store)
  Object.assign(store, {
    append: (...args: Parameters<typeof append>) =>
      state.appends++ === nth ? Promise.reject(new HandrailError(code, 'No room')) : append(...args),
  })
  return state
}

const outcomes = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'tool-result' ? [`${event.callId} ${event.outcome}`] : []))
const answerIn = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'assistant-message' && event.calls.length === 0 ? [event.parts] : []))

async function undisturbed(): Promise<{
  events: readonly RunEvent[]
  effects: ReadonlyMap<string, number>
  appends: number
}> {
  const { world, effects } = busy()
  const store = failing(world, -1, '')
  const agent = await world.agent()
  void approving(agent)
  await agent.run('Go')
  await agent.end()
  return { events: agent.events, effects, appends: store.appends }
}

describe('a store that refuses an append', () => {
  it('stops the run where it can go on, at every append, and it ends as if nothing had been', async () => {
    const whole = await undisturbed()
    expect(whole.appends).toBeGreaterThan(20)
    for (let nth = 0; nth < whole.appends; nth++) {
      const { world, effects } = busy()
      const refusal = nth % 2 === 0 ? 'store_full' : 'store_failed'
      failing(world, nth, refusal)
      const agent = await world.agent()
      const refused = approving(agent)
      await agent.run('Go')
      expect(await standing(agent, refused), `append ${nth}`).toMatchObject({ code: refusal })
      await agent.ok(agent.api.unfollow('s'))

      const reopened = await world.agent()
      void approving(reopened)
      const { runs } = await reopened.ok(reopened.api.follow('s'))
      for (const event of runs[0]!.events) reopened.onEvent(event)
      await reopened.end()
      const events = await world.store.read('r1')
      expect(events.at(-1), `append ${nth}`).toMatchObject({ type: 'run-end', outcome: 'completed' })
      expect(outcomes(events), `append ${nth}`).toEqual(outcomes(whole.events))
      expect(answerIn(events), `append ${nth}`).toEqual(answerIn(whole.events))
      expect([...effects], `append ${nth}`).toEqual([...whole.effects])
    }
  }, 120_000)
})

describe('a store that refuses what a person said', () => {
  const waiting = async (commands = 0) => {
    const world = new World({
      tools: { send: { risk: 'irreversible', run: () => 1 } },
      model: inTurn(ask(['send', {}]), say('Done')),
    })
    const agent = await world.agent()
    await agent.run('Go')
    const decision = (await agent.until(({ type }) => type === 'tool-decision')) as RunEvent & { type: 'tool-decision' }
    failing(world, commands, 'store_full')
    return { world, agent, of: { runId: 'r1', callId: '1.0', hash: decision.hash } }
  }

  it.each([
    ['approve', (of: object) => ({ type: 'approve', ...of })],
    ['deny', (of: object) => ({ type: 'deny', ...of })],
    ['cancel', () => ({ type: 'cancel', runId: 'r1' })],
    ['mode', () => ({ type: 'mode', runId: 'r1', modes: { readOnly: true } })],
  ] as const)('lets the run stand, and tells it: %s', async (_, command) => {
    const { agent, of } = await waiting()
    const reply = await agent.api.command('s', command(of) as never)
    expect(reply).toMatchObject({ ok: false, failure: { code: 'store_full' } })
    const stalled = await agent.notice(({ type }) => type === 'stalled')
    expect(stalled).toMatchObject({ runId: 'r1', failure: { code: 'store_full' } })
    expect(agent.notices.filter(({ type }) => type === 'stalled')).toHaveLength(1)
    await agent.ok(agent.api.command('s', { type: 'cancel', runId: 'r1' }))
    expect(await agent.end()).toMatchObject({ outcome: 'cancelled' })
  })

  it('tells a tab that follows, too', async () => {
    const { world, agent, of } = await waiting()
    const follower = await world.agent()
    await follower.ok(follower.api.follow('s'))
    await agent.api.command('s', { type: 'approve', ...of })
    expect(await follower.notice(({ type }) => type === 'stalled')).toMatchObject({ failure: { code: 'store_full' } })
  })
})

describe('a storage that is nearly full', () => {
  const full = { usage: 961_000_000, quota: 1_000_000_000 }
  const roomy = { usage: 949_000_000, quota: 1_000_000_000 }
  const stored = () =>
    new World({
      tools: { look: { risk: 'read', run: () => 1 } },
      model: inTurn(ask(['look', {}]), say('Done')),
      setup: { store: 'indexeddb' },
    })

  it('starts no run, says how full it is, and starts one when there is room', async () => {
    const world = stored()
    world.storage = full
    const agent = await world.agent()
    await expect(agent.run('Go')).rejects.toMatchObject({
      code: 'store_nearly_full',
      message: expect.stringMatching(/961\.0 MB of 1000\.0 MB/),
    })
    expect(await world.store.runs('ann', 's')).toEqual([])
    world.storage = roomy
    await agent.run('Go')
    expect(await agent.end()).toMatchObject({ outcome: 'completed' })
  })

  it('lets a run stand before its next step, and it goes on when there is room', async () => {
    const world = stored()
    const agent = await world.agent()
    agent.onEvent = ({ type }) => {
      if (type === 'tool-start') world.storage = full
    }
    await agent.run('Go')
    const stalled = await agent.notice(({ type }) => type === 'stalled')
    expect(stalled).toMatchObject({
      failure: { code: 'store_nearly_full', message: expect.stringContaining('961.0 MB'), retryable: true },
    })
    expect(agent.events.at(-1)).toMatchObject({ type: 'tool-result', outcome: 'ok' })
    agent.onEvent = () => {}
    world.storage = roomy
    await agent.ok(agent.api.unfollow('s'))
    const other = await world.agent()
    await other.ok(other.api.follow('s'))
    expect(await other.end()).toMatchObject({ outcome: 'completed' })
    expect(world.executed).toHaveLength(1)
  })

  it('lets a run be cancelled that stands', async () => {
    const world = stored()
    const agent = await world.agent()
    agent.onEvent = ({ type }) => {
      if (type === 'tool-start') world.storage = full
    }
    await agent.run('Go')
    await agent.notice(({ type }) => type === 'stalled')
    await agent.ok(agent.api.command('s', { type: 'cancel', runId: 'r1' }))
    expect(await agent.end()).toMatchObject({ outcome: 'cancelled' })
  })

  it.each([undefined, { usage: 5, quota: 0 }, 'rejects' as const])(
    'is not taken for full where the browser does not say: %j',
    async (storage) => {
      const world = stored()
      if (storage === 'rejects')
        Object.defineProperty(world, 'storage', {
          get() {
            throw new Error('No')
          },
        })
      else world.storage = storage
      const agent = await world.agent()
      await agent.run('Go')
      expect(await agent.end()).toMatchObject({ outcome: 'completed' })
    },
  )
})
