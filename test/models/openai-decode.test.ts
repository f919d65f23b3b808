import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/json.js'
import type { ModelDelta, ModelReply } from '../../src/models/model.js'
import { createOpenAIDecoder } from '../../src/models/openai/decode.js'

function decode(...events: unknown[]): { reply: ModelReply | undefined; deltas: ModelDelta[] } {
  const decoder = createOpenAIDecoder()
  const deltas = events.flatMap((event) => decoder.push(event))
  return { reply: decoder.reply(), deltas }
}

const done = (output_index: number, item: JsonObject) => ({ type: 'response.output_item.done', output_index, item })
const completed = (more: JsonObject = {}) => ({
  type: 'response.completed',
  response: { status: 'completed', ...more },
})
const incomplete = (reason: string) => ({
  type: 'response.incomplete',
  response: { status: 'incomplete', incomplete_details: { reason } },
})
const call = (id: string, more: JsonObject = {}): JsonObject => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: `call_${id}`,
  name: 'find',
  arguments: '{"a":1}',
  status: 'completed',
  ...more,
})
const text = (...texts: string[]): JsonObject => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  phase: 'final_answer',
  content: texts.map((one) => ({ type: 'output_text', text: one, annotations: [] })),
})
const reasoning: JsonObject = {
  type: 'reasoning',
  id: 'rs_1',
  encrypted_content: 'xyz',
  summary: [
    { type: 'summary_text', text: 'First.' },
    { type: 'summary_text', text: 'Then.' },
  ],
}

describe('The decoder of the Responses API', () => {
  it('makes one part of each item, in the order of the output, and keeps the item as it is', () => {
    const shell = { type: 'shell_call', id: 'sh_1', action: { commands: ['ls'] } }
    const { reply } = decode(
      done(3, call('b')),
      done(1, text('Hello, ', 'you.')),
      done(0, reasoning),
      done(2, shell),
      done(4, call('c')),
      completed(),
    )
    expect(reply?.finish).toBe('calls')
    expect(reply?.parts).toEqual([
      { type: 'reasoning', text: 'First.\n\nThen.', native: reasoning },
      { type: 'text', text: 'Hello, you.', native: text('Hello, ', 'you.') },
      { type: 'other', native: shell },
      { type: 'call', toolName: 'find', inputText: '{"a":1}', wireId: 'call_b', native: call('b') },
      { type: 'call', toolName: 'find', inputText: '{"a":1}', wireId: 'call_c', native: call('c') },
    ])
  })

  it('shows pieces as they come, of parallel calls too, and nothing for events that it does not know', () => {
    const { deltas, reply } = decode(
      { type: 'response.created', response: {} },
      { type: 'response.output_item.added', output_index: 0, item: call('a', { arguments: '' }) },
      { type: 'response.output_item.added', output_index: 1, item: call('b', { arguments: '', name: 'read' }) },
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"a"' },
      { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{}' },
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: ':1}' },
      { type: 'response.reasoning_summary_part.added', output_index: 2, summary_index: 0 },
      { type: 'response.reasoning_summary_text.delta', output_index: 2, summary_index: 0, delta: 'One.' },
      { type: 'response.reasoning_summary_part.added', output_index: 2, summary_index: 1 },
      { type: 'response.reasoning_text.delta', output_index: 2, delta: 'Two.' },
      { type: 'response.output_text.delta', output_index: 3, delta: 'Hi' },
      { type: 'response.refusal.delta', output_index: 4, delta: 'No' },
      { type: 'response.something.new', output_index: 'odd', item: 7 },
    )
    expect(deltas).toEqual([
      { type: 'call', index: 0, toolName: 'find', text: '' },
      { type: 'call', index: 1, toolName: 'read', text: '' },
      { type: 'call', index: 0, toolName: 'find', text: '{"a"' },
      { type: 'call', index: 1, toolName: 'read', text: '{}' },
      { type: 'call', index: 0, toolName: 'find', text: ':1}' },
      { type: 'reasoning', index: 2, text: 'One.' },
      { type: 'reasoning', index: 2, text: '\n\n' },
      { type: 'reasoning', index: 2, text: 'Two.' },
      { type: 'text', index: 3, text: 'Hi' },
      { type: 'text', index: 4, text: 'No' },
    ])
    expect(reply).toBeUndefined()
  })

  it('takes the output of the last event when no item was sent alone', () => {
    expect(decode(completed({ output: [text('All at once.')] })).reply?.parts).toEqual([
      { type: 'text', text: 'All at once.', native: text('All at once.') },
    ])
  })

  it.each([
    ['', '{}'],
    ['  ', '{}'],
    ['{"a":', '{"a":'],
  ])('gives the argument text %o as %o', (given, expected) => {
    expect(decode(done(0, call('a', { arguments: given })), completed()).reply?.parts).toMatchObject([
      { inputText: expected },
    ])
  })

  it('keeps finished calls of a reply that grew too long, and no others', () => {
    const items = [
      done(0, call('a')),
      done(1, call('b', { status: 'incomplete', arguments: '{"a' })),
      done(2, call('c', { status: 'in_progress' })),
    ]
    const { reply } = decode(...items, incomplete('max_output_tokens'))
    expect(reply).toMatchObject({ finish: 'length', parts: [{ type: 'call', wireId: 'call_a' }] })
  })

  it.each([
    ['content_filter', 'content-filter'],
    ['steered', 'resend'],
    ['max_messages', 'other'],
    ['__proto__', 'other'],
    ['constructor', 'other'],
  ])('keeps no call of a reply that ended for %s, and says %s', (reason, finish) => {
    const { reply } = decode(done(0, text('So far')), done(1, call('a')), incomplete(reason))
    expect(reply).toMatchObject({ finish, parts: [{ type: 'text', text: 'So far' }] })
    expect(reply?.parts).toHaveLength(1)
  })

  it('tells a refusal', () => {
    const item = { ...text(), content: [{ type: 'refusal', refusal: 'I will not.' }] }
    expect(decode(done(0, item), completed()).reply).toMatchObject({
      finish: 'refusal',
      parts: [{ type: 'refusal', text: 'I will not.', native: item }],
    })
  })

  it('asks to be sent again after a hosted program that ended without a message', () => {
    const output = { type: 'program_output', call_id: 'p', result: '1', status: 'completed' }
    expect(decode(done(0, output), completed()).reply?.finish).toBe('resend')
    expect(decode(done(0, output), done(1, text('One.')), completed()).reply?.finish).toBe('stop')
  })

  it('counts tokens as the provider did, and does not guess', () => {
    const usage = {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60, cache_write_tokens: 5 },
      output_tokens: 20,
      output_tokens_details: { reasoning_tokens: 12 },
    }
    expect(decode(completed({ usage })).reply?.usage).toEqual({
      input: 100,
      output: 20,
      cacheRead: 60,
      cacheWrite: 5,
      reasoning: 12,
    })
    expect(decode(completed({ usage: { input_tokens: 3, output_tokens: 4 } })).reply?.usage).toEqual({
      input: 3,
      output: 4,
    })
    expect(decode(completed({ usage: { input_tokens: -1, output_tokens: 'many' } })).reply?.usage).toBeUndefined()
    expect(decode(completed()).reply?.usage).toBeUndefined()
  })

  it.each<[string, unknown[]]>([
    ['is no object', ['text']],
    ['is null', [null]],
    ['has no type', [{}]],
    ['has no item', [{ type: 'response.output_item.done', output_index: 0 }]],
    ['has no index', [{ type: 'response.output_item.done', item: {} }]],
    ['has an index below zero', [done(-1, {})]],
    ['has no response', [{ type: 'response.completed' }]],
    ['has a call without a name', [done(0, { type: 'function_call', arguments: '{}' }), completed()]],
    ['has arguments that are no text', [done(0, call('a', { arguments: { a: 1 } })), completed()]],
  ])('refuses an event that %s', (_, events) => {
    expect(() => decode(...events)).toThrow(/^Cannot read the model's reply: /)
  })
})
