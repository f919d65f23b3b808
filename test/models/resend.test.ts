import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import type { Message } from '../../src/core/transcript.js'
import { HandrailError } from '../../src/errors.js'
import type { ModelConfig, ModelReply, ModelRequest } from '../../src/models/model.js'
import { ReportedError, toModelError } from '../../src/models/model-error.js'
import { createResender, refused, type Amendment } from '../../src/models/resend.js'
import { ask, failureOf, hello, loadModel, streamOf } from './transport-models.js'
import { wires, type Provider } from './transport-streams.js'

class NoSdkError extends Error {}
const config: ModelConfig = { provider: 'test', model: 'm-1', apiKey: 'sk-secret-123456' }
const refusal = (message: string, status = 400) =>
  toModelError(
    new ReportedError({ status, message }),
    false,
    { APIError: NoSdkError, APIConnectionError: NoSdkError },
    config,
  )
const reply: ModelReply = { parts: [{ type: 'text', text: 'Hello' }], finish: 'stop' }
const options = { signal: new AbortController().signal, onDelta: () => {} }

type Way = Readonly<Record<'a' | 'b' | 'c', boolean>>
const all: Way = { a: true, b: true, c: true }
const without = (name: keyof Way, isPassing = false): Amendment<Way> => ({
  what: name,
  isRefused: refused(new RegExp(`'${name}'`)),
  without: (way) => ({ ...way, [name]: false }),
  isPassing,
})

/** A provider that refuses what is in `bad`, one thing at a time. */
function provider(bad: readonly string[], amendments = [without('a'), without('b'), without('c', true)]) {
  const sent: string[] = []
  const resend = createResender(all, amendments)
  const generate = (mayHave = 'abc') =>
    resend((way) => {
      const body = (['a', 'b', 'c'] as const).filter((name) => way[name] && mayHave.includes(name))
      return {
        body,
        async send() {
          sent.push(body.join(''))
          const wrong = bad.find((name) => body.some((each) => each === name))
          if (wrong) throw refusal(`Parameter '${wrong}' is not supported, ${config.apiKey}`)
          return reply
        },
      }
    }, options)
  return { sent, generate }
}

describe('A refused request', () => {
  it('is sent again without the thing that was refused, and the reply says so without a secret', async () => {
    const { sent, generate } = provider(['b'])
    expect(await generate()).toEqual({
      ...reply,
      remarks: [
        {
          code: 'amended',
          detail: {
            without: 'b',
            because: `Model "m-1" of test answered 400: Parameter 'b' is not supported, [redacted]`,
          },
        },
      ],
    })
    expect(sent).toEqual(['abc', 'ac'])
  })

  it('teaches the model for its life', async () => {
    const { sent, generate } = provider(['b'])
    await generate()
    expect(await generate()).toEqual(reply)
    expect(sent).toEqual(['abc', 'ac', 'ac'])
  })

  it('teaches nothing where it is about one history', async () => {
    const { sent, generate } = provider(['c'])
    await generate()
    expect(await generate()).toMatchObject({ remarks: [{ detail: { without: 'c' } }] })
    expect(sent).toEqual(['abc', 'ab', 'abc', 'ab'])
  })

  it('may be wrong in several things, each of which goes once', async () => {
    const { sent, generate } = provider(['a', 'b', 'c'])
    expect((await generate()).remarks).toHaveLength(3)
    expect(sent).toEqual(['abc', 'bc', 'c', ''])
  })

  it('is not sent again when it would be the same', async () => {
    const { sent, generate } = provider(['b'], [without('a'), { ...without('c'), isRefused: () => true }])
    expect(await failureOf(generate('ab'))).toMatchObject({ code: 'model_bad_request' })
    expect(sent).toEqual(['ab'])
  })

  it('teaches nothing when it is refused all the same', async () => {
    const stubborn: Amendment<Way> = { ...without('a'), isRefused: () => true }
    const { sent, generate } = provider(['b'], [stubborn])
    await failureOf(generate())
    await failureOf(generate())
    expect(sent).toEqual(['abc', 'bc', 'abc', 'bc'])
  })

  it('teaches beside others that learn something at the same time', async () => {
    const { sent, generate } = provider(['a', 'b'])
    await Promise.all([generate('a'), generate('b')])
    await generate()
    expect(sent.slice(-1)).toEqual(['c'])
  })

  it.each<[string, () => unknown]>([
    ['with another status', () => refusal("'a' is not supported", 403)],
    ['with a code that no provider reported', () => new HandrailError('model_bad_request', "'a' is not supported")],
    ['with a value that is wrong', () => refusal("'a' must be above 0")],
  ])('%s is not sent again', async (_, error) => {
    let times = 0
    const asked = createResender(all, [without('a')])(
      (way) => ({
        body: way,
        async send() {
          times++
          throw error()
        },
      }),
      options,
    )
    await expect(asked).rejects.toBeInstanceOf(HandrailError)
    expect(times).toBe(1)
  })

  it('is not sent again when something of its answer has been shown', async () => {
    let times = 0
    const asked = createResender(all, [without('a')])(
      (way) => ({
        body: way,
        async send({ onDelta }) {
          times++
          onDelta({ type: 'text', index: 0, text: 'Hel' })
          throw refusal("'a' is not supported")
        },
      }),
      options,
    )
    expect(await failureOf(asked)).toMatchObject({ code: 'model_bad_request' })
    expect(times).toBe(1)
  })
})

const find: ToolDefinition = { name: 'find', description: 'Finds.', input: { type: 'object' }, risk: 'read' }
const withTools: ModelRequest = { ...hello, tools: [find] }
const forced: ModelRequest = { ...withTools, toolChoice: { mode: 'required' } }
const strict: ModelRequest = { ...hello, tools: [{ ...find, strict: true }] }
const schema = { type: 'object', properties: { total: { type: 'number' } }, required: ['total'] } as const
const answering: ModelRequest = { ...withTools, answer: { name: 'total', schema } }

/** A turn of the model's own, with a call, as it was in its reply. */
const turn = (provider: Provider, parts: readonly JsonObject[], serverState?: Json): readonly Message[] => [
  { role: 'user', text: 'Find it.' },
  {
    role: 'assistant',
    origin: { provider, model: 'm-1' },
    parts: parts.map((native) =>
      'callId' in native
        ? { type: 'call', callId: '1.0', native: native.native! }
        : { type: 'reasoning', text: '', native },
    ),
    calls: [
      { key: 'r1:1.0', callId: '1.0', toolName: 'find', input: {}, inputText: '{}', wireId: 'call_1', caller: 'model' },
    ],
    ...(serverState === undefined ? {} : { serverState }),
  } as Message,
  { role: 'tool', call: { key: 'r1:1.0', toolName: 'find' }, trusted: true, outcome: 'ok', text: 'Found.' } as Message,
]

interface Row {
  readonly provider: Provider
  readonly model?: string
  readonly config?: Partial<ModelConfig>
  readonly request?: ModelRequest
  readonly status?: number
  readonly message: string
  readonly name?: string
  /** Of the body. */
  readonly lost: string
  readonly isPassing?: boolean
}

const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }
const used = { callId: '1.0', native: { type: 'tool_use', id: 'call_1', name: 'find', input: {} } }
const kept: ModelRequest = {
  ...withTools,
  messages: turn(
    'openai',
    [{ callId: '1.0', native: { type: 'function_call', call_id: 'call_1', name: 'find', arguments: '{}' } }],
    { responseId: 'resp_1' },
  ),
}
const rows: readonly Row[] = [
  {
    provider: 'openai',
    model: 'gpt-4.1',
    config: { temperature: 0.5 },
    message: "Unsupported parameter: 'temperature' is not supported with this model.",
    lost: '"temperature"',
  },
  {
    provider: 'openai',
    model: 'gpt-5.6-sol',
    config: { effort: 'none' },
    message: "Unsupported value: 'reasoning.effort' does not support 'none' with this model.",
    name: 'unsupported_value',
    lost: '"effort"',
  },
  { provider: 'openai', request: forced, message: "tool_choice 'required' is not supported.", lost: '"required"' },
  {
    provider: 'openai',
    request: forced,
    status: 501,
    message: "Only 'auto' or 'none' tool_choice is supported in response API",
    lost: '"required"',
  },
  {
    provider: 'openai',
    request: strict,
    message: "Invalid schema for function 'find': 'additionalProperties' is required to be supplied and to be false.",
    lost: '"strict":true',
  },
  {
    provider: 'openai',
    request: answering,
    message: "Invalid parameter: 'text.format' of type 'json_schema' is not supported with this model.",
    lost: '"json_schema"',
  },
  {
    provider: 'openai',
    config: { stored: true },
    request: kept,
    message: 'Previous response with id resp_1 not found.',
    name: 'previous_response_not_found',
    lost: '"previous_response_id"',
    isPassing: true,
  },
  {
    provider: 'openai',
    config: { stored: true },
    request: kept,
    message: 'previous_response_id is not supported',
    lost: '"previous_response_id"',
  },
  {
    provider: 'anthropic',
    model: 'claude-haiku-4-5',
    request: forced,
    message: 'tool_choice: this model does not support forced tool use.',
    lost: '"any"',
  },
  {
    provider: 'anthropic',
    model: 'claude-haiku-4-5',
    request: forced,
    message: 'Thinking may not be enabled when tool_choice forces tool use.',
    lost: '"any"',
  },
  {
    provider: 'anthropic',
    model: 'claude-opus-5',
    config: { effort: 'xhigh' },
    message: "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
    lost: '"effort"',
  },
  {
    provider: 'anthropic',
    model: 'claude-opus-5',
    request: strict,
    message: 'tools.0: Schema is too complex for compilation.',
    lost: '"strict":true',
  },
  {
    provider: 'anthropic',
    model: 'm-1',
    request: { ...withTools, messages: turn('anthropic', [thinking, used]) },
    message:
      'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.',
    lost: '"thinking":"Hm."',
    isPassing: true,
  },
  {
    provider: 'anthropic',
    model: 'm-1',
    config: { hostedTools: [{ tool: { type: 'code_execution_20260120', name: 'code_execution' }, risk: 'read' }] },
    request: { ...withTools, messages: turn('anthropic', [used], { container: 'cnt_1' }) },
    message: 'container: Container cnt_1 has expired.',
    lost: '"container"',
    isPassing: true,
  },
  {
    provider: 'openai-compatible',
    message: 'Unrecognized request argument supplied: stream_options',
    lost: '"stream_options"',
  },
  {
    provider: 'openai-compatible',
    status: 422,
    message:
      '{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}',
    lost: '"stream_options"',
  },
  {
    provider: 'openai-compatible',
    config: { maxOutputTokens: 99 },
    message:
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    lost: '"max_tokens"',
  },
  {
    provider: 'openai-compatible',
    request: forced,
    message: 'The tool_choice parameter does not support being set to required or object in thinking mode',
    lost: '"tool_choice"',
  },
  {
    provider: 'openai-compatible',
    config: { temperature: 0 },
    message:
      "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
    lost: '"temperature"',
  },
  {
    provider: 'openai-compatible',
    config: { baseURL: 'http://localhost:11434/v1', effort: 'low' },
    message: '"llama3.2" does not support thinking',
    lost: '"reasoning_effort"',
  },
  {
    provider: 'openai-compatible',
    config: { baseURL: 'https://openrouter.ai/api/v1' },
    request: answering,
    message: 'json mode cannot be combined with tool/function calling',
    lost: '"response_format"',
  },
  {
    provider: 'openai-compatible',
    config: { baseURL: 'https://openrouter.ai/api/v1' },
    request: strict,
    message: "tools[0].function: 'strict' is an unknown field",
    lost: '"strict"',
  },
  {
    provider: 'openai-compatible',
    status: 404,
    request: {
      ...hello,
      messages: [{ role: 'user', text: 'Look', files: [{ mediaType: 'image/png', data: 'aWJt' }] }],
    },
    message: 'No endpoints found that support image input',
    lost: '"image_url"',
    isPassing: true,
  },
  {
    provider: 'gemini',
    config: { effort: 'high' },
    message: 'Thinking level is not supported for this model.',
    lost: '"thinkingConfig"',
  },
  {
    provider: 'gemini',
    request: answering,
    message: "Function calling with a response mime type: 'application/json' is unsupported",
    lost: '"responseMimeType"',
  },
  {
    provider: 'gemini',
    request: {
      ...withTools,
      messages: turn('gemini', [
        { callId: '1.0', native: { functionCall: { name: 'find', args: {} }, thoughtSignature: 'd3Jvbmc=' } },
      ]),
    },
    message: 'Function call is missing a thought_signature in functionCall parts.',
    lost: '"d3Jvbmc="',
    isPassing: true,
  },
]

describe('What a provider does not take', () => {
  it.each(rows)('$provider: $message', async (row) => {
    const { provider, model = 'm-1', request = hello, status = 400, message, name, lost, isPassing } = row
    const bodies: string[] = []
    const fetch: typeof globalThis.fetch = async (_, init) => {
      const body = init!.body as string
      bodies.push(body)
      if (!body.includes(lost)) return streamOf(wires[provider].events({ text: 'Hello' }).join(''))
      const answer = JSON.stringify(wires[provider].refusal(status, message, name))
      return new Response(answer, { status, headers: { 'content-type': 'application/json' } })
    }
    const found = await loadModel(provider, 'http://provider.test', { model, fetch, ...row.config })
    const { remarks } = await ask(found, { request })
    expect(bodies.map((body) => body.includes(lost))).toEqual([true, false])
    expect(remarks).toContainEqual({
      code: 'amended',
      detail: { without: expect.any(String), because: expect.stringContaining(message.slice(0, 40)) },
    })
    await ask(found, { request })
    expect(bodies.slice(2).map((body) => body.includes(lost))).toEqual(isPassing ? [true, false] : [false])
  })

  it.each<Omit<Row, 'lost'>>([
    {
      provider: 'openai',
      config: { temperature: -1 },
      message: "Invalid 'temperature': decimal below minimum value. Expected a value >= 0.",
    },
    {
      provider: 'anthropic',
      config: { maxOutputTokens: 10 ** 6 },
      message: 'max_tokens: 1000000 > 64000, which is the maximum allowed number of output tokens',
    },
    {
      provider: 'openai-compatible',
      request: withTools,
      message: 'registry.ollama.ai/library/gemma does not support tools',
    },
    { provider: 'gemini', message: 'API key expired. Please renew the API key.' },
  ])('$provider: "$message" is a mistake, and stays one', async ({ provider, request, message, config: more }) => {
    let asked = 0
    const fetch = async () => {
      asked++
      const body = JSON.stringify(wires[provider].refusal(400, message))
      return new Response(body, { status: 400, headers: { 'content-type': 'application/json' } })
    }
    const model = await loadModel(provider, 'http://provider.test', { fetch, ...more })
    expect(await failureOf(ask(model, { request }))).toMatchObject({ code: 'model_bad_request' })
    expect(asked).toBe(1)
  })
})
