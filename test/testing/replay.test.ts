import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { RunEvent } from '../../src/core/events.js'
import type { Json, JsonObject } from '../../src/core/json.js'
import { ToolError } from '../../src/errors.js'
import type { Model } from '../../src/models/model.js'
import { replay, type ReplayResult } from '../../src/testing/replay.js'
import { scriptedModel } from '../../src/testing/scripted-model.js'
import { defineTool, type Tool } from '../../src/tools/tool.js'
import { createScenarios } from '../logs/scenarios.js'
import { ask, inTurn, say, World, type TestAgent } from '../runtime/world.js'
import { createIsolateSandbox } from '../sandbox/isolate-sandbox.js'
import { record, recordedIn, type Recorded } from './record.js'

const said = (result: ReplayResult): string => (result.same ? 'same' : result.divergence.text)

/** The same log, with one event changed. */
function changed({ events, context }: Recorded, at: (event: RunEvent) => boolean, change: object): Recorded {
  const position = events.findIndex(at)
  expect(position).toBeGreaterThan(0)
  return { context, events: events.map((event, i) => (i === position ? { ...event, ...change } : event) as RunEvent) }
}

describe('replay()', () => {
  it.each(createScenarios().map(({ name }) => name))('plays a recorded run again to its end: %s', async (name) => {
    const recorded = await record(name)
    const result = await replay(recorded)
    expect(said(result)).toBe('same')
    expect(result.events).toHaveLength(recorded.events.length)
    expect(result.events.at(-1)?.at).toBe(recorded.events.at(-1)?.at)

    const golden = JSON.parse(await readFile(new URL(`../logs/${name}.json`, import.meta.url), 'utf8')) as RunEvent[]
    expect(said(await replay({ events: golden, context: recorded.context }))).toBe('same')
  })

  it('reads an exported file', async () => {
    const { events, context } = await record('script')
    const head = { handrail: 'run', version: 1, events: events.length }
    const lines = [head, context, ...events].map((line) => JSON.stringify(line))
    expect(said(await replay(`${lines.join('\n')}\n`))).toBe('same')
    await expect(replay(`${lines.slice(0, 4).join('\n')}\n{"type": "`)).rejects.toThrow(
      'Cannot read the recorded run: line 5 is no JSON',
    )
    await expect(replay(lines.slice(0, 4).join('\n'))).rejects.toThrow('it has 2 events, and its first line says')
    await expect(replay(lines.slice(1).join('\n'))).rejects.toThrow('its first line is not that of an exported run')
    await expect(replay(events)).rejects.toThrow('its context is missing')
    await expect(replay({ events: events.slice(2), context })).rejects.toThrow('must begin with "run-start"')
  })

  it('says which event of a recording is not what it should be, and how', async () => {
    const { events, context } = await record('script')
    for (const [i, event] of events.entries()) {
      const broken = events.with(i, { type: event.type, at: event.at } as RunEvent)
      await expect(replay({ events: broken, context })).rejects.toMatchObject({
        code: 'invalid_recording',
        message: expect.stringContaining(`event ${i}`),
      })
    }
    const strange = events.with(3, { ...events[3]!, calls: [null] } as unknown as RunEvent)
    await expect(replay({ events: strange, context })).rejects.toThrow(
      'event 3: assistant-message/calls/0: expected an object',
    )
  })

  it('plays a run that is not over as far as it is recorded', async () => {
    const { events, context } = await record('script-approval')
    for (let cut = 2; cut < events.length; cut += 5)
      expect(said(await replay({ events: events.slice(0, cut), context }))).toBe('same')
  })

  it('plays a run that was interrupted, edited and stopped', async () => {
    const world = new World({
      tools: {
        get_order: { risk: 'read', run: () => ({ state: 'signed' }) },
        place_order: { risk: 'irreversible', run: (input) => input },
      },
      model: inTurn(
        ask([
          'run_script',
          {
            code: 'const a = await tools.get_order({}); const b = await tools.place_order({ n: 1 }); print(b); return tools.place_order({ n: 2, a })',
          },
        ]),
        say('Done'),
      ),
    })
    world.sandbox = createIsolateSandbox()
    const asks = (agent: TestAgent, callId: string) =>
      agent.until((event) => event.type === 'tool-decision' && event.callId === callId && event.verdict === 'ask')
    const first = await world.agent()
    await first.run('Order twice')
    const { hash, callId } = (await asks(first, '1.0/1')) as RunEvent & { type: 'tool-decision' }
    const approve = { type: 'approve', runId: 'r1', callId, hash, input: { n: 7 } } as const
    await first.ok(first.api.command('s', approve))
    await asks(first, '1.0/2')
    await first.ok(first.api.unfollow('s'))
    const second = await world.agent()
    await second.ok(second.api.follow('s'))
    await second.until(({ type }) => type === 'lease-start')
    await second.ok(second.api.command('s', { type: 'cancel', runId: 'r1' }))
    await second.end()

    const recorded = await recordedIn(world)
    expect(recorded.events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['lease-start', 'approval-response', 'run-stop']),
    )
    expect(said(await replay(recorded))).toBe('same')
  })

  it('plays an unknown outcome, and what was learnt of it later', async () => {
    let late: (value: Json) => void = () => undefined
    const world = new World({
      tools: {
        pay: { risk: 'reversible', timeout: 20, run: () => new Promise<Json>((resolve) => (late = resolve)) },
        wait: { risk: 'reversible', run: () => 'waited' },
      },
      model: inTurn(ask(['pay', {}]), ask(['wait', {}]), say('Paid')),
    })
    const agent = await world.agent()
    agent.onEvent = (event) => {
      if (event.type === 'tool-result' && event.outcome === 'unknown') late('paid')
      if (event.type === 'tool-decision' && event.verdict === 'ask') {
        const { callId, hash } = event
        void agent.api.command('s', { type: 'approve', runId: 'r1', callId, hash })
      }
    }
    await agent.run('Pay')
    await agent.end()
    const recorded = await recordedIn(world)
    expect(recorded.events.map(({ type }) => type)).toContain('tool-reconciled')
    expect(said(await replay(recorded))).toBe('same')
  })

  describe('stops at the first difference', () => {
    it('of what a script does with what it was given', async () => {
      const recorded = await record('script')
      const isIds = (event: RunEvent) => event.type === 'tool-result' && event.callId === '1.0/0'
      const result = await replay(changed(recorded, isIds, { output: ['O-313', 'O-999', 'O-315', 'O-316'] }))
      expect(result).toMatchObject({
        same: false,
        divergence: { callId: '1.0', path: '/calls/1/input/order_id', expected: { type: 'script-turn' } },
      })
      expect(said(result)).toBe(
        [
          'The replay differs at event 10, script-turn of call 1.0 (run_script) at /calls/1/input/order_id. Recorded (-), and now (+):',
          '- "O-314"',
          '+ "O-999"',
        ].join('\n'),
      )
      expect(result.events).toHaveLength(10)
    })

    it.each<[string, (event: RunEvent) => boolean, object, string]>([
      ['a decision', ({ type }) => type === 'tool-decision', { verdict: 'ask' }, '/verdict'],
      ['a reason', (e) => e.type === 'tool-decision' && e.verdict === 'ask', { reasons: ['Why not'] }, '/reasons/0'],
      ['an input as the gate leaves it', ({ type }) => type === 'tool-start', { input: { n: 1 } }, '/input'],
      ['what a script returned', (e) => e.type === 'tool-result' && e.callId === '1.0', { output: 1 }, '/output'],
      ['the end', ({ type }) => type === 'run-end', { outcome: 'failed' }, '/outcome'],
      [
        'another event in its place',
        ({ type }) => type === 'run-end',
        { type: 'step-start', step: 3, attempt: 1 },
        '/type',
      ],
    ])('of %s', async (_name, at, change, path) => {
      const result = await replay(changed(await record('script-approval'), at, change))
      expect(result).toMatchObject({ same: false, divergence: { path } })
    })

    it('of the order of writes, saying what the run would do', async () => {
      const world = new World({
        tools: { a: { risk: 'reversible', run: () => 1 }, b: { risk: 'reversible', run: () => 2 } },
        model: inTurn(ask(['a', {}], ['b', {}]), say('Done')),
      })
      const agent = await world.agent()
      agent.onEvent = (event) => {
        if (event.type !== 'tool-decision' || event.verdict !== 'ask') return
        const { callId, hash } = event
        void agent.api.command('s', { type: 'approve', runId: 'r1', callId, hash })
      }
      await agent.run('Both')
      await agent.end()
      const { events, context } = await recordedIn(world)
      expect(said(await replay({ events, context }))).toBe('same')
      const isOf = (callId: string, { type, ...event }: RunEvent) =>
        (type === 'tool-start' || type === 'tool-result') && 'callId' in event && event.callId === callId
      const first = events.findIndex((event) => isOf('1.0', event))
      const rest = events.filter((event) => !isOf('1.0', event) && !isOf('1.1', event))
      const writes = (id: string) => events.filter((event) => isOf(id, event))
      const swapped = [...rest.slice(0, first), ...writes('1.1'), ...writes('1.0'), ...rest.slice(first)]
      expect(said(await replay({ events: swapped, context }))).toBe(
        `The replay differs at event ${first}, tool-start of call 1.1 (b): that was recorded, and now the run would do this: start-tool 1.0 (a).`,
      )
    })

    it('of an answer of a person that the run no longer asks for', async () => {
      const { events, context } = await record('approval')
      const at = events.findIndex(({ type }) => type === 'approval-response')
      const early = [...events.slice(0, 4), events[at]!, ...events.slice(4, at), ...events.slice(at + 1)]
      expect(said(await replay({ events: early, context }))).toMatch(
        /^The replay differs at event 4, approval-response of call 1\.1 .*: that was recorded, and now the run refuses it: Call 1\.1 asks for no approval/,
      )
    })
  })

  describe('with tools that are live', () => {
    const order = (run: (input: { order_id: string }) => unknown, more: object = {}): Tool =>
      defineTool({
        name: 'get_order_status',
        description: 'The tool get_order_status',
        risk: 'read',
        input: { type: 'object', properties: { order_id: { type: 'string' } }, required: ['order_id'] },
        run: (input) => run(input as never) as never,
        ...more,
      }) as Tool

    const known: Record<string, JsonObject> = {
      'O-313': { order_id: 'O-313', state: 'signed', days: 3 },
      'O-314': { order_id: 'O-314', state: 'signed', days: 10 },
      'O-315': { order_id: 'O-315', state: 'signed', days: 20 },
      'O-316': { order_id: 'O-316', state: 'packed', days: 0 },
    }

    it('is the same while they give what they gave, in whatever time', async () => {
      const recorded = await record('parallel-reads')
      const asked: string[] = []
      const slow = order(async ({ order_id }) => {
        asked.push(order_id)
        if (order_id === 'O-313') await new Promise((resolve) => setTimeout(resolve, 20))
        return known[order_id]
      })
      expect(said(await replay(recorded, { tools: [slow] }))).toBe('same')
      expect(asked.toSorted()).toEqual(Object.keys(known))
    })

    it('says what another output is', async () => {
      const recorded = await record('direct-call')
      const now = order(({ order_id }) => ({ ...known[order_id], state: 'returned' }))
      const result = await replay(recorded, { tools: [now] })
      expect(result).toMatchObject({ same: false, divergence: { callId: '1.0', path: '/output/state' } })
      expect(said(result)).toContain('- "signed"\n+ "returned"')
    })

    it('says that they refuse what they did', async () => {
      const recorded = await record('direct-call')
      const refuses = order(() => {
        throw new ToolError('gone', 'There is no such order')
      })
      expect(said(await replay(recorded, { tools: [refuses] }))).toContain('/outcome')
      const checks = order(() => 1, { check: () => ({ deny: 'Not on Mondays' }) })
      const denied = await replay(recorded, { tools: [checks] })
      expect(denied).toMatchObject({ divergence: { expected: { type: 'tool-decision' }, actual: { verdict: 'deny' } } })
    })

    it('runs no tool of another name', async () => {
      const recorded = await record('script-approval')
      expect(said(await replay(recorded, { tools: [order(({ order_id }) => known[order_id])] }))).toBe('same')
    })
  })

  describe('with a model that is live', () => {
    const order = { tool: 'get_order_status', input: { order_id: 'O-314' } }
    const live = (input = order.input): Model =>
      scriptedModel([{ text: 'I look.', calls: [{ ...order, input }] }, { text: 'In other words: signed.' }])

    it('is the same while it asks for the same, whatever it says', async () => {
      expect(said(await replay(await record('direct-call'), { model: live() }))).toBe('same')
    })

    it('says what else it asks for', async () => {
      const result = await replay(await record('direct-call'), { model: live({ order_id: 'O-1' }) })
      expect(result).toMatchObject({ divergence: { path: '/calls/0/input/order_id' } })
      const silent = await replay(await record('direct-call'), { model: scriptedModel([{ text: 'No.' }]) })
      expect(silent).toMatchObject({ divergence: { path: '/calls/0' } })
    })

    it('does not ask it for what was cut', async () => {
      const recorded = await record('cut-stream')
      const whole = recorded.events.filter((event) => event.type === 'assistant-message' && event.complete).length
      const model = scriptedModel(Array.from({ length: whole }, () => ({ text: 'Hello.' })))
      await replay(recorded, { model })
      expect(() => model.assertDone()).not.toThrow()
    })
  })
})
