import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.js'
import { createAnthropicDecoder } from '../../src/models/anthropic/decode.js'
import type { ModelDelta, ModelReply } from '../../src/models/model.js'

function decode(...events: unknown[]): { reply: ModelReply | undefined; deltas: ModelDelta[] } {
  const decoder = createAnthropicDecoder()
  const deltas = events.flatMap((event) => decoder.push(event))
  return { reply: decoder.reply(), deltas }
}

const opened = { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } }
const start = (index: number, content_block: JsonObject) => ({ type: 'content_block_start', index, content_block })
const delta = (index: number, inner: JsonObject) => ({ type: 'content_block_delta', index, delta: inner })
const json = (index: number, partial_json: string) => delta(index, { type: 'input_json_delta', partial_json })
const stop = (index: number) => ({ type: 'content_block_stop', index })
const end = (stop_reason: Json, more: JsonObject = {}) => [
  { type: 'message_delta', delta: { stop_reason, ...more }, usage: { output_tokens: 20 } },
  { type: 'message_stop' },
]
const tool = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'find', input: {} })
const called = (index: number, id: string, text: string) => [start(index, tool(id)), json(index, text), stop(index)]

describe('The decoder of the Messages API', () => {
  it('builds each block of its pieces, and shows them', () => {
    const citation = { type: 'char_location', cited_text: 'x' }
    const { reply, deltas } = decode(
      opened,
      start(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
      delta(0, { type: 'thinking_delta', thinking: '.' }),
      delta(0, { type: 'signature_delta', signature: 'sig' }),
      stop(0),
      start(1, { type: 'redacted_thinking', data: 'secret' }),
      stop(1),
      { type: 'ping' },
      start(2, { type: 'text', text: 'Hel', citations: null }),
      delta(2, { type: 'citations_delta', citation }),
      delta(2, { type: 'text_delta', text: 'lo' }),
      stop(2),
      start(3, { ...tool('toolu_1'), caller: { type: 'direct' } }),
      json(3, ''),
      json(3, '{"a":'),
      json(3, ' [1]}'),
      stop(3),
      ...end('tool_use'),
    )
    expect(reply).toEqual({
      finish: 'calls',
      usage: { input: 10, output: 20 },
      parts: [
        { type: 'reasoning', text: 'Hm.', native: { type: 'thinking', thinking: 'Hm.', signature: 'sig' } },
        { type: 'reasoning', text: '', native: { type: 'redacted_thinking', data: 'secret' } },
        { type: 'text', text: 'Hello', native: { type: 'text', text: 'Hello', citations: [citation] } },
        {
          type: 'call',
          toolName: 'find',
          inputText: '{"a": [1]}',
          wireId: 'toolu_1',
          native: { ...tool('toolu_1'), input: { a: [1] }, caller: { type: 'direct' } },
        },
      ],
    })
    expect(deltas).toEqual([
      { type: 'reasoning', index: 0, text: 'Hm' },
      { type: 'reasoning', index: 0, text: '.' },
      { type: 'text', index: 2, text: 'Hel' },
      { type: 'text', index: 2, text: 'lo' },
      { type: 'call', index: 3, toolName: 'find', text: '' },
      { type: 'call', index: 3, toolName: 'find', text: '{"a":' },
      { type: 'call', index: 3, toolName: 'find', text: ' [1]}' },
    ])
  })

  it.each<[string, string, Json]>([
    ['', '{}', {}],
    ['{"a":', '{"a":', { INVALID_JSON: '{"a":' }],
    ['[1]', '[1]', { INVALID_JSON: '[1]' }],
  ])('gives the argument text %o as %o, and sends back %o', (given, inputText, input) => {
    const { reply } = decode(opened, ...called(0, 'a', given), ...end('tool_use'))
    expect(reply?.parts).toEqual([
      { type: 'call', toolName: 'find', inputText, wireId: 'a', native: { ...tool('a'), input } },
    ])
  })

  it('takes arguments that come whole at the start', () => {
    const { reply } = decode(opened, start(0, { ...tool('a'), input: { a: 1 } }), stop(0), ...end('tool_use'))
    expect(reply?.parts).toMatchObject([{ inputText: '{"a":1}', native: { input: { a: 1 } } }])
  })

  it('keeps a key of the arguments that is named as one of an object', () => {
    const { reply } = decode(opened, ...called(0, 'a', '{"__proto__":{"x":1},"constructor":2}'), ...end('tool_use'))
    const native = reply?.parts[0]?.native as { input: object }
    expect(JSON.stringify(native.input)).toBe('{"__proto__":{"x":1},"constructor":2}')
    expect(({} as { x?: number }).x).toBeUndefined()
  })

  it('keeps blocks of the server as they are', () => {
    const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
    const result = {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: [{ type: 'web_search_result', encrypted_content: 'e' }],
    }
    const { reply } = decode(
      opened,
      start(0, search),
      json(0, '{"query":"x"}'),
      stop(0),
      start(1, result),
      stop(1),
      ...end('pause_turn'),
    )
    expect(reply).toMatchObject({ finish: 'resend' })
    expect(reply?.parts).toEqual([
      { type: 'other', native: { ...search, input: { query: 'x' } } },
      { type: 'other', native: result },
    ])
  })

  it.each([
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'context'],
  ])('drops the last call of a reply that ended for %s, though it parses', (reason, finish) => {
    const { reply } = decode(opened, ...called(0, 'a', '{"a":1}'), ...called(1, 'b', '{"a":1}'), ...end(reason))
    expect(reply).toMatchObject({ finish, parts: [{ wireId: 'a' }] })
    expect(reply?.parts).toHaveLength(1)
  })

  it('remarks on events and pieces of blocks that it does not know, at most 20 times', () => {
    const event = { type: 'event_of_tomorrow' }
    const piece = delta(0, { type: 'delta_of_tomorrow', text: 'x' })
    const text = [start(0, { type: 'text', text: 'Hi' }), piece, stop(0)]
    const { reply } = decode(opened, { type: 'ping' }, ...text, event, ...end('end_turn'))
    expect(reply).toMatchObject({ finish: 'stop', parts: [{ text: 'Hi' }] })
    expect(reply?.remarks).toEqual([piece, event].map((detail) => ({ code: 'unknown_event', detail })))
    const many = Array.from({ length: 50 }, () => event)
    expect(decode(opened, ...many, ...end('end_turn')).reply?.remarks).toHaveLength(20)
  })

  it('remarks on what became of the request, beside what was told of it', () => {
    const dropped = { type: 'thinking_dropped', path: 'messages.1.content.0', reason: 'prefix_binding_mismatch' }
    const allowed = { type: 'thinking_mismatch_allowed', path: 'messages.1.content.0' }
    const edit = { type: 'clear_tool_uses_20250919', cleared_tool_uses: 8 }
    const diagnostics = { cache_miss_reason: { type: 'tools_changed' } }
    const input_transformations = [dropped, allowed]
    const first = { type: 'message_start', message: { input_transformations, diagnostics } }
    const last = {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      context_management: { applied_edits: [edit] },
    }
    const given = { code: 'setting_ignored', detail: { setting: 'seed' } }
    const decoder = createAnthropicDecoder({ remarks: [given] })
    for (const event of [opened, first, last, { type: 'message_stop' }]) decoder.push(event)
    expect(decoder.reply()?.remarks).toEqual([
      given,
      { code: 'reasoning_dropped', detail: dropped },
      { code: 'input_transformed', detail: allowed },
      { code: 'diagnostics', detail: diagnostics },
      { code: 'context_edited', detail: edit },
    ])
  })

  it('tells calls of a program from the model’s own, and keeps its container', () => {
    const caller = { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' }
    const container = { id: 'container_1', expires_at: '2026-12-01T00:00:00Z' }
    const { reply } = decode(
      opened,
      start(0, { ...tool('a'), caller }),
      stop(0),
      start(1, { ...tool('b'), caller: { type: 'direct' } }),
      stop(1),
      ...end('tool_use', { container }),
    )
    expect(reply).toMatchObject({ finish: 'calls', serverState: { container: 'container_1' } })
    expect(reply?.parts.map((part) => part.type === 'call' && part.caller)).toEqual(['program', undefined])
    expect(reply?.parts[0]?.native).toMatchObject({ caller })
    const early = { type: 'message_start', message: { container } }
    expect(decode(early, ...end('end_turn', { container: null })).reply?.serverState).toEqual({
      container: 'container_1',
    })
  })

  it('keeps a compaction whole, which comes in one piece', () => {
    const { reply } = decode(
      opened,
      start(0, { type: 'compaction', content: null }),
      delta(0, { type: 'compaction_delta', content: 'So far: hello.', encrypted_content: 'e' }),
      stop(0),
      ...end('compaction'),
    )
    expect(reply).toMatchObject({ finish: 'resend' })
    expect(reply?.parts).toEqual([
      { type: 'other', native: { type: 'compaction', content: 'So far: hello.', encrypted_content: 'e' } },
    ])
  })

  it('asks to be asked again when not all was said, unless it ended in another way', () => {
    const finish = (...events: unknown[]) => {
      const decoder = createAnthropicDecoder({ isWaiting: true })
      for (const event of events) decoder.push(event)
      return decoder.reply()?.finish
    }
    expect(finish(opened, ...end('end_turn'))).toBe('resend')
    expect(finish(opened, ...called(0, 'a', '{}'), ...end('end_turn'))).toBe('calls')
    expect(finish(opened, ...end('refusal'))).toBe('refusal')
  })

  it('keeps no call that was not closed', () => {
    const { reply } = decode(opened, start(0, tool('a')), json(0, '{}'), ...called(1, 'b', '{}'), ...end('tool_use'))
    expect(reply?.parts.map((part) => part.type === 'call' && part.wireId)).toEqual(['b'])
  })

  it('finds calls whatever the stop reason says', () => {
    for (const reason of ['end_turn', 'stop_sequence', null, 'of_tomorrow', 'constructor', '__proto__'])
      expect(decode(opened, ...called(0, 'a', '{}'), ...end(reason)).reply?.finish).toBe('calls')
  })

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['tool_use', 'other'],
    ['compaction', 'resend'],
    ['of_tomorrow', 'other'],
    ['toString', 'other'],
    [null, 'other'],
  ])('says for %s without calls: %s', (reason, finish) => {
    expect(decode(opened, ...end(reason)).reply).toEqual({ parts: [], finish, usage: { input: 10, output: 20 } })
  })

  it('keeps of a refusal only what was shown, and runs nothing', () => {
    const said = [start(0, { type: 'text', text: 'Well' }), stop(0), ...called(1, 'a', '{}')]
    const stop_details = { type: 'refusal', category: 'bio', explanation: 'That is not safe.' }
    expect(decode(opened, ...said, ...end('refusal', { stop_details })).reply).toMatchObject({
      finish: 'refusal',
      parts: [{ type: 'refusal', text: 'Well\n\nThat is not safe.' }],
    })
    expect(decode(opened, ...end('refusal')).reply?.parts).toEqual([
      { type: 'refusal', text: 'The model refused to answer.' },
    ])
  })

  it('forgets the beginning of a message that a gateway starts again', () => {
    const { reply } = decode(
      opened,
      ...called(0, 'a', '{'),
      start(1, tool('b')),
      opened,
      ...called(0, 'c', '{}'),
      ...end('tool_use'),
    )
    expect(reply?.parts).toMatchObject([{ wireId: 'c' }])
    expect(reply?.parts).toHaveLength(1)
  })

  it('counts the whole prompt, cached or not; a later count replaces an earlier one, and null leaves it', () => {
    const usage = { input_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: 7, output_tokens: 1 }
    const late = { input_tokens: null, output_tokens: 30, output_tokens_details: { thinking_tokens: 12 } }
    const { reply } = decode(
      { type: 'message_start', message: { usage } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: late },
      { type: 'message_stop' },
    )
    expect(reply?.usage).toEqual({ input: 112, output: 30, cacheRead: 100, cacheWrite: 7, reasoning: 12 })
  })

  it.each<[string, unknown[]]>([
    ['is no object', [1]],
    ['has no message', [{ type: 'message_start' }]],
    ['has no block', [{ type: 'content_block_start', index: 0 }]],
    ['has no index', [{ type: 'content_block_start', content_block: { type: 'text' } }]],
    ['has a block without a type', [start(0, {})]],
    ['has no delta', [{ type: 'content_block_delta', index: 0 }]],
    ['has a call without a name', [opened, start(0, { type: 'tool_use', id: 'a' }), stop(0), ...end('tool_use')]],
  ])('refuses an event that %s', (_, events) => {
    expect(() => decode(...events)).toThrow(/^Cannot read the model's reply: /)
  })
})
