import { describe, expect, it } from 'vitest'
import type { Part } from '../../src/core/events.js'
import type { JsonObject } from '../../src/core/json.js'
import type { KeyedCall, Message, Origin } from '../../src/core/transcript.js'
import { chatCapabilities } from '../../src/models/chat/capabilities.js'
import { encodeChat } from '../../src/models/chat/encode.js'
import type { ModelConfig } from '../../src/models/model.js'
import { answers, asks, call, find, news, partOf, request, user } from './conversation-parts.js'

const config = (more: Partial<ModelConfig> = {}): ModelConfig => ({
  provider: 'openai-compatible',
  model: 'm-1',
  baseURL: 'https://server.example/v1',
  ...more,
})
const deepSeek = config({ baseURL: 'https://api.deepseek.com', model: 'deepseek-v4-pro' })
const mistral = config({ baseURL: 'https://api.mistral.ai/v1', model: 'mistral-large-latest' })
const openRouter = config({ baseURL: 'https://openrouter.ai/api/v1', model: 'x/y' })

/** The messages after the instructions. */
const sent = (at: ModelConfig, ...messages: Message[]) =>
  JSON.parse(JSON.stringify(encodeChat(request(messages), at).messages.slice(1))) as JsonObject[]

const wired = (id: string, text: string, name = 'find') => ({
  id,
  type: 'function',
  function: { name, arguments: text },
})

describe('encodeChat()', () => {
  it('asks for a stream with usage, and for nothing that a server may not know', () => {
    expect(encodeChat(request([user('Hi')]), config({ maxOutputTokens: 99 }))).toEqual({
      model: 'm-1',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      tools: [{ type: 'function', function: { name: 'find', description: 'Finds.', parameters: find.input } }],
      max_tokens: 99,
    })
  })

  it('leaves out what there is none of', () => {
    expect(encodeChat(request([user('Hi')], { instructions: ' ', tools: [] }), config())).toEqual({
      model: 'm-1',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'Hi' }],
    })
  })

  it('sends a cache key of at most 64 characters, and another limit, to OpenAI only', () => {
    const body = encodeChat(
      request([], { cacheKey: `${'owner'.repeat(20)}:session-1` }),
      config({ baseURL: 'https://api.openai.com/v1', maxOutputTokens: 9 }),
    )
    expect(body).toMatchObject({
      max_completion_tokens: 9,
      prompt_cache_key: expect.stringMatching(/^.{54}:session-1$/) as string,
    })
    expect(body).not.toHaveProperty('max_tokens')
  })

  it('makes the root of a schema an object with properties', () => {
    const input: JsonObject = {
      anyOf: [
        { type: 'object', properties: { a: {} } },
        { type: 'object', properties: { b: {} } },
      ],
    }
    const tools = [
      { ...find, input },
      { ...find, input: { type: 'object' } },
    ]
    expect(encodeChat(request([], { tools }), config()).tools).toMatchObject([
      { function: { parameters: { type: 'object', properties: { a: {}, b: {} } } } },
      { function: { parameters: { type: 'object', properties: {} } } },
    ])
  })

  it('sends a message of the model as one, with its calls, and each result right after it, in their order', () => {
    const parts: Part[] = [
      { type: 'text', text: 'I look.' },
      partOf(call(0)),
      { type: 'refusal', text: 'Not there.' },
      partOf(call(1)),
    ]
    expect(
      sent(
        config(),
        user('Hi'),
        asks(config(), parts, call(0), call(1)),
        answers(call(1), 'one'),
        answers(call(0), 'zero'),
      ),
    ).toEqual([
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: 'I look.\n\nNot there.',
        tool_calls: [wired('id_0', '{"a": 0}'), wired('id_1', '{"a": 1}')],
      },
      { role: 'tool', tool_call_id: 'id_0', content: 'zero' },
      { role: 'tool', tool_call_id: 'id_1', content: 'one' },
    ])
  })

  it('says null where a message has only calls', () => {
    const [, message] = sent(
      config(),
      user('Hi'),
      asks(config(), [{ type: 'text', text: ' \n' }], call(0)),
      answers(call(0)),
    )
    expect(message).toEqual({ role: 'assistant', content: null, tool_calls: [wired('id_0', '{"a": 0}')] })
  })

  it.each<[string, Partial<KeyedCall>, string]>([
    ['as the model wrote it', { inputText: '{ "a" :1}' }, '{ "a" :1}'],
    ['that a person changed', { inputText: undefined, input: { a: 7 } }, '{"a":7}'],
    ['that is no JSON', { inputText: '{"a', input: undefined }, '{"INVALID_JSON":"{\\"a"}'],
    ['that is no object', { inputText: '[1]', input: [1] }, '{"INVALID_JSON":"[1]"}'],
    ['that is nothing', { inputText: undefined, input: undefined }, '{"INVALID_JSON":"null"}'],
  ])('sends argument text %s as the text of an object', (_, more, text) => {
    const one = call(0, more)
    const [, message] = sent(config(), user('Hi'), asks(config(), [partOf(one)], one), answers(one))
    expect(message?.tool_calls).toEqual([wired('id_0', text)])
  })

  it('gives each call an id where the server gave none, a blank one or one that is taken, and its result the same', () => {
    const calls = [
      call(0, { wireId: undefined }),
      call(1, { wireId: '' }),
      call(2, { wireId: 'same' }),
      call(3, { wireId: 'same' }),
    ]
    const [, message, ...results] = sent(
      config(),
      user('Hi'),
      asks(config(), [], ...calls),
      ...calls.map((one) => answers(one)),
    )
    const ids = (message!.tool_calls as JsonObject[]).map(({ id }) => id)
    expect(ids).toEqual(['call_1_1_0', 'call_1_1_1', 'same', 'call_1_1_3'])
    expect(results.map((result) => result.tool_call_id)).toEqual(ids)
  })

  it('gives Mistral ids of nine letters and digits, the same each time', () => {
    const calls = [call(0, { wireId: 'gSIMJiOkT' }), call(1, { wireId: 'call_123' }), call(2, { wireId: undefined })]
    const history = [user('Hi'), asks(mistral, [], ...calls), ...calls.map((one) => answers(one))]
    const [, message, ...results] = sent(mistral, ...history)
    const ids = (message!.tool_calls as JsonObject[]).map(({ id }) => id)
    expect(ids).toEqual(['gSIMJiOkT', expect.stringMatching(/^[a-z0-9]{9}$/), expect.stringMatching(/^[a-z0-9]{9}$/)])
    expect(new Set(ids).size).toBe(3)
    expect(results.map((result) => result.tool_call_id)).toEqual(ids)
    expect(sent(mistral, ...history, user('And?'))[1]).toEqual(message)
  })

  it('sends names that any server takes', () => {
    const one = call(0, { toolName: 'functions.find it' })
    const [, message] = sent(config(), user('Hi'), asks(config(), [partOf(one)], one), answers(one))
    expect(message?.tool_calls).toEqual([wired('id_0', '{"a": 0}', 'functions_find_it')])
  })

  it('sends what the user says in several messages, and news, as one', () => {
    expect(sent(config(), user('Hi'), news, user(' '))).toEqual([
      { role: 'user', content: 'Hi\n\nIt took effect.\n\n(no text)' },
    ])
  })

  it('never sends two turns of the model after each other, nor one as the last, nor a blank one', () => {
    const says = (text: string): Message => asks(config(), [{ type: 'text', text }])
    expect(
      sent(config(), user('Hi'), says('One.'), says(' '), says('Two.')).map(({ role, content }) => [role, content]),
    ).toEqual([
      ['user', 'Hi'],
      ['assistant', 'One.'],
      ['user', 'Go on.'],
      ['assistant', 'Two.'],
      ['user', 'Go on.'],
    ])
  })

  it('puts a word of the model between a result and the user for Mistral, and for nobody else', () => {
    const history = [user('Hi'), asks(mistral, [], call(0)), answers(call(0), ''), user('And?')]
    const roles = (at: ModelConfig) => sent(at, ...history).map(({ role }) => role)
    expect(roles(mistral)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
    expect(roles(config())).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(sent(mistral, ...history)[2]).toMatchObject({ role: 'tool', content: '(no text)' })
  })

  const thoughts = (native: JsonObject): Part => ({ type: 'reasoning', text: 'Hm', native })
  const asked = (at: ModelConfig, origin: Origin, native: JsonObject) =>
    sent(at, user('Hi'), asks(origin, [thoughts(native), partOf(call(0))], call(0)), answers(call(0)))[1]!

  it('gives a server its reasoning back in the field that it takes, and drops what it may not know', () => {
    const details = [{ type: 'reasoning.text', text: 'Hm', signature: 's' }]
    const all = { reasoning: 'Hm', reasoning_content: 'Hm', reasoning_details: details, annotations: [1] }
    const fieldsFor = (at: ModelConfig, native: JsonObject) => {
      const { role: _, content: __, tool_calls: ___, ...fields } = asked(at, at, native)
      return fields
    }
    expect(fieldsFor(deepSeek, all)).toEqual({ reasoning_content: 'Hm' })
    expect(fieldsFor(openRouter, all)).toEqual({ reasoning_details: details })
    expect(fieldsFor(openRouter, { reasoning: 'Hm' })).toEqual({ reasoning: 'Hm' })
    expect(fieldsFor(config({ baseURL: 'http://localhost:11434/v1' }), { reasoning: 'Hm' })).toEqual({
      reasoning: 'Hm',
    })
    expect(fieldsFor(config({ baseURL: 'https://api.groq.com/openai/v1' }), all)).toEqual({})
    expect(fieldsFor(config(), all)).toEqual({})
  })

  it('drops the reasoning of another model, and says so where the field is demanded', () => {
    const other = { provider: 'openai-compatible', model: 'other' }
    expect(asked(openRouter, other, { reasoning: 'Hm' })).not.toHaveProperty('reasoning')
    expect(asked(deepSeek, other, { reasoning_content: 'Hm' })).toMatchObject({ reasoning_content: '' })
    const anthropic = { provider: 'anthropic', model: 'claude-opus-5-5' }
    expect(asked(deepSeek, anthropic, { type: 'thinking', thinking: 'Hm', signature: 's' })).toMatchObject({
      content: null,
      reasoning_content: '',
    })
  })

  it('gives back content that came as a list in a list, with its thinking', () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }
    const reference = { type: 'reference', reference_ids: [1] }
    const parts: Part[] = [
      thoughts(thinking),
      { type: 'text', text: 'So.' },
      { type: 'other', native: reference },
      { type: 'text', text: '', native: { type: 'text', text: '' } },
    ]
    const [, own] = sent(mistral, user('Hi'), asks(mistral, parts), user('And?'))
    expect(own).toEqual({ role: 'assistant', content: [thinking, { type: 'text', text: 'So.' }, reference] })
    const [, foreign] = sent(mistral, user('Hi'), asks(deepSeek, parts), user('And?'))
    expect(foreign).toEqual({ role: 'assistant', content: 'So.' })
  })

  it('gives back what a server hung on a call, such as a signature, and nothing else of it', () => {
    const extra_content = { google: { thought_signature: 's' } }
    const native = {
      index: 0,
      id: 'id_0',
      type: 'function',
      function: { name: 'find', arguments: '{}' },
      custom: {},
      extra_content,
    }
    const message = (origin: Origin) =>
      sent(config(), user('Hi'), asks(origin, [partOf(call(0), native)], call(0)), answers(call(0)))[1]!
    expect(message(config()).tool_calls).toEqual([{ ...wired('id_0', '{"a": 0}'), extra_content }])
    expect(message(deepSeek).tool_calls).toEqual([wired('id_0', '{"a": 0}')])
  })

  it('sends a call that was written into the text as a call, and the text without it', () => {
    const part = partOf(call(0, { wireId: undefined }), { written: '<tool_call>…</tool_call>' })
    const one = call(0, { wireId: undefined })
    const [, message] = sent(
      config(),
      user('Hi'),
      asks(config(), [{ type: 'text', text: 'I look.' }, part], one),
      answers(one),
    )
    expect(message).toEqual({ role: 'assistant', content: 'I look.', tool_calls: [wired('call_1_1_0', '{"a": 0}')] })
  })
})

describe('chatCapabilities()', () => {
  it('knows a server by its address, and behind a proxy by the path or the name of the model', () => {
    const can = (baseURL: string, model = 'm-1') => chatCapabilities(config({ baseURL, model }))
    expect(can('/api/openrouter')).toEqual(can('https://openrouter.ai/api/v1'))
    const shape = (baseURL: string, model?: string) => {
      const { returned, demanded, streamOptions, shortIds, userAfterResult } = can(baseURL, model)
      return { returned, demanded, streamOptions, shortIds, userAfterResult }
    }
    expect(shape('/api/model', 'deepseek-chat')).toEqual(shape('https://api.deepseek.com'))
    expect(shape('/api/model', 'mistral-large-latest')).toEqual(shape('https://api.mistral.ai/v1'))
    expect(shape('/api/model', 'kimi-k3')).toEqual(shape('https://api.moonshot.ai/v1'))
    expect(can('https://openrouter.ai/api/v1', 'deepseek/deepseek-chat').demanded).toBeUndefined()
    expect(can('http://127.0.0.1:8000/v1', 'mistralai/Mistral-Small-4')).toMatchObject({
      streamOptions: true,
      shortIds: true,
    })
  })

  it('takes only what is as old as the API for granted of a server that it does not know', () => {
    expect(chatCapabilities({ provider: 'p', model: 'm' })).toEqual({
      limit: 'max_tokens',
      streamOptions: true,
      cacheKey: false,
      cacheMarks: false,
      returned: [],
      shortIds: false,
      userAfterResult: true,
      lateInstructions: false,
      required: 'required',
      chosen: 'one',
      parallel: false,
      strict: false,
      textTools: false,
      sampling: 'always',
      topK: false,
      stop: true,
      serviceTier: false,
      answer: 'never',
      images: 'any',
      audio: false,
      video: false,
    })
    expect(chatCapabilities(config({ baseURL: 'https://not-openai.example/openai/v1' })).limit).toBe('max_tokens')
  })
})
