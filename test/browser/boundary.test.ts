import { createAgent, defineTool, HandrailError, type Agent, type AgentOptions, type Run, type Tool } from 'handrail'
import { scriptedModel, type ScriptedStep } from 'handrail/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'

const agents: Agent[] = []
afterEach(() => {
  for (const agent of agents.splice(0)) agent.close()
})

type Options = Partial<AgentOptions> & { replies?: readonly ScriptedStep[] }

function start({ replies = [], ...options }: Options = {}): Agent {
  const agent = createAgent({
    model: scriptedModel(replies),
    instructions: 'Help.',
    tools: [],
    owner: `owner-${crypto.randomUUID()}`,
    ...options,
  })
  agents.push(agent)
  return agent
}

const tool = (run: Parameters<typeof defineTool>[0]['run'], risk: 'read' | 'irreversible', timeout?: number): Tool =>
  defineTool({
    name: 'odd',
    description: 'An odd tool',
    input: { type: 'object' },
    risk,
    run,
    ...(timeout && { limits: { timeout } }),
  }) as Tool

/** The model calls the tool once, and reads how that ended. */
const callsOnce: ScriptedStep[] = [{ calls: [{ tool: 'odd', input: {} }] }, { text: 'I see.' }]

const resultOf = (run: Run, callId = '1.0') =>
  run.events.find((event) => event.type === 'tool-result' && event.callId === callId)

async function approve(run: Run): Promise<void> {
  await vi.waitFor(() => expect(run.approvals).toHaveLength(1), { timeout: 10_000, interval: 10 })
  await run.approve(run.approvals[0]!.callId)
}

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    (value) => `resolved: ${JSON.stringify(value)}`,
    (error: unknown) => (HandrailError.is(error) ? error.code : `not ours: ${String(error)}`),
  )

describe('a write that never answers', () => {
  it('ends unknown, and what it answers later is told', async () => {
    let finish: (output: object) => void = () => undefined
    const slow = () => new Promise<object>((resolve) => (finish = resolve))
    const replies: ScriptedStep[] = [...callsOnce, { text: 'So it was done.' }]
    const agent = start({ replies, tools: [tool(slow, 'irreversible', 200)] })
    const run = agent.run('Go')
    await approve(run)
    await run.answer
    expect(resultOf(run)).toMatchObject({ outcome: 'unknown' })
    expect(run.unknown).toMatchObject([{ callId: '1.0', toolName: 'odd' }])
    finish({ done: true })
    await vi.waitFor(() => expect(run.unknown).toEqual([]))
    expect(run.events.at(-1)).toMatchObject({ type: 'tool-reconciled', done: true, by: 'late', output: { done: true } })
    expect(await agent.run('And?').answer).toBe('So it was done.')
  })
})

const cycle: Record<string, unknown> = {}
cycle.self = cycle
const unusable: readonly (readonly [string, unknown])[] = [
  ['a function', () => 1],
  ['a cycle', cycle],
  ['a BigInt', { total: 1n }],
  ['a symbol', { [Symbol.iterator]: 1, kind: Symbol('x') }],
]

describe.each(unusable)('an output that is no JSON: %s', (_, output) => {
  it('is an error of a read', async () => {
    const run = start({ replies: callsOnce, tools: [tool(() => output as never, 'read')] }).run('Go')
    expect(await run.answer).toBe('I see.')
    expect(resultOf(run)).toMatchObject({ outcome: 'error', failure: { code: 'output_not_json' } })
  })

  it('is no error of a write, which took effect', async () => {
    const run = start({ replies: callsOnce, tools: [tool(() => output as never, 'irreversible')] }).run('Go')
    await approve(run)
    expect(await run.answer).toBe('I see.')
    expect(resultOf(run)).toMatchObject({ outcome: 'ok', outputInvalid: expect.stringContaining('odd') })
    expect(run.unknown).toEqual([])
  })
})

describe('a model of the page that never answers', () => {
  it('ends the run when its time is used up', async () => {
    const model = { provider: 'silent', model: 'silent', generate: () => new Promise<never>(() => undefined) }
    const run = start({ model, budget: { time: 300 } }).run('Go')
    expect(await codeOf(run.answer)).toBe('budget_exceeded')
  })
})
