import { createAgent, defineTool, HandrailError, type Agent, type AgentOptions } from 'handrail'
import { scriptedModel, type ModelRequest, type ScriptedStep } from 'handrail/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import page from '../../docs/client.md?raw'
import source from './fixtures/client/total.ts?raw'
import { totalOf } from './fixtures/client/total.js'

const agents: Agent[] = []
afterEach(() => {
  vi.restoreAllMocks()
  for (const agent of agents.splice(0)) agent.close()
})

const look = defineTool({ name: 'look', description: 'Looks', input: { type: 'object' }, risk: 'read', run: () => 3 })

/** An agent whose requests are kept, as they reach the page. */
function start(...replies: ScriptedStep[]): { agent: Agent; requests: ModelRequest[] } {
  const requests: ModelRequest[] = []
  const kept = replies.map((reply): ScriptedStep => (request) => {
    requests.push(request)
    return typeof reply === 'function' ? reply(request) : reply
  })
  const owner = `owner-${crypto.randomUUID()}`
  const agent = createAgent({ model: scriptedModel(kept), instructions: 'Help.', tools: [look], owner })
  agents.push(agent)
  return { agent, requests }
}

describe('a run with an answer by schema', () => {
  it('gives a value, as docs/client.md says, of a message with a file', async () => {
    const { agent, requests } = start({ text: '{"total":12.5}' })
    expect(await totalOf(agent, 'iVBORw0KGgo=')).toBe(12.5)
    expect(requests[0]!.messages[0]).toMatchObject({ files: [{ mediaType: 'image/png', data: 'iVBORw0KGgo=' }] })
    expect(page).toContain(`\`\`\`ts\n${source}\`\`\``)
  })

  it("takes a library's schema, and sends the model back when the answer does not fit", async () => {
    const { agent, requests } = start({ text: 'Three.' }, { text: '{"count":3}' })
    const run = agent.run('How many?', { answer: z.object({ count: z.number() }) })
    expect((await run.answer).count).toBe(3)
    expect(requests[1]!.messages.at(-1)).toMatchObject({ role: 'note', text: expect.stringContaining('is not JSON') })
  })

  it('is the same value when its session is opened again', async () => {
    const { agent } = start({ text: '{"count":3}' })
    await agent.run('How many?', { answer: z.object({ count: z.number() }) }).answer
    const session = agent.session(agent.currentSession)
    session.close()
    const again = agent.session(agent.currentSession)
    await again.opened
    expect(await again.runs[0]!.answer).toEqual({ count: 3 })
  })

  it('is refused at once when there is no such schema', () => {
    const { agent } = start()
    expect(() => agent.run('How many?', { answer: 3 as never })).toThrow('"answer" must be a schema')
    const cycle: Record<string, unknown> = { type: 'object' }
    cycle.self = cycle
    expect(() => agent.run('How many?', { answer: cycle as never })).toThrow('"answer" cannot be used')
  })
})

describe('a run with other options', () => {
  it('tells the model the instructions of the app, and to call a tool until it did', async () => {
    const { agent, requests } = start({ calls: [{ tool: 'look' }] }, { text: 'Three.' })
    const options = { instructions: 'The list is open.', toolChoice: { mode: 'required', tools: ['look'] } } as const
    expect(await agent.run('Look', options).answer).toBe('Three.')
    expect(requests[0]!.messages[1]).toEqual({ role: 'instructions', text: 'The list is open.' })
    expect(requests.map(({ toolChoice }) => toolChoice?.mode)).toEqual(['required', undefined])
  })

  it('joins a reply that was cut with what follows', async () => {
    const { agent } = start({ text: 'One, two, ', finish: 'length' }, { text: 'three.' })
    expect(await agent.run('Count').answer).toBe('One, two, three.')
  })

  it.each<[options: object, says: string]>([
    [{ toolChoice: 'required' }, '"toolChoice" must be an object'],
    [{ files: 'a.png' }, '"files" must be an array'],
    [{ file: [] }, '"file" is not an option; did you mean "files"?'],
  ])('refuses %o at once', (options, says) => {
    const { agent } = start()
    expect(() => agent.run('Go', options)).toThrow(says)
  })

  it('rejects with what the worker finds wrong', async () => {
    const { agent } = start()
    const { answer } = agent.run('Go', { toolChoice: { mode: 'required', tools: ['lok'] } })
    await expect(answer).rejects.toMatchObject({ code: 'invalid_options', message: expect.stringContaining('"lok"') })
  })
})

describe('the options of a model', () => {
  it('are checked in the worker, and said by all that waits for it', async () => {
    const model = { provider: 'openai', model: 'gpt', baseURL: '/v1', effrt: 'low' } as never
    const agent = createAgent({ model, instructions: 'Help.', tools: [], owner: 'ann' })
    agents.push(agent)
    await expect(agent.ready).rejects.toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining('"model.effrt" is not an option; did you mean "effort"?'),
    })
  })
})

describe('what the worker refuses to open', () => {
  const secret = 'sk-very-secret'
  const model = { provider: 'openai', model: 'gpt', apiKey: secret, baseURL: '/v1' }
  const errorOf = (waiting: Promise<unknown>): Promise<unknown> =>
    waiting.then(
      () => 'nothing was wrong',
      (error: unknown) => error,
    )
  const iterated = async (run: ReturnType<Agent['run']>) => {
    for await (const update of run) expect(update).toBe('none')
  }

  it.each<[options: object, code: string]>([
    [{ model: { ...model, apiKey: 7 } }, 'invalid_options'],
    [{ model: { ...model, apiKey: [secret] } }, 'invalid_options'],
    [{ model: { ...model, headers: { 'x-key': { secret } } } }, 'invalid_options'],
    [{ model: { ...model, headers: { 'x-key': () => 'sk-very-secret' } } }, 'not_cloneable'],
    [
      { model: { ...model, hostedTools: [{ tool: { type: 'mcp', authorization: secret }, risk: 'some' }] } },
      'invalid_options',
    ],
    [{ model, budget: { steps: 0 } }, 'invalid_options'],
    [{ model, budget: { step: 3 } }, 'invalid_options'],
    [{ model, limits: { memoryBytes: 2 ** 40 } }, 'invalid_options'],
    [{ model, tools: [{ ...look, definition: { ...look.definition, callers: ['page'] } }] }, 'invalid_tool'],
  ])('is told to all that wait, repeats no key, and ends the worker: %o', async (options, code) => {
    const terminate = vi.spyOn(Worker.prototype, 'terminate')
    const owner = `owner-${crypto.randomUUID()}`
    const base = { instructions: 'Help.', tools: [look], owner, dangerouslyAllowKeyInPage: true }
    const agent = createAgent({ ...base, ...options } as unknown as AgentOptions)
    agents.push(agent)
    const session = agent.session('other')
    const run = agent.run('Go')
    const waiting = [agent.ready, agent.sessions(), session.opened, run.answer, iterated(run), session.run('Go').answer]
    for (const error of await Promise.all(waiting.map(errorOf))) {
      expect(error).toMatchObject({ code })
      expect(String(error) + JSON.stringify(error)).not.toContain(secret)
    }
    expect(terminate).toHaveBeenCalledTimes(1)
    expect(() => agent.run('Again')).toThrow(HandrailError)
    await expect(agent.ready).rejects.toMatchObject({ code })
  })
})
