import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import type { Message } from '../../src/core/transcript.js'
import type { ModelConfig, ModelReply, ModelRequest } from '../../src/models/model.js'
import { createOpenAIModel } from '../../src/models/openai/model.js'
import { toSse } from './derived-stream.js'

const find: ToolDefinition = {
  name: 'find',
  description: 'Finds.',
  input: { type: 'object', properties: {}, additionalProperties: false },
  risk: 'read',
  strict: true,
}
const query: ToolDefinition = { ...find, name: 'query', input: { type: 'string' }, strict: undefined }
const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] }

const answered = (item: JsonObject = said): Response => {
  const events: JsonObject[] = [
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'resp_2', status: 'completed', store: true } },
  ]
  return new Response(events.map(toSse).join(''), { headers: { 'content-type': 'text/event-stream' } })
}
const refused = (error: JsonObject, status = 400): Response =>
  new Response(JSON.stringify({ error }), { status, headers: { 'content-type': 'application/json' } })

/** Asks a model whose server answers so, once for each request. */
function serve(config: Partial<ModelConfig>, ...answers: Response[]) {
  const bodies: JsonObject[] = []
  const model = createOpenAIModel({
    provider: 'openai',
    model: 'gpt-6-astra',
    baseURL: 'https://server.example/v1',
    ...config,
    fetch: async (_, init) => {
      bodies.push(JSON.parse(init?.body as string) as JsonObject)
      return answers.shift() ?? refused({ message: 'One request too many' })
    },
  })
  const ask = (more: Partial<ModelRequest> = {}): Promise<ModelReply> =>
    model.generate(
      { instructions: '', tools: [], messages: [{ role: 'user', text: 'Hi' }], cacheKey: 's', ...more },
      { signal: new AbortController().signal, onDelta: () => undefined },
    )
  return { ask, bodies }
}

const amended = (what: string) => ({ code: 'amended', detail: { without: what, because: expect.any(String) as Json } })

describe('A model of the Responses API', () => {
  it('remarks on what it was not asked, and reads the reply by the tools of the request', async () => {
    const item = { type: 'function_call', call_id: 'a', name: 'list', namespace: 'crm', arguments: '{}' }
    const { ask, bodies } = serve({ stop: ['.'], temperature: 1, stored: true }, answered(item))
    const tools = [{ ...find, name: 'crm__list', namespace: 'Customers.', deferred: true }]
    const reply = await ask({ tools, toolChoice: { mode: 'required', tools: ['crm__list'] } })
    expect(bodies[0]).not.toHaveProperty('tool_choice')
    expect(reply).toEqual({
      finish: 'calls',
      parts: [{ type: 'call', toolName: 'crm__list', inputText: '{}', wireId: 'a', native: item }],
      serverState: { responseId: 'resp_2' },
      remarks: [
        { code: 'setting_ignored', detail: { setting: 'temperature', value: 1 } },
        { code: 'setting_ignored', detail: { setting: 'stop', value: ['.'] } },
        { code: 'tool_choice_emulated', detail: { mode: 'required', tools: ['crm__list'] } },
      ],
    })
  })

  const deployment = 'my-deployment'
  it.each<[string, Partial<ModelConfig>, Partial<ModelRequest>, JsonObject, string]>([
    [
      'sampling',
      { model: deployment, temperature: 1 },
      {},
      {
        code: 'unsupported_parameter',
        param: 'temperature',
        message: "Unsupported parameter: 'temperature' is not supported with this model.",
      },
      'temperature',
    ],
    [
      'include',
      { model: deployment },
      {},
      { message: 'Encrypted content is not supported with this model.', param: 'include' },
      'include',
    ],
    [
      'reasoning.effort',
      { model: deployment, effort: 'minimal' },
      {},
      {
        code: 'unsupported_value',
        param: 'reasoning.effort',
        message: "Unsupported value: 'minimal' is not supported with the 'm' model.",
      },
      'reasoning',
    ],
    [
      'text.format',
      { model: deployment },
      { answer: { name: 'city', schema: { type: 'object' } } },
      {
        param: 'text.format',
        message: "Invalid parameter: 'text.format' of type 'json_schema' is not supported with this model.",
      },
      'text',
    ],
    [
      'tool_choice',
      { model: deployment },
      { tools: [find], toolChoice: { mode: 'required' } },
      { param: 'tool_choice', message: 'tool_choice "required" is not supported' },
      'tool_choice',
    ],
  ])(
    'asks again without %s, where only the refusal tells, and not a third time',
    async (what, config, more, error, field) => {
      const { ask, bodies } = serve(config, refused(error), answered(), answered())
      const { remarks } = await ask(more)
      expect(remarks).toContainEqual(amended(what))
      expect(bodies[0]).toHaveProperty(field)
      expect(bodies[1]).not.toHaveProperty(field)
      await ask(more)
      expect(bodies).toHaveLength(3)
      expect(bodies[2]).not.toHaveProperty(field)
    },
  )

  it('asks again with schemas that are not strict, and with text tools as functions', async () => {
    const schema = { code: 'invalid_function_parameters', message: "Invalid schema for function 'find': too deep." }
    const custom = { param: 'tools[1]', message: "Tool type 'custom' is not supported with this model." }
    const { ask, bodies } = serve({}, refused(schema), refused(custom), answered())
    expect((await ask({ tools: [find, query] })).remarks).toEqual([amended('strict'), amended('custom tools')])
    expect(bodies.map(({ tools }) => (tools as JsonObject[]).map(({ type, strict }) => [type, strict]))).toEqual([
      [
        ['function', true],
        ['custom', undefined],
      ],
      [
        ['function', false],
        ['custom', undefined],
      ],
      [
        ['function', false],
        ['function', false],
      ],
    ])
  })

  const kept: Message[] = [
    { role: 'user', text: 'Hi' },
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: '', native: { type: 'reasoning', id: 'rs_1', encrypted_content: 'x', summary: [] } },
        { type: 'text', text: 'Hello.', native: { ...said, id: 'msg_1' } },
      ],
      calls: [],
      origin: { provider: 'openai', model: 'gpt-6-astra' },
      serverState: { responseId: 'resp_1' },
    },
    { role: 'user', text: 'And?' },
  ]

  it('sends all of a conversation that is not kept any more, and refers to the next response again', async () => {
    const gone = { code: 'previous_response_not_found', message: "Previous response with id 'resp_1' not found." }
    const { ask, bodies } = serve({ stored: true }, refused(gone, 404), answered(), answered())
    const reply = await ask({ messages: kept })
    expect(reply).toMatchObject({ remarks: [amended('previous_response_id')], serverState: { responseId: 'resp_2' } })
    expect(bodies.map(({ previous_response_id: id, input, store }) => [id, (input as Json[]).length, store])).toEqual([
      ['resp_1', 1, true],
      [undefined, 4, true],
    ])
    await ask({ messages: kept })
    expect(bodies[2]).toHaveProperty('previous_response_id')
  })

  it('sends a history without its reasoning when the provider misses a part of that', async () => {
    const message = "Item 'msg_1' of type 'message' was provided without its required 'reasoning' item: 'rs_1'."
    const { ask, bodies } = serve({}, refused({ message }), answered())
    await ask({ messages: kept })
    expect((bodies[1]!.input as JsonObject[])[1]).toEqual(said)
    expect((bodies[1]!.input as JsonObject[]).map(({ type, role }) => type ?? role)).toEqual([
      'user',
      'message',
      'user',
    ])
  })

  it.each<JsonObject>([
    { code: 'context_length_exceeded', message: 'Your input is too long.' },
    { message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens." },
    { message: 'The input exceeds the context window.' },
  ])('says that its window is full when the server does: %j', async (error) => {
    await expect(serve({}, refused(error)).ask()).resolves.toEqual({ parts: [], finish: 'context' })
  })

  it.each<JsonObject>([
    { code: 'invalid_value', param: 'temperature', message: "Invalid 'temperature': decimal below minimum value." },
    { code: 'model_not_found', message: "The requested model 'm' does not exist." },
  ])('does not ask again for %j', async (error) => {
    const { ask, bodies } = serve({ model: deployment, temperature: 1 }, refused(error), answered())
    await expect(ask()).rejects.toMatchObject({ code: 'model_bad_request' })
    expect(bodies).toHaveLength(1)
  })
})
