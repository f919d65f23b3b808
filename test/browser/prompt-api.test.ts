import { createAgent, defineTool, HandrailError, type Agent, type Run } from 'handrail'
import { promptApiModel } from 'handrail/prompt-api'
import { afterEach, expect, it, vi } from 'vitest'
import { mockLanguageModel, type Asked, type MockReply } from '../models/prompt-api-mock.js'

const orderInput = {
  type: 'object',
  properties: { id: { type: 'string' } },
  required: ['id'],
  additionalProperties: false,
} as const

let done: string[] = []
const findOrder = defineTool({
  name: 'find_order',
  description: 'Finds an order by its id',
  input: orderInput,
  risk: 'read',
  run({ id }) {
    done.push(`find ${id}`)
    return { id, state: 'delivered' }
  },
})
const requestReturn = defineTool({
  name: 'request_return',
  description: 'Requests the return of an order',
  input: orderInput,
  risk: 'irreversible',
  run({ id }) {
    done.push(`return ${id}`)
    return { requested: id }
  },
})

const agents: Agent[] = []
afterEach(() => {
  for (const agent of agents.splice(0)) agent.close()
  vi.unstubAllGlobals()
  done = []
})

function start(): Agent {
  const agent = createAgent({
    model: promptApiModel(),
    instructions: 'Help with orders.',
    tools: [findOrder, requestReturn],
    scripts: false,
    owner: `owner-${crypto.randomUUID()}`,
  })
  agents.push(agent)
  return agent
}

function install(replies: readonly MockReply[]) {
  const asked: Asked[] = []
  const mock = mockLanguageModel({ reply: (given) => replies[asked.push(given) - 1] ?? new Error('No more replies') })
  vi.stubGlobal('LanguageModel', mock.LanguageModel)
  return { ...mock, asked }
}

const untilAsking = (run: Run) =>
  vi.waitFor(() => expect(run.approvals).toHaveLength(1), { timeout: 10_000, interval: 10 })

it('the model of the browser calls tools, waits for a person, and answers', async () => {
  const { calls, asked } = install([
    { tool: 'find_order', input: { id: 'O-314' } },
    { tool: 'request_return', input: { id: 'O-314' } },
    { answer: 'I have requested the return of O-314.' },
  ])
  const run = start().run('Return O-314')
  let streamed = ''
  const reading = (async () => {
    for await (const update of run)
      if (update.type === 'delta' && update.delta.type === 'text') streamed += update.delta.text
  })()
  await untilAsking(run)
  expect(run.approvals[0]).toMatchObject({ toolName: 'request_return', input: { id: 'O-314' } })
  expect(done).toEqual(['find O-314'])
  await run.approve(run.approvals[0]!.callId)
  expect(await run.answer).toBe('I have requested the return of O-314.')
  await reading
  expect(streamed).toBe('I have requested the return of O-314.')
  expect(done).toEqual(['find O-314', 'return O-314'])
  expect(asked[1]!.prompts.at(-1)!.content).toContain('{"id":"O-314","state":"delivered"}')
  expect(calls).toEqual(['availability', 'create', 'prompt 1', 'prompt 1', 'prompt 1'])
})

it('a demand for a call and the schema of an answer hold exactly, without a reminder', async () => {
  const { asked } = install([{ tool: 'find_order', input: { id: 'O-314' } }, { answer: { state: 'delivered' } }])
  const answer = { type: 'object', properties: { state: { type: 'string' } }, required: ['state'] } as const
  const run = start().run('Where is O-314?', { toolChoice: { mode: 'required', tools: ['find_order'] }, answer })
  expect(await run.answer).toEqual({ state: 'delivered' })
  expect(asked[0]!.constraint).toMatchObject({ properties: { tool: { enum: ['find_order'] } } })
  expect(asked[1]!.constraint.anyOf).toContainEqual({
    type: 'object',
    properties: { answer },
    required: ['answer'],
    additionalProperties: false,
  })
  expect(asked[1]!.prompts.filter(({ role }) => role === 'assistant')).toHaveLength(1)
})

it('a run that is cancelled stops the model of the browser', async () => {
  const { sessions } = install([{ answer: 'word '.repeat(1_000) }])
  const run = start().run('Count')
  for await (const update of run) if (update.type === 'delta') await run.cancel().catch(() => undefined)
  await expect(run.answer).rejects.toMatchObject({ code: 'run_cancelled' })
  await vi.waitFor(() => expect(sessions.size).toBe(0))
})

it('a conversation that fills the window ends with the advice to start a new one', async () => {
  install([{ answer: 'Hello.' }])
  const agent = start()
  await agent.run('Hello').answer
  await expect(agent.run('long '.repeat(10_000)).answer).rejects.toMatchObject({
    code: 'run_failed',
    message: expect.stringContaining('start a new session'),
  })
})

it('where the browser can have no model, a run says so at once', async (test) => {
  const availability = await promptApiModel()
    .availability()
    .catch((error: unknown) => (HandrailError.is(error) ? error.code : String(error)))
  test.skip(availability !== 'unavailable' && availability !== 'model_unavailable', 'This browser has a model')
  const run = start().run('Hello')
  await expect(run.answer).rejects.toMatchObject({
    code: 'run_failed',
    message: expect.stringMatching(/can have no model|no LanguageModel/),
  })
  expect(run.events.filter(({ type }) => type === 'step-start')).toHaveLength(1)
})
