import { describe, expect, it } from 'vitest'
import type { Part } from '../../src/core/events.js'
import type { Json, JsonObject } from '../../src/core/json.js'
import type { Message } from '../../src/core/transcript.js'
import { encodeAnthropic } from '../../src/models/anthropic/encode.js'
import { defaultMaxTokens } from '../../src/models/anthropic/settings.js'
import type { ModelConfig } from '../../src/models/model.js'
import { answers, asks, call, find, news, partOf, request, user } from './conversation-parts.js'

const gpt: ModelConfig = { provider: 'openai', model: 'gpt-6-astra' }
const claude: ModelConfig = { provider: 'anthropic', model: 'claude-opus-5-5' }
/** Without the marks for the cache. */
const anthropic = (...messages: Message[]) =>
  JSON.parse(JSON.stringify(encodeAnthropic(request(messages), claude).messages), (key, value: Json) =>
    key === 'cache_control' ? undefined : value,
  ) as JsonObject[]

describe('encodeAnthropic()', () => {
  it('asks for a stream, and marks the end of what is stable and the end of the transcript for the cache', () => {
    const cache_control = { type: 'ephemeral' }
    expect(encodeAnthropic(request([user('Hi')]), { ...claude, maxOutputTokens: 99 })).toEqual({
      model: 'claude-opus-5-5',
      stream: true,
      max_tokens: 99,
      system: [{ type: 'text', text: 'Be brief.', cache_control }],
      tools: [{ name: 'find', description: 'Finds.', input_schema: find.input }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control }] }],
    })
  })

  it('marks the last tool when there are no instructions, and has a default for the tokens', () => {
    const tools = [find, { ...find, name: 'read' }]
    const body = encodeAnthropic(request([user('Hi')], { instructions: '', tools }), claude)
    expect(body).not.toHaveProperty('system')
    expect(body.max_tokens).toBe(defaultMaxTokens)
    expect(body.tools?.map((tool) => 'cache_control' in tool)).toEqual([false, true])
    expect(encodeAnthropic(request([user('Hi')], { tools: [] }), claude)).not.toHaveProperty('tools')
  })

  it('sends own blocks back as they are, results first in one turn, then news and words', () => {
    const blocks: JsonObject[] = [
      { type: 'thinking', thinking: '', signature: 'sig' },
      { type: 'redacted_thinking', data: 'x' },
      { type: 'text', text: 'I look.', citations: [] },
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
      { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
      { type: 'tool_use', id: 'id_0', name: 'find', input: { a: 0 }, caller: { type: 'direct' } },
      { type: 'tool_use', id: 'id_1', name: 'find', input: { INVALID_JSON: '{' } },
    ]
    const bad = call(1, { input: undefined, inputText: '{' })
    const parts: Part[] = [
      { type: 'reasoning', text: '', native: blocks[0]! },
      { type: 'reasoning', text: '', native: blocks[1]! },
      { type: 'text', text: 'I look.', native: blocks[2]! },
      { type: 'other', native: blocks[3]! },
      { type: 'other', native: blocks[4]! },
      partOf(call(0), blocks[5]),
      partOf(bad, blocks[6]),
    ]
    expect(
      anthropic(
        user('Hi'),
        asks(claude, parts, call(0), bad),
        answers(call(0), ''),
        answers(bad, 'no', 'denied'),
        news,
        user('And?'),
      ),
    ).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: blocks },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'id_0', is_error: false },
          { type: 'tool_result', tool_use_id: 'id_1', is_error: true, content: 'no' },
          { type: 'text', text: 'It took effect.' },
          { type: 'text', text: 'And?' },
        ],
      },
    ])
  })

  it('rebuilds the blocks of another model, without what only that model can read', () => {
    const parts: Part[] = [
      { type: 'reasoning', text: 'Secret', native: { type: 'reasoning', id: 'rs_1', encrypted_content: 'x' } },
      { type: 'text', text: 'I look.', native: { type: 'message' } },
      { type: 'other', native: { type: 'web_search_call' } },
      partOf(call(0), { type: 'function_call', id: 'fc_1', call_id: 'id_0' }),
      partOf(call(1)),
    ]
    const odd = call(1, { wireId: 'x y', toolName: '', input: [1], inputText: '[1]' })
    for (const origin of [gpt, { ...claude, model: 'claude-sonnet-5-5' }])
      expect(anthropic(user('Hi'), asks(origin, parts, call(0), odd), answers(call(0)), answers(odd))[1]).toEqual({
        role: 'assistant',
        content: [
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'id_0', name: 'find', input: { a: 0 } },
          { type: 'tool_use', id: 'call_1_1_1', name: 'unknown', input: { INVALID_JSON: '[1]' } },
        ],
      })
  })

  it('drops a refused turn of its own, and says that of another provider', () => {
    const refusal: Part[] = [{ type: 'refusal', text: 'No.' }]
    expect(anthropic(user('Hi'), asks(claude, refusal), user('And?'))).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: 'And?' },
        ],
      },
    ])
    expect(anthropic(user('Hi'), asks(gpt, refusal), user('And?'))[1]).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'No.' }],
    })
  })

  it('sends no blank text, no empty turn and no turn that ends in thinking', () => {
    const parts: Part[] = [
      { type: 'text', text: '\n\n', native: { type: 'text', text: '\n\n' } },
      { type: 'reasoning', text: 'Hm', native: { type: 'thinking', thinking: 'Hm', signature: 's' } },
    ]
    expect(anthropic(user(' '), asks(claude, parts), user('Hi'))).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: '(no text)' },
          { type: 'text', text: 'Hi' },
        ],
      },
    ])
  })

  it('sends a paused turn again as it is, without a mark', () => {
    const native = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
    const { messages } = encodeAnthropic(request([user('Hi'), asks(claude, [{ type: 'other', native }])]), claude)
    expect(messages.at(-1)).toEqual({ role: 'assistant', content: [native] })
  })
})

it('The encoder does not change what it is given', () => {
  const messages = [
    user('Hi'),
    asks(claude, [partOf(call(0), { type: 'tool_use', id: 'id_0' })], call(0)),
    answers(call(0)),
  ]
  const given = request(messages, { instructions: '' })
  const before = structuredClone(given)
  encodeAnthropic(given, claude)
  expect(given).toEqual(before)
})
