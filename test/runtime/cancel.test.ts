import { describe, expect, it, vi } from 'vitest'
import type { RunEvent } from '../../src/core/events.js'
import { HandrailError } from '../../src/errors.js'
import { encodeAnthropic } from '../../src/models/anthropic/encode.js'
import type { ModelRequest } from '../../src/models/model.js'
import { encodeOpenAI } from '../../src/models/openai/encode.js'
import { anthropicComplaints } from '../models/anthropic-rules.js'
import { openAIComplaints } from '../models/openai-rules.js'
import { createIsolateSandbox } from '../sandbox/isolate-sandbox.js'
import { ask, inTurn, say, World, type TestAgent, type TestTool, type WorldOptions } from './world.js'

const never = () => new Promise<never>(() => undefined)
const cancel = (agent: TestAgent) => agent.ok(agent.api.command('s', { type: 'cancel', runId: 'r1' }))
const results = (agent: TestAgent) =>
  agent.events.filter((event): event is RunEvent & { type: 'tool-result' } => event.type === 'tool-result')

function open(options: Partial<WorldOptions>, ...replies: Parameters<typeof inTurn>) {
  const requests: ModelRequest[] = []
  const model = inTurn(...replies)
  const world = new World({
    model: (request) => {
      requests.push(request)
      return model(request)
    },
    setup: { policy: { irreversible: 'allow' } },
    ...options,
  })
  world.sandbox = createIsolateSandbox()
  return { world, requests }
}

/** The conversation goes on, with a history that providers take. */
async function goesOn(agent: TestAgent, requests: readonly ModelRequest[]): Promise<void> {
  await agent.run('And now?', { runId: 'r2' })
  await agent.until((event) => event.type === 'run-end' && event.outcome === 'completed')
  const request = requests.at(-1)!
  const open = { provider: 'openai', model: 'gpt-5.5' }
  const claude = { provider: 'anthropic', model: 'claude-opus-4-5' }
  expect(openAIComplaints(encodeOpenAI(request, open) as never)).toEqual([])
  expect(anthropicComplaints(encodeAnthropic(request, claude) as never)).toEqual([])
  const asked = request.messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
  const answered = request.messages.flatMap((message) => (message.role === 'tool' ? [message.call.key] : []))
  expect(answered).toEqual(asked.map(({ key }) => key))
}

describe('a run that is cancelled', () => {
  it('while the model answers stops it, keeps what was shown, and the conversation goes on', async () => {
    const signals: AbortSignal[] = []
    const { world, requests } = open({
      model: (request, { signal, onDelta }) => {
        requests.push(request)
        if (requests.length > 1) return say('Hello')
        onDelta({ type: 'text', index: 0, text: 'Once upon' })
        signals.push(signal)
        return never()
      },
    })
    const agent = await world.agent()
    await agent.run('Tell')
    await agent.notice(({ type }) => type === 'delta')
    await cancel(agent)
    expect(await agent.end()).toMatchObject({ outcome: 'cancelled' })
    expect(signals[0]!.aborted).toBe(true)
    await goesOn(agent, requests)
    expect(JSON.stringify(requests.at(-1))).toContain('Once upon')
  })

  it('aborts the reads that run, and settles them and all that has not started as cancelled', async () => {
    const aborted: string[] = []
    const look: TestTool = { risk: 'read', run: never }
    const send: TestTool = { risk: 'irreversible', run: () => 1 }
    const asks: TestTool = { risk: 'sensitive', run: () => 1 }
    const { world, requests } = open(
      { tools: { look, send, asks }, page: { abort: (id) => void aborted.push(id) } },
      ask(['look', {}], ['look', { a: 1 }], ['send', {}], ['asks', {}]),
      say('Hello'),
    )
    const agent = await world.agent()
    await agent.run('Go')
    await vi.waitFor(() => expect(world.executed).toHaveLength(2))
    await cancel(agent)
    await agent.end()
    expect(results(agent).map(({ outcome }) => outcome)).toEqual(Array(4).fill('cancelled'))
    expect(aborted.map((id) => id.split('#')[0])).toEqual(['r1:1.0', 'r1:1.1'])
    expect(world.executed.map(({ toolName }) => toolName)).toEqual(['look', 'look'])
    await goesOn(agent, requests)
  })

  it.each<[how: string, ends: (settle: Settle) => void, result: object]>([
    ['it answers', ({ resolve }) => resolve({ id: 'AS-1' }), { outcome: 'ok', output: { id: 'AS-1' } }],
    [
      'it refuses',
      ({ refuse }) => refuse(),
      { outcome: 'error', failure: { code: 'too_late', message: 'Too late', retryable: false } },
    ],
    ['it breaks', ({ reject }) => reject(new Error('Lost')), { outcome: 'unknown' }],
    ['its time is over', () => {}, { outcome: 'unknown', failure: { code: 'outcome_unknown' } }],
  ])('awaits a write that executes until %s', async (_, ends, expected) => {
    const { promise, ...settle } = settleable()
    const aborted: string[] = []
    const send: TestTool = { risk: 'irreversible', timeout: 60, run: () => promise }
    const { world, requests } = open(
      { tools: { send }, page: { abort: (id) => void aborted.push(id) } },
      ask(['send', {}]),
      say('Hello'),
    )
    const agent = await world.agent()
    await agent.run('Go')
    await vi.waitFor(() => expect(world.executed).toHaveLength(1))
    await cancel(agent)
    expect(results(agent)).toEqual([])
    expect(aborted).toEqual([])
    ends(settle)
    expect(await agent.end()).toMatchObject({ outcome: 'cancelled' })
    expect(results(agent)).toMatchObject([expected])
    expect(world.executed).toHaveLength(1)
    await goesOn(agent, requests)
  })

  it.each<[doing: string, code: string]>([
    ['sleeps', 'print("here"); await sleep(60_000)'],
    ['waits for its timers', 'await new Promise((resolve) => setTimeout(resolve, 60_000))'],
    ['waits for a read', 'await tools.look({})'],
  ])('ends a script that %s, with its calls', async (_, code) => {
    const { world, requests } = open(
      { tools: { look: { risk: 'read', run: never } } },
      ask(['run_script', { code }]),
      say('Hello'),
    )
    const agent = await world.agent()
    await agent.run('Go')
    await agent.until((event) => event.type === 'tool-start' && event.callId === '1.0/0')
    await cancel(agent)
    expect(await agent.end()).toMatchObject({ outcome: 'cancelled' })
    expect(results(agent).map(({ callId, outcome }) => [callId, outcome])).toEqual([
      ['1.0/0', 'cancelled'],
      ['1.0', 'cancelled'],
    ])
    await goesOn(agent, requests)
  })

  it('awaits the write of a script, and then ends the script', async () => {
    const { promise, resolve } = settleable()
    const { world, requests } = open(
      { tools: { send: { risk: 'irreversible', run: () => promise } } },
      ask(['run_script', { code: 'await tools.send({}); await tools.send({ again: true })' }]),
      say('Hello'),
    )
    const agent = await world.agent()
    await agent.run('Go')
    await vi.waitFor(() => expect(world.executed).toHaveLength(1))
    await cancel(agent)
    resolve({ id: 'AS-1' })
    await agent.end()
    expect(results(agent).map(({ callId, outcome }) => [callId, outcome])).toEqual([
      ['1.0/0', 'ok'],
      ['1.0', 'cancelled'],
    ])
    expect(world.executed).toHaveLength(1)
    expect(JSON.stringify(results(agent)[1]!.output)).toContain('"outcome":"ok"')
    await goesOn(agent, requests)
  })

  it('does not wait for a check, a guardrail or a wait before another attempt', async () => {
    const look: TestTool = { risk: 'read', check: never, run: () => 1 }
    const seen: TestTool = { risk: 'read', run: () => 1 }
    const { world, requests } = open(
      {
        tools: { look, seen },
        setup: { guards: { input: false, call: false, output: true } },
        page: { guard: () => never() },
      },
      ask(['look', {}], ['seen', {}]),
      say('Hello'),
    )
    const agent = await world.agent()
    await agent.run('Go')
    await vi.waitFor(() => expect(world.executed).toHaveLength(1))
    await cancel(agent)
    await agent.end()
    expect(results(agent).map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled'])
    await goesOn(agent, requests)
  })
})

interface Settle {
  readonly resolve: (value: { readonly id: string }) => void
  readonly reject: (error: Error) => void
  readonly refuse: () => void
}

function settleable(): Settle & { readonly promise: Promise<{ readonly id: string }> } {
  let settle!: Omit<Settle, 'refuse'>
  const promise = new Promise<{ readonly id: string }>((resolve, reject) => (settle = { resolve, reject }))
  const refuse = () => settle.reject(Object.assign(new HandrailError('too_late', 'Too late'), { name: 'ToolError' }))
  return { promise, ...settle, refuse }
}
