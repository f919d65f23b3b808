import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/json.js'
import type { Message } from '../../src/core/transcript.js'
import { createAnthropicModel } from '../../src/models/anthropic/model.js'
import type { ModelConfig, ModelRequest } from '../../src/models/model.js'
import { toSse } from './derived-stream.js'

const claude: ModelConfig = { provider: 'anthropic', model: 'claude-sonnet-4-6', baseURL: 'https://api.test' }
const hi: Message = { role: 'user', text: 'Hi' }
const find = { name: 'find', description: '', input: { type: 'object', properties: {} }, risk: 'read' } as const

const events: readonly JsonObject[] = [
  { type: 'message_start', message: { usage: { input_tokens: 1, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hello' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  { type: 'message_stop' },
]
const reply = events.map(toSse).join('')

/** A model whose server refuses a request for the first of these reasons that still holds. */
function serve(
  config: Partial<ModelConfig>,
  refusals: readonly [message: string, because: (body: JsonObject) => boolean][] = [],
) {
  const bodies: JsonObject[] = []
  const headers: Headers[] = []
  const model = createAnthropicModel({
    ...claude,
    ...config,
    fetch: (_, init) => {
      const body = JSON.parse(init!.body as string) as JsonObject
      bodies.push(body)
      headers.push(new Headers(init!.headers))
      const [message] = refusals.find(([, because]) => because(body)) ?? []
      const error = { type: 'error', error: { type: 'invalid_request_error', message } }
      const [text, status, type] =
        message === undefined ? [reply, 200, 'text/event-stream'] : [JSON.stringify(error), 400, 'application/json']
      return Promise.resolve(new Response(text, { status, headers: { 'content-type': type } }))
    },
  })
  const ask = (request: Partial<ModelRequest> = {}) =>
    model.generate(
      { instructions: '', tools: [], messages: [hi], cacheKey: 's', ...request },
      { signal: new AbortController().signal, onDelta: () => {} },
    )
  return { ask, bodies, headers }
}

describe('A model of the Messages API', () => {
  it('says in its reply what of the request was left out', async () => {
    const { ask } = serve({ effort: 'xhigh', seed: 1 })
    const { remarks } = await ask()
    expect(remarks).toMatchObject([{ detail: { setting: 'effort', value: 'xhigh' } }, { detail: { setting: 'seed' } }])
    expect(await serve({}).ask()).not.toHaveProperty('remarks')
  })

  it('sends the headers that a request needs beside its own', async () => {
    const call = {
      key: '1.1.0',
      callId: '1.0',
      toolName: 'open',
      input: {},
      inputText: '{}',
      wireId: 'a',
      caller: 'model',
    } as const
    const messages: Message[] = [
      hi,
      { role: 'assistant', parts: [{ type: 'call', callId: '1.0' }], calls: [call], origin: claude },
      { role: 'tool', call, trusted: true, outcome: 'ok', text: 'Open.', tools: ['rate'] },
    ]
    const tools = [
      { ...find, name: 'open', returnsTools: true },
      { ...find, name: 'rate', deferred: true },
    ]
    const { ask, headers } = serve({ model: 'claude-opus-5', headers: { 'anthropic-beta': 'x-1', 'x-own': 'y' } })
    await ask()
    await ask({ messages, tools })
    expect(headers.map((each) => each.get('anthropic-beta'))).toEqual([
      'x-1',
      'x-1,mid-conversation-tool-changes-2026-07-01',
    ])
    expect(headers[1]!.get('x-own')).toBe('y')
  })

  const has =
    (...path: readonly string[]) =>
    (body: JsonObject) => {
      let at: unknown = body
      for (const key of path) at = (at as Record<string, unknown> | undefined)?.[key]
      return at !== undefined
    }
  const holds = (text: string) => (body: JsonObject) => JSON.stringify(body).includes(text)
  const demand = { tools: [find], toolChoice: { mode: 'required' } } as const
  const schema = { type: 'object', properties: {}, additionalProperties: false } as const

  it.each<[string, string, (body: JsonObject) => boolean, Partial<ModelConfig>, Partial<ModelRequest>]>([
    ['tool_choice', 'tool_choice.type "any" is not supported by this model.', has('tool_choice'), {}, demand],
    [
      'role "system"',
      "messages: role 'system' is not supported on this model",
      holds('"role":"system"'),
      { model: 'claude-opus-6' },
      { messages: [hi, { role: 'instructions', text: 'x' }] },
    ],
    [
      'temperature, top_p, top_k',
      'temperature: Extra inputs are not permitted',
      has('temperature'),
      { temperature: 0.5, headers: { 'anthropic-version': '2023-06-01' } },
      {},
    ],
    [
      'output_config.effort',
      "This model does not support effort level 'max'. Supported levels: high, low.",
      has('output_config'),
      { model: 'claude-opus-6', effort: 'max' },
      {},
    ],
    [
      'thinking',
      'adaptive thinking is not supported on this model',
      has('thinking'),
      { model: 'claude-opus-6', effort: 'max' },
      {},
    ],
    [
      'output_config.format',
      'output_config: Extra inputs are not permitted',
      has('output_config'),
      {},
      { answer: { name: 'a', schema } },
    ],
    ['strict', 'Schema is too complex for compilation.', holds('"strict"'), {}, { tools: [{ ...find, strict: true }] }],
    [
      'tool search',
      "'m' does not support tool types: tool_search_tool_bm25_20251119",
      holds('tool_search_tool'),
      { toolSearch: true },
      { tools: [find, { ...find, name: 'rate', deferred: true }] },
    ],
    [
      'programs',
      "'m' does not support tool types: code_execution_20260120",
      holds('code_execution'),
      { programs: true },
      { tools: [find] },
    ],
  ])('that refuses %s is asked again without it, once for all', async (what, message, because, config, request) => {
    const { ask, bodies } = serve(config, [[message, because]])
    const { finish, remarks } = await ask(request)
    expect([finish, remarks?.[0]]).toMatchObject(['stop', { code: 'amended', detail: { without: what } }])
    await ask(request)
    expect(bodies.map(because)).toEqual([true, false, false])
  })

  it('that cannot read the thinking of a history is asked again without it, each time', async () => {
    const native = { type: 'thinking', thinking: '', signature: 's' }
    const parts = [
      { type: 'reasoning', text: '', native },
      { type: 'text', text: 'Well.', native: { type: 'text', text: 'Well.' } },
    ] as const
    const messages: Message[] = [hi, { role: 'assistant', parts, calls: [], origin: claude }, hi]
    const message =
      'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.'
    const { ask, bodies } = serve({}, [[message, holds('"signature"')]])
    await ask({ messages })
    await ask({ messages })
    expect(bodies.map(holds('"signature"'))).toEqual([true, false, true, false])
    expect(bodies[1]!.messages).toHaveLength(3)
  })

  it('whose container is gone is asked again for another', async () => {
    const hostedTools = [{ risk: 'read', tool: { type: 'code_execution_20260120', name: 'code_execution' } }] as const
    const parts = [{ type: 'text', text: 'Well.' }] as const
    const state = { serverState: { container: 'container_1' } }
    const messages: Message[] = [hi, { role: 'assistant', parts, calls: [], origin: claude, ...state }, hi]
    const { ask, bodies } = serve({ hostedTools }, [
      ['container: Container container_1 has expired.', has('container')],
    ])
    await ask({ messages })
    expect(bodies.map(({ container }) => container)).toEqual(['container_1', undefined])
  })

  it('that refuses for a reason of its own is not asked again', async () => {
    const { ask, bodies } = serve({}, [['max_tokens: must be less than 8192', () => true]])
    await expect(ask()).rejects.toMatchObject({ code: 'model_bad_request' })
    expect(bodies).toHaveLength(1)
  })
})
