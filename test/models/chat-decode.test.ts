import { describe, expect, it } from 'vitest'
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.js'
import { HandrailError } from '../../src/errors.js'
import { createChatDecoder, streamEnd } from '../../src/models/chat/decode.js'
import type { ModelDelta, ModelReply } from '../../src/models/model.js'
import { ReportedError } from '../../src/models/model-error.js'
import { checkDelta, checkReply } from '../../src/runtime/check-reply.js'

function decode(...chunks: unknown[]): { reply: ModelReply | undefined; deltas: ModelDelta[] } {
  const decoder = createChatDecoder()
  const deltas = [...chunks, streamEnd].flatMap((chunk) => decoder.push(chunk))
  return { reply: decoder.reply(), deltas }
}

const chunk = (delta: JsonObject, finish_reason: string | null = null, more: JsonObject = {}): JsonObject => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
})
const end = (finish_reason = 'stop') => chunk({}, finish_reason)
const calls = (...tool_calls: JsonObject[]): JsonObject => chunk({ tool_calls })
const piece = (text: string, more: JsonObject = {}): JsonObject => ({ function: { arguments: text }, ...more })
const named = (name: string, text: string, more: JsonObject = {}): JsonObject => ({
  type: 'function',
  function: { name, arguments: text },
  ...more,
})

describe('The decoder of the Chat Completions API', () => {
  it('makes one part of each thing that a message holds, and shows pieces as they come', () => {
    const { reply, deltas } = decode(
      chunk({ role: 'assistant', content: '', reasoning_content: '' }),
      chunk({ reasoning_content: 'Let me ' }),
      chunk({ content: null, reasoning_content: 'see.' }),
      chunk({ content: 'I lo' }),
      chunk({ content: 'ok.' }),
      calls(named('find', '', { index: 0, id: 'call_a' })),
      calls(piece('{"a"', { index: 0 })),
      calls(named('read', '{}', { index: 1, id: 'call_b' }), piece(':1}', { index: 0 })),
      end('tool_calls'),
      { choices: [], usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 } },
    )
    expect(reply).toEqual({
      finish: 'calls',
      usage: { input: 7, output: 5 },
      parts: [
        { type: 'reasoning', text: 'Let me see.', native: { reasoning_content: 'Let me see.' } },
        { type: 'text', text: 'I look.' },
        {
          type: 'call',
          toolName: 'find',
          inputText: '{"a":1}',
          wireId: 'call_a',
          native: { id: 'call_a', type: 'function', function: { name: 'find', arguments: '{"a":1}' } },
        },
        {
          type: 'call',
          toolName: 'read',
          inputText: '{}',
          wireId: 'call_b',
          native: { id: 'call_b', type: 'function', function: { name: 'read', arguments: '{}' } },
        },
      ],
    })
    expect(deltas).toEqual([
      { type: 'reasoning', index: 0, text: 'Let me ' },
      { type: 'reasoning', index: 0, text: 'see.' },
      { type: 'text', index: 1, text: 'I lo' },
      { type: 'text', index: 1, text: 'ok.' },
      { type: 'call', index: 2, toolName: 'find', text: '' },
      { type: 'call', index: 2, toolName: 'find', text: '{"a"' },
      { type: 'call', index: 3, toolName: 'read', text: '{}' },
      { type: 'call', index: 2, toolName: 'find', text: ':1}' },
    ])
  })

  it('reads an answer that comes in one piece', () => {
    const message = { role: 'assistant', content: 'Hi.', tool_calls: [named('find', '{"a":1}', { id: 'x' })] }
    const { reply } = decode({ object: 'chat.completion', choices: [{ index: 0, message, finish_reason: '' }] })
    expect(reply?.finish).toBe('calls')
    expect(reply?.parts).toMatchObject([
      { type: 'text', text: 'Hi.' },
      { type: 'call', toolName: 'find', inputText: '{"a":1}', wireId: 'x' },
    ])
  })

  const one = (id: string | undefined, name: string, text: string) => ({ id, name, text })
  it.each<[string, JsonObject[], ReturnType<typeof one>[]]>([
    ['no index', [named('f', '', { id: 'a' }), piece('{"x"', { id: 'a' }), piece(':1}')], [one('a', 'f', '{"x":1}')]],
    [
      'no index, two calls',
      [named('f', '{}', { id: 'a' }), named('g', '{"y":', { id: 'b' }), piece('2}', { id: 'b' })],
      [one('a', 'f', '{}'), one('b', 'g', '{"y":2}')],
    ],
    [
      'the same index for parallel calls',
      [named('f', '{"x":1}', { index: 0, id: 'a' }), named('f', '{"x":1}', { index: 0, id: 'b' })],
      [one('a', 'f', '{"x":1}'), one('b', 'f', '{"x":1}')],
    ],
    [
      'the same index for parallel calls without arguments',
      [named('f', '', { index: 0, id: 'a' }), named('f', '', { index: 0, id: 'b' })],
      [one('a', 'f', '{}'), one('b', 'f', '{}')],
    ],
    [
      'the same index and no ids',
      [named('f', '{"x":1}', { index: 0 }), named('g', '{"x":1}', { index: 0 }), named('g', '{"x":2}', { index: 0 })],
      [one(undefined, 'f', '{"x":1}'), one(undefined, 'g', '{"x":1}'), one(undefined, 'g', '{"x":2}')],
    ],
    [
      'the same id for two calls',
      [
        named('f', '{"x":', { index: 0, id: 'a' }),
        named('g', '', { index: 1, id: 'a' }),
        piece('{}', { index: 1, id: 'a' }),
        piece('1}', { index: 0, id: 'a' }),
      ],
      [one('a', 'f', '{"x":1}'), one('a', 'g', '{}')],
    ],
    [
      'a new id on each fragment',
      [
        named('f', '', { index: 0, id: 'a' }),
        piece('{"x"', { index: 0, id: 'b' }),
        piece(':1}', { index: 0, id: 'c' }),
      ],
      [one('a', 'f', '{"x":1}')],
    ],
    [
      'a new id on each fragment, and the name again',
      [
        named('f', '', { index: 0, id: 'a' }),
        named('f', '{"x"', { index: 0, id: 'b' }),
        named('f', ':1}', { index: 0, id: 'c' }),
      ],
      [one('a', 'f', '{"x":1}')],
    ],
    [
      'a new id on each fragment, and no index',
      [named('f', '', { id: 'a' }), piece('{"x"', { id: 'b' }), piece(':1}', { id: 'c' })],
      [one('a', 'f', '{"x":1}')],
    ],
    [
      'no ids at all',
      [named('f', '{"x":1}'), named('f', '{"x":1}')],
      [one(undefined, 'f', '{"x":1}'), one(undefined, 'f', '{"x":1}')],
    ],
    [
      'blank ids',
      [named('f', '{}', { index: 0, id: '' }), named('f', '{}', { index: 1, id: '' })],
      [one(undefined, 'f', '{}'), one(undefined, 'f', '{}')],
    ],
    [
      'an empty chunk before the call, and blank names after it',
      [
        named('', '', { index: 0, id: '' }),
        named('f', '', { index: 0, id: 'a' }),
        named('', '{"x":1}', { index: 0, id: '' }),
      ],
      [one('a', 'f', '{"x":1}')],
    ],
    [
      'the name after the id',
      [{ index: 0, id: 'a', function: {} }, named('f', '{}', { index: 0 })],
      [one('a', 'f', '{}')],
    ],
    [
      'empty arguments before the true ones',
      [named('f', '{}', { index: 0, id: 'a' }), piece('{"x":', { index: 0 }), piece('1}', { index: 0 })],
      [one('a', 'f', '{"x":1}')],
    ],
    [
      'the whole call again at its end',
      [
        named('f', '{"x"', { index: 0, id: 'a' }),
        piece(':1}', { index: 0 }),
        named('f', '{"x":1}', { index: 0, id: 'a' }),
      ],
      [one('a', 'f', '{"x":1}')],
    ],
    [
      'the whole call again, encoded twice',
      [named('f', '{"x":1}', { index: 0, id: 'a' }), named('f', JSON.stringify('{"x":1}'), { index: 0, id: 'a' })],
      [one('a', 'f', '{"x":1}')],
    ],
    [
      'arguments that are an object',
      [
        { id: 'a', function: { name: 'f', arguments: { x: [1] } } },
        { id: 'b', function: { name: 'f', arguments: null } },
      ],
      [one('a', 'f', '{"x":[1]}'), one('b', 'f', '{}')],
    ],
    [
      'arguments that end in a brace before their end',
      [named('f', '{"x":{}', { index: 0 }), piece(',"y":1}', { index: 0 })],
      [one(undefined, 'f', '{"x":{},"y":1}')],
    ],
    ['arguments that are no JSON', [named('f', '{"x":', { index: 0, id: 'a' })], [one('a', 'f', '{"x":')]],
    [
      'names with letters of all kinds',
      [named('__proto__', '{}', { id: 'toString' })],
      [one('toString', '__proto__', '{}')],
    ],
  ])('finds the calls in fragments with %s, together and apart', (_, fragments, expected) => {
    const found = ({ reply }: ReturnType<typeof decode>) =>
      reply?.parts.map((part) => part.type === 'call' && one(part.wireId, part.toolName, part.inputText))
    expect(found(decode(...fragments.map((fragment) => calls(fragment)), end()))).toEqual(expected)
    expect(found(decode(calls(...fragments), end('tool_calls')))).toEqual(expected)
  })

  it('keeps a call without a name, and does not make it', () => {
    const { reply } = decode(calls(piece('{}', { index: 0, id: 'a' })), chunk({ content: 'Hm.' }), end('tool_calls'))
    expect(reply).toMatchObject({ finish: 'stop', parts: [{ type: 'other', native: { id: 'a' } }, { type: 'text' }] })
  })

  it.each([
    ['stop', 'calls'],
    ['tool_calls', 'calls'],
    ['function_call', 'calls'],
    ['eos', 'calls'],
    ['something_new', 'calls'],
    ['content_filter', 'content-filter'],
    ['sensitive', 'content-filter'],
    ['length', 'length'],
    ['model_length', 'context'],
    ['model_context_window_exceeded', 'context'],
  ])('calls a reply with a call that ended with "%s" "%s"', (said, finish) => {
    expect(decode(calls(named('f', '{}', { id: 'a' })), chunk({ content: 'So.' }), end(said)).reply?.finish).toBe(
      finish,
    )
  })

  it.each([
    ['stop', 'stop'],
    ['tool_calls', 'stop'],
    ['end_turn', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content-filter'],
    ['something_new', 'other'],
    ['constructor', 'other'],
  ])('calls a reply without calls that ended with "%s" "%s"', (said, finish) => {
    expect(decode(chunk({ content: 'So.' }), end(said)).reply?.finish).toBe(finish)
  })

  it('leaves out the last call of a reply that grew too long, unless something came after it', () => {
    const [a, b] = [named('f', '{"x":1}', { index: 0, id: 'a' }), named('g', '{}', { index: 1, id: 'b' })]
    const idsOf = ({ reply }: ReturnType<typeof decode>) =>
      reply?.parts.flatMap((part) => (part.type === 'call' ? [part.wireId] : []))
    expect(idsOf(decode(calls(a), calls(b), end('length')))).toEqual(['a'])
    expect(idsOf(decode(calls(a, b), chunk({ content: 'And' }), end('length')))).toEqual(['a', 'b'])
    expect(idsOf(decode(calls(a, b), chunk({ content: 'And' }), end('content_filter')))).toEqual([])
    expect(idsOf(decode(chunk({ content: '\n' }), calls(a), calls(b), end('length')))).toEqual(['a'])
  })

  it('is not finished before the server said so', () => {
    expect(decode(chunk({ content: 'So.' })).reply).toBeUndefined()
    expect(decode().reply).toBeUndefined()
    expect(decode({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }).reply).toBeUndefined()
    const decoder = createChatDecoder()
    decoder.push(chunk({ content: 'So.' }, 'stop'))
    expect(decoder.reply()).toBeUndefined()
  })

  it('takes the usage after the last piece for the end where no reason is given', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1 }
    const azure = { choices: [], prompt_filter_results: [] }
    const filtered = { choices: [{ index: 0, content_filter_results: {}, finish_reason: null }] }
    expect(decode(azure, chunk({ content: 'So.' }), { choices: [], usage }).reply).toMatchObject({ finish: 'stop' })
    expect(decode(azure, chunk({ content: 'So.' }), filtered, azure).reply).toBeUndefined()
    expect(decode(chunk({ content: 'So.' }, null, { usage })).reply).toBeUndefined()
  })

  it.each<[string, JsonObject, ModelReply['usage']]>([
    [
      'cached and reasoning tokens',
      {
        prompt_tokens: 9,
        completion_tokens: 5,
        total_tokens: 14,
        prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 3 },
      },
      { input: 9, output: 5, cacheRead: 4, cacheWrite: 2, reasoning: 3 },
    ],
    [
      'reasoning beside the output',
      { prompt_tokens: 9, completion_tokens: 5, total_tokens: 17, completion_tokens_details: { reasoning_tokens: 3 } },
      { input: 9, output: 8, reasoning: 3 },
    ],
    [
      'what a cache hit',
      { prompt_tokens: 9, completion_tokens: 5, prompt_cache_hit_tokens: 8 },
      { input: 9, output: 5, cacheRead: 8 },
    ],
    ['nulls', { prompt_tokens: 9, completion_tokens: 5, prompt_tokens_details: null }, { input: 9, output: 5 }],
    ['nothing', {}, undefined],
    ['nonsense', { prompt_tokens: 'many', completion_tokens: -1 }, undefined],
  ])('counts usage with %s', (_, usage, expected) => {
    expect(decode(chunk({ content: 'So.' }, 'stop', { usage })).reply?.usage).toEqual(expected)
    expect(
      decode(chunk({ content: 'So.' }, 'stop', { x_groq: { usage } }), { choices: [], usage: null }).reply?.usage,
    ).toEqual(expected)
  })

  it('takes the last usage where each chunk has one', () => {
    const at = (completion_tokens: number) => ({ usage: { prompt_tokens: 2, completion_tokens } })
    const { reply } = decode(chunk({ content: 'a' }, null, at(1)), chunk({ content: 'b' }, 'stop', at(2)))
    expect(reply?.usage).toEqual({ input: 2, output: 2 })
  })

  it('keeps reasoning as the server told it, and says it once', () => {
    const details = (more: JsonObject) => [{ type: 'reasoning.text', index: 0, format: 'f', ...more }]
    const { reply, deltas } = decode(
      chunk({ reasoning: 'One', reasoning_details: details({ text: 'One', signature: '' }) }),
      chunk({ reasoning: ' two.', reasoning_details: details({ text: ' two.' }) }),
      chunk({ content: '', reasoning: null, reasoning_details: details({ signature: 'sig' }) }),
      chunk({ reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'x' }] }),
      chunk({ content: 'So.', reasoning_details: [] }, 'stop'),
    )
    const native = {
      reasoning: 'One two.',
      reasoning_details: [
        { type: 'reasoning.text', index: 0, format: 'f', text: 'One two.', signature: 'sig' },
        { type: 'reasoning.encrypted', index: 1, data: 'x' },
      ],
    }
    expect(reply?.parts).toEqual([
      { type: 'reasoning', text: 'One two.', native },
      { type: 'text', text: 'So.' },
    ])
    expect(deltas.map((delta) => delta.type === 'reasoning' && delta.text)).toEqual(['One', ' two.', false])
  })

  it('keeps the details of a whole answer as they are, and those of different items apart', () => {
    const detail = (id: string | null, text: string) => ({ type: 'reasoning.text', index: 0, id, text })
    const reasoning_details = [detail('a', 'One'), detail('a', ' two.')]
    const message = { role: 'assistant', content: 'So.', reasoning_details }
    expect(decode({ choices: [{ message }] }).reply?.parts[0]).toMatchObject({ native: { reasoning_details } })
    const pieces = [detail('a', 'One'), detail(null, ' two.'), detail('b', 'Three.')]
    const { reply } = decode(...pieces.map((one) => chunk({ reasoning_details: [one] })), end())
    const apart = [detail('a', 'One two.'), detail('b', 'Three.')]
    expect(reply?.parts).toEqual([{ type: 'reasoning', text: 'One two.Three.', native: { reasoning_details: apart } }])
  })

  it('reads content that is a list of parts, and keeps each', () => {
    const thinking = (text: string) => ({ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] })
    const reference = { type: 'reference', reference_ids: [1] }
    const { reply } = decode(
      chunk(thinking('Well')),
      chunk(thinking(', yes.')),
      chunk({ content: 'So ' }),
      chunk({ content: 'it is' }),
      chunk({ content: [reference, { type: 'text', text: '.' }, 'Bare', 7] }, 'stop'),
    )
    expect(reply?.parts).toEqual([
      {
        type: 'reasoning',
        text: 'Well, yes.',
        native: { type: 'thinking', thinking: [{ type: 'text', text: 'Well, yes.' }] },
      },
      { type: 'text', text: 'So it is' },
      { type: 'other', native: reference },
      { type: 'text', text: '.', native: { type: 'text', text: '.' } },
      { type: 'text', text: 'Bare' },
    ])
  })

  it('calls a refusal one, in a field or in a part', () => {
    const refused = { finish: 'refusal', parts: [{ type: 'refusal', text: 'No, not that.' }] }
    expect(
      decode(chunk({ content: null, refusal: 'No, ' }), chunk({ refusal: 'not that.' }), end()).reply,
    ).toMatchObject(refused)
    expect(decode(chunk({ content: [{ type: 'refusal', refusal: 'No, not that.' }] }, 'stop')).reply).toMatchObject(
      refused,
    )
  })

  it('keeps fields that it does not know, and leaves out those that say nothing', () => {
    const { reply } = decode(
      chunk({
        content: 'a',
        annotations: [{ url: 'u' }],
        audio: { data: '', expires_at: 0 },
        function_call: { name: '' },
      }),
      chunk(
        { content: 'b', annotations: [{ url: 'v' }], extra_content: { google: { thought_signature: 's' } } },
        'stop',
      ),
    )
    expect(reply?.parts).toEqual([
      { type: 'text', text: 'ab' },
      {
        type: 'other',
        native: {
          annotations: [{ url: 'u' }, { url: 'v' }],
          extra_content: { google: { thought_signature: 's' } },
        },
      },
    ])
  })

  it('reads only the first of several choices', () => {
    const other = { choices: [{ index: 1, delta: { content: 'Other' }, finish_reason: 'stop' }] }
    expect(decode(other, chunk({ content: 'So.' }), end(), other).reply?.parts).toEqual([{ type: 'text', text: 'So.' }])
  })

  it.each<[unknown, Partial<ReportedError['facts']>]>([
    [
      { error: { message: 'It broke.', type: 'server_error', code: 'overloaded' } },
      { type: 'server_error', code: 'overloaded', message: 'It broke.' },
    ],
    [
      { error: { code: 502, message: 'Provider returned error', metadata: { raw: 'upstream is down' } } },
      { status: 502, message: 'Provider returned error: upstream is down' },
    ],
    [
      { error: { code: '429', message: 'Slow down.' }, choices: [{ index: 0, delta: {}, finish_reason: 'error' }] },
      { status: 429 },
    ],
    [{ error: 'out of memory' }, { message: 'out of memory' }],
    [{ error: { message: { detail: ['x'] } } }, { message: '{"detail":["x"]}' }],
    [{ error: {} }, { message: 'it gave no reason' }],
    [
      { object: 'error', message: 'model is not loaded', type: 'NotFoundError', code: 404 },
      { status: 404, type: 'NotFoundError' },
    ],
    [{ choices: [{ error: { code: 503, message: 'Gone.' } }] }, { status: 503, message: 'Gone.' }],
    [chunk({}, 'insufficient_system_resource'), { type: 'server_error' }],
    [chunk({}, 'error'), { type: 'server_error' }],
  ])('reports the failure in %o', (event, facts) => {
    const failed = (): unknown => {
      try {
        return decode(chunk({ content: 'So' }), event)
      } catch (error) {
        return error instanceof ReportedError && error.facts
      }
    }
    expect(failed()).toMatchObject(facts)
  })

  it.each([undefined, null, 7, 'text', [], [{}]])('refuses the chunk %o', (event) => {
    expect(() => decode(event)).toThrow(HandrailError)
  })

  it.each<JsonObject>([
    {},
    { type: 'ping' },
    { choices: null },
    { choices: [null, 7] },
    { choices: [{}] },
    { choices: [{ delta: null }] },
    { choices: [{ delta: { content: 7, tool_calls: {}, reasoning: [] } }] },
    { choices: [{ delta: { tool_calls: [null, 'x', []] } }] },
    { choices: [{ delta: { content: [null, [], {}] } }] },
  ])('passes over the chunk %o', (event) => {
    expect(decode(event, chunk({ content: 'So.' }, 'stop')).reply).toMatchObject({ finish: 'stop' })
  })
})

it('Chunks of any shape come to a reply that can be stored, or to a failure that says what it is', () => {
  let state = 11
  const below = (n: number) => {
    state = (state * 1664525 + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
  const odd = (): Json =>
    [null, 0, -1, '', 'x', '{}', '}', true, [], {}, [null], [{}], { text: 'x' }, [{ type: 'thinking' }], { name: 'f' }][
      below(15)
    ]!
  const damage = (value: Json): Json => {
    if (below(12) === 0) return odd()
    if (Array.isArray(value)) return value.map((one: Json) => damage(one))
    if (!isJsonObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [below(30) === 0 ? 'error' : key, damage(one)]))
  }
  const details = [{ type: 'reasoning.text', index: 0, text: 'Hm' }]
  const valid = [
    chunk({ role: 'assistant', content: '<think>', reasoning: 'Hm', reasoning_details: details }),
    chunk({
      content: [
        { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
        { type: 'text', text: 'So' },
      ],
    }),
    calls(named('f', '{"a"', { index: 0, id: 'a' }), named('f', '', { id: 'b' })),
    calls(piece(':1}', { index: 0 })),
    chunk({ content: '<tool_call>{"name":"f","arguments":{}}</tool_call>', refusal: null }, 'stop'),
    { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
  ]
  const ends = new Map<string, number>()
  for (let i = 0; i < 5000; i++) {
    const decoder = createChatDecoder([{ name: 'f', description: '', input: {}, risk: 'read' }])
    let outcome = 'reply'
    try {
      for (const one of [...valid.map(damage), streamEnd])
        for (const delta of decoder.push(one)) expect(checkDelta(delta)).toEqual(delta)
      const reply = decoder.reply()
      if (reply) checkReply(reply)
      else outcome = 'cut'
    } catch (error) {
      if (!(error instanceof ReportedError) && !HandrailError.is(error)) throw error
      outcome = error instanceof ReportedError ? 'reported' : error.code
    }
    ends.set(outcome, (ends.get(outcome) ?? 0) + 1)
  }
  expect([...ends.keys()].toSorted()).toEqual(['cut', 'model_bad_reply', 'reply', 'reported'])
  expect(ends.get('reply')).toBeGreaterThan(1000)
})
