import { createAgent, defineTool, type Agent, type AgentOptions, type Run, type RunUpdate } from 'handrail'
import { scriptedModel, type ScriptedStep } from 'handrail/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'

/** Scripts as an app has them: the real workers, the real store, page tools. */
const agents: Agent[] = []
afterEach(() => {
  for (const agent of agents.splice(0)) agent.close()
})

const getOrder = defineTool({
  name: 'shop__get_order',
  description: 'Gets an order by its id',
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false },
  risk: 'read',
  run: ({ id }) => ({ id, total: 12.5, due: '2026-03-29T01:30:00Z' }),
})
const pay = defineTool({
  name: 'pay',
  description: 'Pays an order',
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false },
  risk: 'irreversible',
  run: ({ id }) => ({ paid: id }),
})

function start(replies: readonly ScriptedStep[], options: Partial<AgentOptions> = {}): Agent {
  const agent = createAgent({
    model: scriptedModel(replies),
    instructions: 'Help with orders.',
    tools: [getOrder, pay],
    owner: `owner-${crypto.randomUUID()}`,
    ...options,
  })
  agents.push(agent)
  return agent
}

const script = (code: string): ScriptedStep => ({ calls: [{ tool: 'run_script', input: { code } }] })
const resultOf = (run: Run, callId = '1.0') =>
  run.events.find((event) => event.type === 'tool-result' && event.callId === callId)

async function ended(code: string): Promise<ReturnType<typeof resultOf>> {
  const run = start([script(code), { text: 'ok' }]).run('Go')
  await run.answer
  return resultOf(run)
}

describe('a script in an app', () => {
  it('calls tools by namespace, sleeps, and formats as the page would', async () => {
    const result = await ended(`
      const order = await tools.shop.get_order({ id: 'O-1' })
      await sleep(5)
      await new Promise((resolve) => setTimeout(resolve, 5))
      return [order.total.toLocaleString('de-DE', { style: 'currency', currency: 'EUR' }), new URL('?a=1', 'https://x.test/').href]`)
    expect(result).toMatchObject({ outcome: 'ok', output: ['12,50\u00a0€', 'https://x.test/?a=1'] })
  })

  it('is checked first: with a fault it makes no call', async () => {
    const result = await ended(
      `const a = await tools.shop.get_order({ id: 'O-1' })\nawait tools.shop.get_ordr({ id: a.id })`,
    )
    expect(result).toMatchObject({ outcome: 'error', failure: { code: 'script_check', line: 2 } })
    expect(JSON.stringify(result)).toContain('get_order')
    expect(result).not.toHaveProperty('output')
  })

  it('may be TypeScript in a fence, and searches for tools', async () => {
    const result = await ended(
      '```ts\ninterface Found { name: string }\nconst found: Found[] = await search("order")\nreturn found.map((tool) => tool.name)\n```',
    )
    expect(result).toMatchObject({ outcome: 'ok', output: expect.arrayContaining(['shop__get_order']) })
  })

  it('that waits for nothing says where it waits', async () => {
    expect(await ended('const a = 1\nawait new Promise(() => {})')).toMatchObject({
      failure: { code: 'script_deadlock', line: 2 },
    })
  })

  it('is ended by a cancel while it computes', async () => {
    const run = start([script('for (;;);'), { text: 'ok' }], { limits: { cpuMs: 60_000, totalCpuMs: 60_000 } }).run(
      'Go',
    )
    await vi.waitFor(() => expect(run.events.some(({ type }) => type === 'tool-start')).toBe(true), { timeout: 20_000 })
    await new Promise((resolve) => setTimeout(resolve, 300))
    await run.cancel()
    await run.answer.catch(() => undefined)
    expect(resultOf(run)).toMatchObject({ outcome: 'cancelled' })
    expect(run.state.status).toBe('cancelled')
  })

  it('runs beside others, and what they keep is there for the next', async () => {
    const both: ScriptedStep = {
      calls: ['a', 'b'].map((name) => ({
        tool: 'run_script',
        input: { code: `state.${name} = (await tools.shop.get_order({ id: '${name}' })).id; return 1` },
      })),
    }
    const agent = start([both, script('return state'), { text: 'ok' }])
    const run = agent.run('Go')
    await run.answer
    expect(resultOf(run, '2.0')).toMatchObject({ outcome: 'ok', output: { a: 'a', b: 'b' } })
  })

  it('tells a person who watches how it goes', async () => {
    const updates: RunUpdate[] = []
    const agent = start([script('await tools.shop.get_order({ id: "a" })\nreturn 1'), { text: 'ok' }])
    const run = agent.run('Go')
    for await (const update of run) updates.push(update)
    const progress = updates.flatMap((update) => (update.type === 'progress' ? [update.progress] : []))
    expect(progress.at(-1)).toMatchObject({ callId: '1.0', turns: 2 })
  })
})
