import { describe, expect, it } from 'vitest'
import type { Part } from '../../src/core/events.js'
import type { Json, JsonObject } from '../../src/core/json.js'
import type { KeyedCall, Message, Origin } from '../../src/core/transcript.js'
import type { ModelConfig, ModelRequest } from '../../src/models/model.js'
import { encodeOpenAI } from '../../src/models/openai/encode.js'

const gpt: ModelConfig = { provider: 'openai', model: 'gpt-6-astra' }
const claude: ModelConfig = { provider: 'anthropic', model: 'claude-opus-5-5' }
const find = {
  name: 'find',
  description: 'Finds.',
  input: { type: 'object', properties: { a: { type: 'number' } } },
  risk: 'read',
} as const

const request = (messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  instructions: 'Be brief.',
  tools: [find],
  messages,
  cacheKey: 'session-1',
  ...more,
})
const openAI = (...messages: Message[]) => encodeOpenAI(request(messages), gpt).input as unknown as JsonObject[]

const user = (text: string): Message => ({ role: 'user', text })
const asks = (origin: Origin, parts: Part[], ...calls: KeyedCall[]): Message => ({
  role: 'assistant',
  parts,
  calls,
  origin,
})
const call = (index: number, more: Partial<KeyedCall> = {}): KeyedCall => ({
  key: `1.1.${index}`,
  callId: `1.${index}`,
  toolName: 'find',
  input: { a: index },
  inputText: `{"a": ${index}}`,
  wireId: `id_${index}`,
  caller: 'model',
  ...more,
})
const partOf = ({ callId }: KeyedCall, native?: Json): Part => ({ type: 'call', callId, native })
const answers = (to: KeyedCall, text = 'done', outcome: 'ok' | 'denied' = 'ok'): Message => ({
  role: 'tool',
  call: to,
  outcome,
  text,
})
const news: Message = { role: 'news', callId: '1.0', done: true, text: 'It took effect.' }

describe('encodeOpenAI()', () => {
  it('asks for a stream that is not stored, with encrypted reasoning', () => {
    expect(encodeOpenAI(request([user('Hi')]), { ...gpt, maxOutputTokens: 99 })).toEqual({
      model: 'gpt-6-astra',
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content'],
      instructions: 'Be brief.',
      input: [{ role: 'user', content: 'Hi' }],
      tools: [{ type: 'function', name: 'find', description: 'Finds.', parameters: find.input, strict: false }],
      parallel_tool_calls: true,
      prompt_cache_key: 'session-1',
      max_output_tokens: 99,
    })
  })

  it('leaves out what there is none of', () => {
    expect(encodeOpenAI(request([user('Hi')], { instructions: ' ', tools: [] }), { ...gpt, model: 'gpt-4o' })).toEqual({
      model: 'gpt-4o',
      stream: true,
      store: false,
      input: [{ role: 'user', content: 'Hi' }],
      prompt_cache_key: 'session-1',
    })
  })

  it.each([
    ['gpt-4.1-mini', false],
    ['gpt-4o', false],
    ['openai/gpt-4o', false],
    ['gpt-5-chat-latest', false],
    ['gpt-5.4', true],
    ['o3-pro', true],
    ['gpt-6-luna', true],
  ])('asks %s for encrypted reasoning: %s', (model, asked) => {
    expect('include' in encodeOpenAI(request([]), { ...gpt, model })).toBe(asked)
  })

  it('keeps the cache key within the 64 characters that the API takes', () => {
    expect(encodeOpenAI(request([], { cacheKey: `${'owner'.repeat(20)}:session-1` }), gpt).prompt_cache_key).toMatch(
      /^.{54}:session-1$/,
    )
  })

  it('sends own items back as they are, and results by their call', () => {
    const items: JsonObject[] = [
      { type: 'reasoning', id: 'rs_1', encrypted_content: 'x', summary: [] },
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        phase: 'commentary',
        content: [{ type: 'output_text', text: 'I look.' }],
      },
      {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'id_0',
        name: 'find',
        arguments: '{"a": 0}',
        status: 'completed',
        caller: { type: 'direct' },
      },
      { type: 'item_of_tomorrow', id: 'x_1' },
      { type: 'function_call', id: 'fc_2', call_id: 'id_1', name: 'find', arguments: '{"a":', status: 'completed' },
    ]
    const bad = call(1, { input: undefined, inputText: '{"a":' })
    const parts: Part[] = [
      { type: 'reasoning', text: '', native: items[0]! },
      { type: 'text', text: 'I look.', native: items[1]! },
      partOf(call(0), items[2]),
      { type: 'other', native: items[3]! },
      partOf(bad, items[4]),
    ]
    const failed = '{"error":{"code":"invalid_input"}}'
    expect(
      openAI(user('Hi'), asks(gpt, parts, call(0), bad), answers(call(0)), answers(bad, failed), news, user('And?')),
    ).toEqual([
      { role: 'user', content: 'Hi' },
      ...items,
      { type: 'function_call_output', call_id: 'id_0', output: 'done' },
      { type: 'function_call_output', call_id: 'id_1', output: failed },
      { role: 'user', content: 'It took effect.' },
      { role: 'user', content: 'And?' },
    ])
  })

  it('rebuilds the items of another model, without what only that model can read', () => {
    const parts: Part[] = [
      { type: 'reasoning', text: 'Secret', native: { type: 'thinking', thinking: 'Secret', signature: 's' } },
      { type: 'text', text: 'I look.', native: { type: 'text', text: 'I look.' } },
      { type: 'text', text: ' \n', native: { type: 'text', text: ' \n' } },
      partOf(call(0), { type: 'tool_use', id: 'id_0', name: 'find', input: { a: 0 } }),
      { type: 'other', native: { type: 'server_tool_use' } },
      partOf(call(1)),
      { type: 'refusal', text: 'No.' },
    ]
    const odd = call(1, { wireId: 'srv tool:1', toolName: 'a.b/c', input: undefined, inputText: '{"a":' })
    for (const origin of [claude, { ...gpt, model: 'gpt-5.4' }])
      expect(openAI(user('Hi'), asks(origin, parts, call(0), odd), answers(call(0)), answers(odd))).toEqual([
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'I look.' },
        { type: 'function_call', call_id: 'id_0', name: 'find', arguments: '{"a": 0}' },
        { type: 'function_call', call_id: 'call_1_1_1', name: 'a_b_c', arguments: '{"INVALID_JSON":"{\\"a\\":"}' },
        { role: 'assistant', content: 'No.' },
        { type: 'function_call_output', call_id: 'id_0', output: 'done' },
        { type: 'function_call_output', call_id: 'call_1_1_1', output: 'done' },
      ])
  })

  it('changes nothing but the id of a call whose id is taken', () => {
    const native = { type: 'function_call', id: 'fc_1', call_id: 'id_0', name: 'find', arguments: '{}' }
    const [a, b] = [call(0), call(1, { wireId: 'id_0' })]
    expect(
      openAI(
        user('Hi'),
        asks(gpt, [partOf(a, native), partOf(b, native)], a, b),
        answers(a, 'A'),
        answers(b, 'B'),
      ).slice(1),
    ).toEqual([
      native,
      { ...native, call_id: 'call_1_1_1' },
      { type: 'function_call_output', call_id: 'id_0', output: 'A' },
      { type: 'function_call_output', call_id: 'call_1_1_1', output: 'B' },
    ])
  })

  it('leaves out reasoning that cannot be read again, with the ids that refer to it', () => {
    const parts: Part[] = [
      { type: 'reasoning', text: '', native: { type: 'reasoning', id: 'rs_1', summary: [] } },
      { type: 'text', text: 'Hello', native: { type: 'message', id: 'msg_1', role: 'assistant', content: [] } },
    ]
    expect(openAI(user('Hi'), asks(gpt, parts), user('And?')).slice(1, -1)).toEqual([
      { type: 'message', role: 'assistant', content: [] },
    ])
  })

  it('leaves out reasoning whose call was cut', () => {
    const native = { type: 'reasoning', id: 'rs_1', encrypted_content: 'x', summary: [] }
    const parts: Part[] = [
      { type: 'reasoning', text: '', native },
      { type: 'call', callId: '9.9', native: { type: 'function_call' } },
    ]
    expect(openAI(user('Hi'), asks(gpt, parts), user('And?'))).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'user', content: 'And?' },
    ])
  })

  it('sends the text of a reply that was cut, which has no items', () => {
    expect(openAI(user('Hi'), asks(gpt, [{ type: 'text', text: 'So far' }]), user('Go on'))[1]).toEqual({
      role: 'assistant',
      content: 'So far',
    })
  })
})
