import { createAgent, defineTool, type Agent } from 'handrail'
import { afterEach, expect, it, vi } from 'vitest'
import page from '../../docs/models.md?raw'
import { parrotModel } from './fixtures/models/parrot.js'
import source from './fixtures/models/parrot.ts?raw'
import workerSource from './fixtures/models/parrot.worker.ts?raw'

const agents: Agent[] = []
afterEach(() => {
  for (const agent of agents.splice(0)) agent.close()
  vi.unstubAllGlobals()
})

const findOrder = defineTool({
  name: 'find_order',
  description: 'Finds an order by its id',
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  risk: 'read',
  run: ({ id }) => ({ id, state: 'delivered' }),
})

const tokens = { read: 10, written: 5 }
const app = () => ({ instructions: 'Help.', tools: [findOrder], owner: `owner-${crypto.randomUUID()}` })

it('the model of docs/models.md runs on the page as written', async () => {
  const answers = [
    new Response('busy', { status: 503 }),
    Response.json({ calls: [{ tool: 'find_order', input: { id: 'O-1' } }], tokens }),
    Response.json({ says: 'It is delivered.', tokens }),
  ]
  const bodies: { turns: unknown[] }[] = []
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    bodies.push(JSON.parse(body))
    return answers[bodies.length - 1]
  })
  const agent = createAgent({ ...app(), model: parrotModel('/parrot') })
  agents.push(agent)
  const run = agent.run('Where is O-1?')
  expect(await run.answer).toBe('It is delivered.')
  expect(run.state.used).toMatchObject({ steps: 3, calls: 1, tokens: expect.any(Number) })
  expect(bodies[2]!.turns).toEqual([
    { who: 'user', says: 'Where is O-1?' },
    { who: 'parrot', says: '', calls: [{ id: '1.1.0', tool: 'find_order', input: { id: 'O-1' } }] },
    { who: 'tool', id: '1.1.0', ok: true, says: '{"id":"O-1","state":"delivered"}' },
  ])
})

it('the model of docs/models.md runs in an agent worker of the app, beside the providers that are there', async () => {
  const worker = () => new Worker(new URL('./fixtures/models/parrot.worker.ts', import.meta.url), { type: 'module' })
  const answer = encodeURIComponent(JSON.stringify({ says: 'Hello from the worker.', tokens }))
  const model = { provider: 'parrot', model: 'grey', baseURL: `data:application/json,${answer}` }
  const agent = createAgent({ ...app(), model, worker })
  agents.push(agent)
  expect(await agent.run('Hello').answer).toBe('Hello from the worker.')
  const other = createAgent({ ...app(), model: { provider: 'nobody', model: 'm' }, worker })
  agents.push(other)
  await expect(other.run('Hello').answer).rejects.toThrow(/openai, anthropic, openai-compatible, gemini, parrot/)
})

it('a model on the page that throws anything ends the run with what it threw', async () => {
  const model = { provider: 'mine', model: 'm', generate: () => Promise.reject(new Error('It is asleep')) }
  const agent = createAgent({ ...app(), model })
  agents.push(agent)
  const run = agent.run('Hello')
  await expect(run.answer).rejects.toMatchObject({
    code: 'run_failed',
    message: expect.stringContaining('It is asleep'),
  })
  expect(run.events.find(({ type }) => type === 'assistant-message')).toMatchObject({
    failure: { code: 'model_failed', retryable: false },
  })
})

it('is shown in docs/models.md', () => {
  expect(page).toContain(`\`\`\`ts\n// parrot.ts\n${source}\`\`\``)
  expect(page).toContain(`\`\`\`ts\n// parrot.worker.ts\n${workerSource}\`\`\``)
})
