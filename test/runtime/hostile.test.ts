import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/json.js'
import { HandrailError } from '../../src/errors.js'
import type { ModelDelta, ModelReply } from '../../src/models/model.js'
import { createIsolateSandbox } from '../sandbox/isolate-sandbox.js'
import { ask, inTurn, lastResult, say, World } from './world.js'

const look = { risk: 'read', run: () => 1 } as const
const nested = (depth: number): Json => {
  let value: Json = 1
  for (let i = 0; i < depth; i++) value = [value]
  return value
}

async function play(world: World) {
  const agent = await world.agent()
  await agent.run('Go')
  await agent.end()
  return agent
}

describe('a model', () => {
  it('is told what is wrong with arguments that are nested too deep for a log', async () => {
    const inputText = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    const reply: ModelReply = { parts: [{ type: 'call', toolName: 'look', inputText }], finish: 'calls' }
    const world = new World({ tools: { look }, model: inTurn(reply, (request) => say(lastResult(request))) })
    const agent = await play(world)
    expect(JSON.stringify(agent.events.at(-2))).toContain('nested deeper than 128')
    expect(world.executed).toEqual([])
  })

  it.each([
    {
      name: 'a function in "native"',
      reply: { parts: [{ type: 'text', text: '', native: [() => 1] }] },
      ends: 'completed',
    },
    { name: 'a BigInt in "native"', reply: { parts: [{ type: 'text', text: '', native: 1n }] }, ends: 'failed' },
    { name: 'a field of its own', reply: { parts: [{ type: 'text', text: '', mine: () => 1 }] }, ends: 'completed' },
    {
      name: 'a deep "native"',
      reply: { parts: [{ type: 'text', text: '', native: nested(9_000) }] },
      ends: 'completed',
    },
    {
      name: 'a count that is none',
      reply: { parts: [], usage: { input: 1, output: 1, reasoning: () => 1 } },
      ends: 'completed',
    },
  ])('cannot break the log with $name', async ({ reply, ends }) => {
    const agent = await play(new World({ model: () => ({ finish: 'stop', ...reply }) as unknown as ModelReply }))
    expect(agent.events.at(-1)).toMatchObject({ outcome: ends })
  })

  it.each([
    null,
    'text',
    { type: 'text', index: '__proto__', text: 'a' },
    { type: 'text', index: -1, text: 'a' },
    { type: 'text', index: 0, text: { a: 1 } },
    { type: 'picture', index: 0, text: 'a' },
    { type: 'call', index: 0, text: 'a' },
  ])('cannot show a delta that is none: %j', async (delta) => {
    const agent = await play(
      new World({
        model: (_request, { onDelta }) => {
          onDelta(delta as ModelDelta)
          onDelta({ type: 'text', index: 1_000_000_000, text: 'b' })
          onDelta({ type: 'text', index: 7, text: 'a', more: () => 1 } as ModelDelta)
          throw new HandrailError('model_stream_cut', 'Cut')
        },
      }),
    )
    expect(agent.notices.filter(({ type }) => type === 'delta')).toHaveLength(2)
    expect(agent.events.at(-2)).toMatchObject({
      parts: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    })
  })

  it('shows nothing more once it has answered', async () => {
    let late: (delta: ModelDelta) => void = () => {}
    const model = (_request: unknown, { onDelta }: { readonly onDelta: (delta: ModelDelta) => void }) => {
      late = onDelta
      return say('Done')
    }
    const agent = await play(new World({ model }))
    late({ type: 'text', index: 0, text: 'more' })
    expect(agent.notices.filter(({ type }) => type === 'delta')).toEqual([])
  })

  it('that never loads does not keep a run from being cancelled', async () => {
    const world = new World({ model: inTurn() })
    world.loading = () => new Promise(() => undefined)
    const agent = await world.agent()
    await agent.run('Go')
    await agent.until(({ type }) => type === 'step-start')
    await agent.ok(agent.api.command('s', { type: 'cancel', runId: 'r1' }))
    expect(await agent.end()).toMatchObject({ outcome: 'cancelled' })
  })

  it('that could not be loaded is loaded again for the next run', async () => {
    const world = new World({ model: inTurn(say('Hello')) })
    world.loading = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module'))
    const agent = await world.agent()
    await agent.run('Go')
    expect(await agent.end()).toMatchObject({ outcome: 'failed', message: expect.stringMatching(/module\. So far/) })
    world.loading = async () => {}
    await agent.run('Again', { runId: 'r2' })
    expect(await agent.until((event) => event.type === 'run-end' && event.outcome === 'completed')).toBeDefined()
  })
})

describe('a budget', () => {
  it('of scripts holds for the scripts of one step too', async () => {
    const script: [string, Json] = ['run_script', { code: 'return 1' }]
    const world = new World({
      model: inTurn(ask(script, script, script, script, script), say('Done')),
      setup: { budget: { scripts: 2 } },
    })
    world.sandbox = createIsolateSandbox()
    const agent = await play(world)
    expect(agent.events.filter(({ type }) => type === 'tool-start')).toHaveLength(2)
    expect(agent.events.filter((event) => event.type === 'tool-decision' && event.verdict === 'deny')).toHaveLength(3)
    expect(agent.events.at(-1)).toMatchObject({ budget: 'scripts' })
  })

  it('that is given as undefined is the default, and not endless', async () => {
    const world = new World({
      tools: { look },
      model: () => ask(['look', {}]),
      setup: { budget: { steps: undefined } as never },
    })
    expect((await play(world)).events.at(-1)).toMatchObject({ outcome: 'budget-exceeded', budget: 'steps' })
  })
})

describe('an output that is nested too deep', () => {
  it.each([
    { risk: 'read' as const, result: { outcome: 'error', failure: { code: 'output_invalid' } } },
    { risk: 'irreversible' as const, result: { outcome: 'ok', outputInvalid: expect.stringContaining('512 levels') } },
  ])('is refused, and a write of it took effect: $risk', async ({ risk, result }) => {
    const world = new World({
      tools: { deep: { risk, run: () => nested(100_000) } },
      model: inTurn(ask(['deep', {}]), say('Done')),
    })
    const agent = await world.agent()
    agent.onEvent = (event) => {
      if (event.type !== 'tool-decision' || event.verdict !== 'ask') return
      void agent.api.command('s', { type: 'approve', runId: 'r1', callId: '1.0', hash: event.hash })
    }
    await agent.run('Go')
    await agent.end()
    expect(agent.events.find(({ type }) => type === 'tool-result')).toMatchObject(result)
  })
})
