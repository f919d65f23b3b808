import { describe, expect, it } from 'vitest'
import { audit } from '../../src/core/audit.js'
import type { RunEvent } from '../../src/core/events.js'
import type { AgentApi, Reply } from '../../src/runtime/protocol.js'
import { createMemoryStore } from '../../src/store/memory.js'
import type { RunHead, Store } from '../../src/store/store.js'
import { ask, inTurn, say, World, type TestAgent } from './world.js'

const reading = new World({
  tools: { look: { risk: 'read', run: () => ({ found: 'O-1' }) } },
  model: (request) => {
    const asked = request.messages.findLastIndex(({ role }) => role === 'user')
    return request.messages.slice(asked).some(({ role }) => role === 'tool') ? say('Found') : ask(['look', { id: 1 }])
  },
}).options

const asking = new World({
  tools: { send: { risk: 'irreversible', run: () => ({ id: 'AS-1' }) } },
  model: inTurn(ask(['send', { to: 'bob' }]), say('Sent')),
}).options

/** A world in which a run is over and its session closed. */
async function over(options = reading): Promise<{ world: World; agent: TestAgent; events: RunEvent[]; head: RunHead }> {
  const world = new World(options)
  const agent = await world.agent()
  await agent.run('Look')
  await agent.end()
  await agent.ok(agent.api.unfollow('s'))
  return { world, agent, events: await world.store.read('r1'), head: (await world.store.runs('ann', 's'))[0]! }
}

/** The same browser, in which the database holds this in place of the log. */
function tampered(head: RunHead, records: readonly { seq: number; event: unknown }[]): World {
  const world = new World(reading)
  const store = createMemoryStore()
  const whole: Store = Object.create(store) as Store
  let isThere = true
  const own = (runId: string) => runId === head.runId && isThere
  Object.assign(whole, {
    runs: async (owner: string, session: string) => (owner === 'ann' && session === 's' && isThere ? [head] : []),
    run: async (owner: string, runId: string) => (owner === 'ann' && own(runId) ? head : undefined),
    sessions: async () => (isThere ? [{ session: 's', startedAt: 1, lastRunAt: head.startedAt, runs: 1 }] : []),
    records: async (runId: string, from: number, most: number) =>
      own(runId) ? structuredClone(records.filter(({ seq }) => seq >= from).slice(0, most)) : [],
    getContext: async () => undefined,
    deleteRun: async () => void (isThere = false),
  })
  world.store = whole
  return world
}

const codeOf = async (reply: Promise<Reply<unknown>>) => {
  const answer = await reply
  return answer.ok ? 'ok' : answer.failure.code
}

const numbered = (events: readonly unknown[]) => events.map((event, seq) => ({ seq, event }))
const at = (events: readonly RunEvent[], i: number, change: object) =>
  events.map((event, j) => (j === i ? { ...event, ...change } : event))
const without = (event: RunEvent): object => {
  const { chain: _chain, ...rest } = event
  return rest
}

describe('a chained log', () => {
  it('has a chain in each event, which a page is told of live', async () => {
    const { agent, events } = await over()
    expect(events.every(({ chain }) => /^[0-9a-f]{64}$/.test(chain ?? ''))).toBe(true)
    expect(new Set(events.map(({ chain }) => chain)).size).toBe(events.length)
    expect(agent.events).toEqual(events)
  })

  it('goes on from its last chain after it was opened again', async () => {
    const world = new World(asking)
    const before = await world.agent()
    await before.run('Send')
    const decision = await before.until(({ type }) => type === 'tool-decision')
    await before.ok(before.api.unfollow('s'))
    const after = await world.agent()
    await after.ok(after.api.follow('s'))
    const hash = (decision as RunEvent & { type: 'tool-decision' }).hash
    await after.ok(after.api.command('s', { type: 'approve', runId: 'r1', callId: '1.0', hash }))
    await after.end()
    await after.ok(after.api.unfollow('s'))
    const reader = await world.agent()
    await reader.ok(reader.api.follow('s'))
    expect(reader.notices.filter(({ type }) => type === 'stalled')).toEqual([])
  })

  it('goes on after an append that the store refused', async () => {
    const world = new World(asking)
    const append = world.store.append.bind(world.store)
    let left = 1
    world.store.append = (runId, seq, event, durability) =>
      seq === 3 && left-- > 0 ? Promise.reject(new Error('no')) : append(runId, seq, event, durability)
    const agent = await world.agent()
    await agent.run('Send')
    await agent.notice(({ type }) => type === 'stalled')
    await agent.api.command('s', { type: 'approve', runId: 'r1', callId: '1.0', hash: 'x' })
    await agent.until(({ type }) => type === 'tool-decision')
    await agent.ok(agent.api.unfollow('s'))
    const reader = await world.agent()
    await reader.ok(reader.api.follow('s'))
    expect(reader.notices.filter(({ type }) => type === 'stalled')).toEqual([])
  })

  type Edit = (events: readonly RunEvent[]) => readonly { seq: number; event: unknown }[]
  const cases: [what: string, edit: Edit, where: string][] = [
    ['an event that was edited', (all) => numbered(at(all, 1, { text: 'Delete all' })), 'event 1: its chain'],
    ['a first event that was edited', (all) => numbered(at(all, 0, { seed: 8 })), 'event 0: its chain'],
    [
      'a last event that was edited',
      (all) => numbered(at(all, all.length - 1, { outcome: 'failed' })),
      'event 9: its chain',
    ],
    ['a field that was added', (all) => numbered(at(all, 2, { note: 'x' })), 'event 2: its chain'],
    ['a chain that was edited', (all) => numbered(at(all, 2, { chain: '0'.repeat(64) })), 'event 2: its chain'],
    ['a chain that is no text', (all) => numbered(at(all, 2, { chain: 7 })), 'event 2: it has no chain'],
    [
      'a chain that was removed',
      (all) => numbered(all.map((e, i) => (i === 2 ? without(e) : e))),
      'event 2: it has no chain',
    ],
    ['chains that were all removed', (all) => numbered(all.map(without)), 'event 0: it has no chain'],
    [
      'two events that were swapped',
      (all) => numbered([all[0], all[2], all[1], ...all.slice(3)]),
      'event 1: its chain',
    ],
    [
      'an event that is missing',
      (all) => numbered(all).filter(({ seq }) => seq !== 2),
      'event 2: expected position 2, got 3',
    ],
    [
      'an event that is missing, the others having moved up',
      (all) => numbered(all.filter((_, i) => i !== 2)),
      'event 2: its chain',
    ],
    [
      'an event that was put in',
      (all) => numbered([...all.slice(0, 2), all[1], ...all.slice(2)]),
      'event 2: its chain',
    ],
    ['a first event that is missing', (all) => numbered(all).slice(1), 'event 0: expected a run-start'],
    ['no event', () => [], 'event 0: it is missing'],
    [
      'something that is no event',
      (all) => numbered(all.map((e, i) => (i === 2 ? 'x' : e))),
      'event 2: expected an object',
    ],
    ['a format that was lowered', (all) => numbered(at(all, 0, { format: 1 })), 'event 0: its format is 1'],
    [
      'a format that was lowered, and all chains removed',
      (all) => numbered(at(all, 0, { format: 1 }).map((event) => without(event as RunEvent))),
      'event 0: its format is 1',
    ],
    ['a format that was raised', (all) => numbered(at(all, 0, { format: 3 })), 'event 0: its format is 3'],
  ]
  it.each(cases)('that holds %s is shown, exported and deleted, and never goes on', async (_, edit, where) => {
    const { events, head } = await over()
    const records = edit(events)
    const world = tampered(head, records)
    const agent = await world.agent()
    const view = await agent.ok(agent.api.follow('s'))
    expect(agent.notices).toMatchObject([
      {
        type: 'stalled',
        session: 's',
        runId: 'r1',
        failure: { code: 'log_damaged', message: expect.stringContaining(where) },
      },
    ])
    expect(view.runs[0]!.events).toEqual(records.map(({ event }) => event).filter((event) => typeof event === 'object'))
    expect(await codeOf(agent.api.command('s', { type: 'cancel', runId: 'r1' }))).toBe('log_damaged')
    expect(await codeOf(agent.api.run('s', 'More', { runId: 'r2' }))).toBe('log_damaged')
    const file = await agent.ok(agent.api.exportRun('r1'))
    expect(file.split('\n')).toHaveLength(records.length + 3)
    await agent.ok(agent.api.deleteRun('r1'))
    expect((await agent.ok(agent.api.follow('s'))).runs).toEqual([])
  })

  it.each([
    ['a number without an end', (event: RunEvent) => ({ ...event, count: 5n })],
    ['a ring', (event: RunEvent) => Object.assign(event, { ring: event })],
    ['a ring in front of its chain', ({ chain, ...event }: RunEvent) => Object.assign(event, { ring: event, chain })],
  ])('that holds what is no JSON, %s, is shown, exported, pruned and deleted', async (_, change) => {
    const { events, head } = await over()
    const agent = await tampered(head, numbered(events.with(1, change(events[1]!) as RunEvent))).agent()
    expect((await agent.ok(agent.api.follow('s'))).runs[0]!.events).toHaveLength(events.length)
    expect(agent.notices).toMatchObject([{ type: 'stalled', failure: { code: 'log_damaged' } }])
    expect(agent.notices).toMatchObject([{ failure: { message: expect.stringContaining('event 1') } }])
    const lines = (await agent.ok(agent.api.exportRun('r1'))).split('\n')
    expect(lines.slice(2, 5)).toEqual([JSON.stringify(events[0]), 'null', JSON.stringify(events[2])])
    await agent.ok(agent.api.prune({ maxBytes: 1e9 }))
    await agent.ok(agent.api.deleteRun('r1'))
  })

  it('is shown without what no page could show: events that lack what theirs have', async () => {
    const { events, head } = await over()
    const bare = events.map(({ type, at: time }, i) => (i < 3 ? events[i] : { type, at: time }))
    const agent = await tampered(head, numbered(bare)).agent()
    const { runs } = await agent.ok(agent.api.follow('s'))
    expect(runs[0]!.events).toEqual(events.slice(0, 3))
    expect(audit(runs[0]!.events).runs).toHaveLength(2)
    expect((await agent.ok(agent.api.exportRun('r1'))).split('\n')).toHaveLength(events.length + 3)
  })

  it('of another run is found, though its own chain is whole', async () => {
    const { events, head } = await over()
    const world = tampered({ ...head, runId: 'r7' }, numbered(events))
    const agent = await world.agent()
    await agent.ok(agent.api.follow('s'))
    expect(agent.notices).toMatchObject([
      { failure: { code: 'log_damaged', message: expect.stringContaining('event 0') } },
    ])
  })

  it('is seen to be damaged by a tab that follows too', async () => {
    const { events, head } = await over()
    const world = tampered(head, numbered(at(events, 1, { text: 'x' })))
    const [driver, follower] = [await world.agent(), await world.agent()]
    await driver.ok(driver.api.follow('s'))
    await follower.ok(follower.api.follow('s'))
    expect(follower.notices).toMatchObject([{ type: 'stalled', failure: { code: 'log_damaged' } }])
  })

  it('of format 1 has no chain, and goes on without one', async () => {
    const world = new World(asking)
    const agent = await world.agent()
    await agent.run('Send')
    const decision = (await agent.until(({ type }) => type === 'tool-decision')) as RunEvent & { type: 'tool-decision' }
    await agent.ok(agent.api.unfollow('s'))
    const old = at(await world.store.read('r1'), 0, { format: 1 }).map(
      (event) => without(event as RunEvent) as RunEvent,
    )
    const next = new World(asking)
    await next.store.start({ runId: 'r1', owner: 'ann', session: 's', index: 0, startedAt: 1 }, old)
    next.time = 5_000
    const later = await next.agent()
    await later.ok(later.api.follow('s'))
    await later.ok(later.api.command('s', { type: 'approve', runId: 'r1', callId: '1.0', hash: decision.hash }))
    expect(await later.end()).toMatchObject({ outcome: 'completed' })
    expect((await next.store.read('r1')).filter(({ chain }) => chain !== undefined)).toEqual([])
  })
})

describe('a run as a file', () => {
  const exported = async (options = reading) => {
    const { world, agent, events } = await over(options)
    return { world, agent, events, file: await agent.ok(agent.api.exportRun('r1')) }
  }
  const elsewhere = async () => new World({ ...reading, setup: { owner: 'eve' } }).agent()

  it('is imported under the owner who imports it, in a session of its own, as it was', async () => {
    const { events, file, world } = await exported()
    const agent = await elsewhere()
    const { session, runId } = await agent.ok(agent.api.importRun(file))
    expect(runId).toBe('r1')
    expect(session).not.toBe('s')
    expect(await agent.ok(agent.api.sessions())).toMatchObject([{ session, runs: 1, imported: true }])
    expect((await agent.ok(agent.api.follow(session))).runs).toEqual([{ runId, events }])
    expect(await agent.ok(agent.api.exportRun('r1'))).toContain(file.split('\n').slice(1).join('\n'))
    const hash = (events[0] as RunEvent & { type: 'run-start' }).contextHash
    expect(await world.store.getContext(hash)).toBeDefined()
  })

  it('is never driven, and takes no command', async () => {
    const world = new World(asking)
    const before = await world.agent()
    await before.run('Send')
    const decision = (await before.until(({ type }) => type === 'tool-decision')) as RunEvent & {
      type: 'tool-decision'
    }
    const file = await before.ok(before.api.exportRun('r1'))
    const agent = await new World(asking).agent()
    const { session } = await agent.ok(agent.api.importRun(file))
    const { runs } = await agent.ok(agent.api.follow(session))
    expect(runs[0]!.events.at(-1)).toMatchObject({ type: 'tool-decision', verdict: 'ask' })
    expect(agent.notices).toMatchObject([{ type: 'stalled', runId: 'r1', failure: { code: 'run_imported' } }])
    const of = { runId: 'r1', callId: '1.0', hash: decision.hash }
    for (const command of [
      { type: 'approve', ...of },
      { type: 'deny', ...of },
      { type: 'cancel', runId: 'r1' },
      { type: 'mode', runId: 'r1', modes: { readOnly: true } },
      { type: 'reconcile', runId: 'r1', callId: '1.0', done: true },
    ] as const)
      expect(await codeOf(agent.api.command(session, command))).toBe('run_imported')
    expect(await codeOf(agent.api.run(session, 'More', { runId: 'r2' }))).toBe('run_imported')
    await agent.ok(agent.api.deleteRun('r1'))
  })

  it('holds no key of the setup', async () => {
    const config = { provider: 'test', model: 'test-1', headers: { authorization: 'Bearer sk-very-secret' } }
    const { file } = await exported({ ...reading, setup: { model: { hosted: false, config } } })
    expect(file).not.toContain('sk-very-secret')
  })

  const lines = (file: string, change: (lines: string[]) => string[]) => change(file.split('\n')).join('\n')
  const json = (file: string, i: number, change: (value: never) => unknown) =>
    lines(file, (all) => all.map((line, j) => (j === i ? JSON.stringify(change(JSON.parse(line) as never)) : line)))
  const refused: [what: string, change: (file: string) => unknown, says: string][] = [
    ['no text', () => 7, 'line 1: expected a text'],
    ['nothing', () => '', 'line 1: expected JSON'],
    ['another file', () => '{}\n', 'line 1: expected {"handrail":"run"}'],
    [
      'a file of a version that is not known',
      (f) => json(f, 0, (v: object) => ({ ...v, version: 2 })),
      'line 1: expected version 1, got 2',
    ],
    ['a file that was cut in a line', (f) => f.slice(0, -3), 'the file was cut'],
    [
      'a file that was cut after a line',
      (f) => lines(f, (all) => [...all.slice(0, -2), '']),
      'line 11: expected 10 events',
    ],
    ['a line that is no JSON', (f) => lines(f, (all) => all.with(4, '{')), 'line 5: expected JSON'],
    [
      'a context that is another',
      (f) => json(f, 1, (v: object) => ({ ...v, instructions: 'Obey.' })),
      'line 2: expected the context with the hash',
    ],
    [
      'a context that is none',
      (f) => json(f, 1, () => ({ instructions: 1, tools: [] })),
      'line 2: expected null, or a context',
    ],
    [
      'a format that is not known',
      (f) =>
        json(
          json(f, 2, (v: object) => ({ ...v, format: 3 })),
          0,
          (v: object) => ({ ...v, format: 3 }),
        ),
      'line 3: expected a format from 1 to 2, got 3',
    ],
    [
      'a head that is of another run',
      (f) => json(f, 0, (v: { head: object }) => ({ ...v, head: { ...v.head, runId: 'x' } })),
      'line 1: expected the "runId" of line 3',
    ],
    ['an event that was edited', (f) => json(f, 3, (v: object) => ({ ...v, text: 'x' })), 'line 4: event 1: its chain'],
    [
      'events that were swapped',
      (f) => lines(f, (all) => all.with(3, all[4]!).with(4, all[3]!)),
      'line 4: event 1: its chain',
    ],
    [
      'a chain that was removed',
      (f) => json(f, 5, (v: object) => ({ ...v, chain: undefined })),
      'line 6: event 3: it has no chain',
    ],
    [
      'an event of an unknown type',
      (f) => json(f, 5, (v: object) => ({ ...v, type: 'constructor' })),
      'line 6: expected a known type',
    ],
    [
      'a field of another type',
      (f) => json(f, 3, (v: object) => ({ ...v, text: { html: '<b>' } })),
      'line 4: user-message/text: expected a text',
    ],
    [
      'a call without a name',
      (f) => json(f, 5, (v: object) => ({ ...v, calls: [{ callId: '1.0', caller: 'model' }] })),
      'line 6: assistant-message/calls/0/toolName',
    ],
    [
      'a value that is nested too deep',
      (f) => lines(f, (all) => all.with(3, '['.repeat(5_000) + ']'.repeat(5_000))),
      'line 4: expected at most',
    ],
  ]
  it.each(refused)('is refused as %s, with the line', async (_, change, says) => {
    const { file } = await exported()
    const agent = await elsewhere()
    const reply = await agent.api.importRun(change(file) as string)
    expect(reply).toMatchObject({ ok: false, failure: { code: 'invalid_file' } })
    expect(reply.ok ? '' : reply.failure.message).toContain(says)
    expect(await agent.ok(agent.api.sessions())).toEqual([])
  })

  /** A file of a log without a chain, as anybody can write it. */
  const written = async (change: (events: readonly RunEvent[]) => readonly object[]) => {
    const { events, file } = await exported()
    const old = change(at(events, 0, { format: 1 }).map((event) => without(event as RunEvent) as RunEvent))
    const head = { ...(JSON.parse(file.split('\n')[0]!) as object), format: 1, events: old.length }
    return [head, null, ...old, ''].map((line) => (line === '' ? '' : JSON.stringify(line))).join('\n')
  }
  const call = (callId: string) => ({ callId, toolName: 'look', caller: 'model', input: {} })
  const many = (count: number) => Array.from({ length: count }, (_, i) => `1.${i}`)
  const lies: [what: string, change: (events: readonly RunEvent[]) => readonly object[], says: string][] = [
    ['has no message', (all) => [all[0]!, ...all.slice(2)], 'line 4: expected the user-message'],
    ['is a start alone', (all) => all.slice(0, 1), 'line 4: expected the user-message'],
    [
      'has a second message',
      (all) => [...all.slice(0, 2), all[1]!, ...all.slice(2)],
      'line 5: expected one user-message',
    ],
    [
      'goes on after its end',
      (all) => [...all, { ...all.at(-1), outcome: 'failed' }],
      'line 13: expected the end of the log after its run-end',
    ],
    [
      'asks for one call twice',
      (all) => all.with(3, { ...all[3]!, calls: [call('1.0'), call('1.0')] } as never),
      'line 6: expected another call than "1.0"',
    ],
    [
      'has more open calls than can be folded in time',
      (all) => [
        ...all.slice(0, 3),
        { ...all[3]!, parts: [], calls: many(7_000).map(call) },
        ...many(7_000).map((callId) => ({ ...all[4]!, callId })),
      ],
      'expected a run that is not so busy',
    ],
    [
      'has more steps than can be told in time',
      (all) => [...all.slice(0, 2), ...many(16_000).map((_, i) => ({ ...all[i % 2 === 0 ? 2 : 8]!, at: 1e9 }))],
      'expected a run that is not so busy',
    ],
  ]
  it.each(lies)(
    'is refused when its log %s, though that could be folded',
    async (_, change, says) => {
      const agent = await elsewhere()
      const reply = await agent.api.importRun(await written(change))
      expect(reply).toMatchObject({ ok: false, failure: { code: 'invalid_file' } })
      expect(reply.ok ? '' : reply.failure.message).toContain(says)
    },
    20_000,
  )

  it('is taken when its log was gone on with after its end, by what was learnt later', async () => {
    const news = {
      type: 'tool-reconciled',
      callId: '1.0',
      toolName: 'look',
      runId: 'r0',
      done: true,
      by: 'person',
      at: 1e9,
    }
    const agent = await elsewhere()
    expect(await codeOf(agent.api.importRun(await written((all) => [...all, news])))).toBe('ok')
  })

  it('is refused if a run of its id is stored, whoever owns that', async () => {
    const { world, agent, file } = await exported()
    expect(await codeOf(agent.api.importRun(file))).toBe('run_exists')
    const bob = await new World({ ...reading, setup: { owner: 'bob' } }).sharing(world).agent()
    expect(await codeOf(bob.api.importRun(file))).toBe('run_exists')
    expect(await bob.ok(bob.api.sessions())).toEqual([])
  })
})

describe('a run that is deleted', () => {
  it('leaves its place: the session opens, goes on, and its transcript lacks that run', async () => {
    const world = new World(reading)
    const agent = await world.agent()
    for (const runId of ['r1', 'r2']) {
      await agent.run(`Look ${runId}`, { runId })
      await agent.notice(
        (notice) => notice.type === 'event' && notice.runId === runId && notice.event.type === 'run-end',
      )
    }
    await agent.ok(agent.api.deleteRun('r1'))
    expect(await world.store.read('r1')).toEqual([])
    expect((await agent.ok(agent.api.follow('s'))).runs.map(({ runId }) => runId)).toEqual(['r2'])
    const said: unknown[] = []
    const again = await new World({
      ...reading,
      model: ({ messages }) => {
        said.push(...messages.map((message) => ('text' in message ? message.text : '')))
        return say('Done')
      },
    })
      .sharing(world)
      .agent()
    await agent.ok(agent.api.unfollow('s'))
    await again.run('Once more', { runId: 'r3' })
    await again.end()
    expect(said).toContain('Look r2')
    expect(said).not.toContain('Look r1')
    expect((await world.store.runs('ann', 's')).map(({ deleted }) => deleted)).toEqual([true, undefined, undefined])
    expect(await again.ok(again.api.sessions())).toMatchObject([{ session: 's', runs: 2 }])
  })

  it('is refused while it is open', async () => {
    const world = new World(asking)
    const agent = await world.agent()
    await agent.run('Send')
    await agent.until(({ type }) => type === 'tool-decision')
    expect(await codeOf(agent.api.deleteRun('r1'))).toBe('run_open')
    await agent.ok(agent.api.unfollow('s'))
    expect(await codeOf(agent.api.deleteRun('r1'))).toBe('run_open')
    expect((await world.store.read('r1')).length).toBeGreaterThan(3)
  })

  it('is refused while another tab has its session', async () => {
    const { world } = await over()
    const [one, other] = [await world.agent(), await world.agent()]
    await one.ok(one.api.follow('s'))
    expect(await codeOf(other.api.deleteRun('r1'))).toBe('session_busy')
    await other.ok(other.api.follow('s'))
    expect(await codeOf(other.api.deleteRun('r1'))).toBe('session_busy')
    await one.ok(one.api.deleteRun('r1'))
    expect(await codeOf(one.api.deleteRun('r1'))).toBe('unknown_run')
    expect(await codeOf(one.api.exportRun('r1'))).toBe('unknown_run')
  })
})

describe('prune()', () => {
  /** Three sessions that are over, the oldest first. */
  const three = async () => {
    const world = new World(reading)
    const agent = await world.agent()
    for (const [i, session] of ['a', 'b', 'c'].entries()) {
      world.time = 1_000_000 * (i + 1)
      await agent.run('Look', { session, runId: `r-${session}` })
      await agent.notice((n) => n.type === 'event' && n.runId === `r-${session}` && n.event.type === 'run-end')
      await agent.ok(agent.api.unfollow(session))
    }
    const bytes = async (session: string) =>
      (await world.store.read(`r-${session}`)).reduce((sum, event) => sum + Buffer.byteLength(JSON.stringify(event)), 0)
    return { world, agent, bytes: await Promise.all(['a', 'b', 'c'].map(bytes)) }
  }
  const sessionsOf = async (agent: TestAgent) => (await agent.ok(agent.api.sessions())).map(({ session }) => session)

  it('removes one session a call, the oldest first, until the limits are kept', async () => {
    const { agent, bytes } = await three()
    const [a, b, c] = bytes as [number, number, number]
    const first = await agent.ok(agent.api.prune({ maxBytes: c }))
    expect(first).toEqual({ done: false, session: 'a', runs: 1, bytes: a, left: { sessions: 2, bytes: b + c } })
    expect(await agent.ok(agent.api.prune({ maxBytes: c }))).toMatchObject({ done: false, session: 'b' })
    expect(await agent.ok(agent.api.prune({ maxBytes: c }))).toEqual({
      done: true,
      runs: 0,
      bytes: 0,
      left: { sessions: 1, bytes: c },
    })
    expect(await sessionsOf(agent)).toEqual(['c'])
  })

  it('removes what is too old, by the start of the last run', async () => {
    const { world, agent } = await three()
    world.time = 3_500_000
    expect(await agent.ok(agent.api.prune({ maxAge: 2_000_000 }))).toMatchObject({ session: 'a' })
    expect(await agent.ok(agent.api.prune({ maxAge: 2_000_000 }))).toMatchObject({ done: true })
  })

  it('leaves the session that this page follows, one that another tab has, and one with an open run', async () => {
    const { world, agent } = await three()
    await agent.ok(agent.api.follow('a'))
    const other = await world.agent()
    await other.ok(other.api.follow('b'))
    const waiting = await new World(asking).sharing(world).agent()
    await waiting.run('Send', { session: 'd', runId: 'r-d' })
    await waiting.until(({ type }) => type === 'tool-decision')
    await waiting.ok(waiting.api.unfollow('d'))
    expect(await agent.ok(agent.api.prune({ maxBytes: 0 }))).toMatchObject({ session: 'c' })
    expect(await agent.ok(agent.api.prune({ maxBytes: 0 }))).toMatchObject({ done: true })
    expect((await sessionsOf(agent)).toSorted()).toEqual(['a', 'b', 'd'])
  })

  it.each([{}, { maxAge: -1 }, { maxBytes: Number.NaN }, { maxAge: '1' as never }, null as never])(
    'refuses limits that are none: %j',
    async (limits) => {
      const agent = await new World(reading).agent()
      expect(await codeOf(agent.api.prune(limits))).toBe('invalid_options')
    },
  )
})

describe('another owner', () => {
  it('can list, open, answer, export, delete or prune nothing, by any method', async () => {
    const world = new World(asking)
    const ann = await world.agent()
    await ann.run('Send')
    const { hash } = (await ann.until(({ type }) => type === 'tool-decision')) as RunEvent & { type: 'tool-decision' }
    await ann.ok(ann.api.unfollow('s'))
    const before = await world.store.read('r1')
    const bob = await new World({ ...asking, setup: { owner: 'bob' } }).sharing(world).agent()
    const tries: { [Method in keyof AgentApi]: () => Promise<unknown> } = {
      open: async () => 'by itself',
      sessions: () => bob.api.sessions(),
      follow: () => bob.api.follow('s'),
      unfollow: () => bob.api.unfollow('s'),
      command: () => bob.api.command('s', { type: 'approve', runId: 'r1', callId: '1.0', hash }),
      exportRun: () => bob.api.exportRun('r1'),
      importRun: () => ann.ok(ann.api.exportRun('r1')).then((file) => bob.api.importRun(file)),
      deleteRun: () => bob.api.deleteRun('r1'),
      deleteSession: () => bob.api.deleteSession('s'),
      prune: () => bob.api.prune({ maxBytes: 0 }),
      run: () => bob.api.run('s', 'Mine', { runId: 'r1' }),
      delta: () => bob.api.delta('g1', { type: 'text', index: 0, text: 'x' }),
    }
    const said: Record<string, unknown> = {}
    for (const [method, attempt] of Object.entries(tries)) said[method] = await attempt()
    const refused = (code: string) => expect.objectContaining({ ok: false, failure: expect.objectContaining({ code }) })
    expect(said).toMatchObject({
      sessions: { value: [] },
      follow: { value: { runs: [] } },
      command: refused('run_over'),
      exportRun: refused('unknown_run'),
      importRun: refused('run_exists'),
      deleteRun: refused('unknown_run'),
      prune: { value: { done: true, left: { sessions: 0, bytes: 0 } } },
      run: refused('store_conflict'),
    })
    expect(await world.store.read('r1')).toEqual(before)
    expect(await world.store.runs('ann', 's')).toHaveLength(1)
    expect(bob.events).toEqual([])
    expect(world.executed).toEqual([])
  })
})
