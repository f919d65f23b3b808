import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import type { KeyedCall, Message } from '../../src/core/transcript.js'
import { createChatDecoder, streamEnd } from '../../src/models/chat/decode.js'
import { toChatRequest } from '../../src/models/chat/encode.js'
import type { ModelConfig, ModelRequest } from '../../src/models/model.js'
import { plain } from './chat-canonical.js'

const at = (baseURL: string, model: string, more: Partial<ModelConfig> = {}): ModelConfig => ({
  provider: 'openai-compatible',
  model,
  baseURL,
  ...more,
})
const openAI = (model: string, more?: Partial<ModelConfig>) => at('https://api.openai.com/v1', model, more)
const mistral = (more?: Partial<ModelConfig>) => at('https://api.mistral.ai/v1', 'mistral-large-latest', more)
const openRouter = (more?: Partial<ModelConfig>) => at('https://openrouter.ai/api/v1', 'x/y', more)
const local = (more?: Partial<ModelConfig>) => at('http://localhost:8000/v1', 'm-1', more)
const ollama = (more?: Partial<ModelConfig>) => at('http://localhost:11434/v1', 'qwen3', more)
const unknown = (more?: Partial<ModelConfig>) => at('https://llm.example/v1', 'm-1', more)

const find: ToolDefinition = {
  name: 'find',
  description: 'Finds.',
  input: { type: 'object', properties: {}, additionalProperties: false },
  risk: 'read',
}
const query: ToolDefinition = {
  name: 'query',
  description: 'Asks.',
  input: { type: 'string' },
  grammar: { syntax: 'regex', definition: '[a-z]+' },
  risk: 'read',
}
const user: Message = { role: 'user', text: 'Hi' }
const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  instructions: '',
  tools: [find, query],
  messages: [user],
  cacheKey: 'session-1',
  ...more,
})
const bodyOf = (config: ModelConfig, more?: Partial<ModelRequest>) => plain(toChatRequest(request(more), config).body)
const remarksOf = (config: ModelConfig, more?: Partial<ModelRequest>) => toChatRequest(request(more), config).remarks
const messagesOf = (config: ModelConfig, ...messages: Message[]) => bodyOf(config, { messages }).messages
const ignored = (setting: string, value: Json) => ({ code: 'setting_ignored', detail: { setting, value } })

describe('Settings of a server of Chat Completions', () => {
  it('are sent under the names that the server has for them', () => {
    const sampled = { temperature: 0.5, topP: 0.9, topK: 5, seed: 7, stop: ['END'], effort: 'low' } as const
    expect(bodyOf(openRouter(sampled))).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      seed: 7,
      stop: ['END'],
      reasoning: { effort: 'low' },
    })
    expect(bodyOf(mistral({ seed: 7 }))).toMatchObject({ random_seed: 7 })
    expect(bodyOf(openAI('gpt-5.4', { effort: 'low', serviceTier: 'flex', maxOutputTokens: 9 }))).toMatchObject({
      reasoning_effort: 'low',
      service_tier: 'flex',
      max_completion_tokens: 9,
    })
  })

  it('that the server is not known to take are left out, and told', () => {
    const config = unknown({
      effort: 'high',
      topK: 5,
      seed: 7,
      serviceTier: 'flex',
      parallelCalls: false,
      cache: 'long',
    })
    expect(Object.keys(bodyOf(config))).toEqual(['model', 'messages', 'stream', 'stream_options', 'tools'])
    expect(remarksOf(config)).toEqual([
      ignored('effort', 'high'),
      ignored('topK', 5),
      ignored('seed', 7),
      ignored('serviceTier', 'flex'),
      ignored('parallelCalls', false),
      ignored('cache', 'long'),
    ])
  })

  it('leave nothing to tell when there are none', () => {
    expect(remarksOf(unknown())).toEqual([])
    expect(remarksOf(unknown({ stored: false, programs: false, toolSearch: false, cache: 'short' }))).toEqual([])
  })

  it.each([
    ['gpt-4.1', undefined, true],
    ['gpt-5.4', 'none', true],
    ['gpt-5.4', undefined, false],
    ['gpt-5', 'minimal', false],
    ['gpt-6-astra', 'low', false],
    ['o3', undefined, false],
  ] as const)('sampling of %s with effort %s is sent: %s', (model, effort, isSent) => {
    const config = openAI(model, { temperature: 0.5, ...(effort && { effort }) })
    expect('temperature' in bodyOf(config)).toBe(isSent)
    expect(remarksOf(config)).toEqual(isSent ? [] : [ignored('temperature', 0.5)])
  })

  it('that say something of calls are sent only where there are tools', () => {
    const config = openAI('gpt-4.1', { parallelCalls: false })
    expect(bodyOf(config)).toMatchObject({ parallel_tool_calls: false })
    expect(bodyOf(config, { tools: [], toolChoice: { mode: 'required' } })).not.toHaveProperty('parallel_tool_calls')
    expect(bodyOf(config, { tools: [], toolChoice: { mode: 'required' } })).not.toHaveProperty('tool_choice')
  })

  it('without an option are taken from extra, into what is there', () => {
    const extra = { reasoning: { exclude: true }, provider: { order: ['x'] }, response_format: { type: 'json_object' } }
    expect(bodyOf(openRouter({ effort: 'low', extra }))).toMatchObject({
      reasoning: { effort: 'low', exclude: true },
      provider: { order: ['x'] },
      response_format: { type: 'json_object' },
    })
    for (const taken of ['messages', 'tools', 'tool_choice', 'model', 'stream', 'n'])
      expect(() => bodyOf(openRouter({ extra: { [taken]: 1 } }))).toThrow(`"extra" may not have "${taken}"`)
  })

  it('cache off sends no key', () => {
    expect(bodyOf(openAI('gpt-4.1'))).toMatchObject({ prompt_cache_key: 'session-1' })
    expect(bodyOf(openAI('gpt-4.1', { cache: 'off' }))).not.toHaveProperty('prompt_cache_key')
  })
})

describe('Claude at OpenRouter', () => {
  const claude = (cache?: ModelConfig['cache']) =>
    at('https://openrouter.ai/api/v1', 'anthropic/claude-opus-5.5', cache && { cache })
  const text = (said: string, cache_control?: JsonObject) => [
    { type: 'text', text: said, ...(cache_control && { cache_control }) },
  ]
  it('is told with marks what to cache: instructions with the tools, and all there is', () => {
    const messages: Message[] = [user, { role: 'assistant', parts: [], calls: [], origin: claude() }, user]
    const sent = (cache?: ModelConfig['cache']) =>
      bodyOf(claude(cache), { instructions: 'Be brief.', messages }).messages
    const mark = { type: 'ephemeral' }
    expect(sent()).toEqual([
      { role: 'system', content: text('Be brief.', mark) },
      { role: 'user', content: text('Hi\n\nHi', mark) },
    ])
    expect(JSON.stringify(sent('long'))).toContain('"ttl":"1h"')
    expect(JSON.stringify(sent('off'))).not.toContain('cache_control')
    expect(remarksOf(claude('long'))).toEqual([])
  })
})

describe('The tool choice', () => {
  const named = (name: string, type = 'function') => ({ type, [type]: { name } })
  const allowed = (mode: string, ...tools: object[]) => ({ type: 'allowed_tools', allowed_tools: { mode, tools } })
  it.each<[string, ModelConfig, ModelRequest['toolChoice'], unknown, boolean]>([
    ['none', openAI('gpt-4.1'), { mode: 'none' }, 'none', false],
    ['required', openAI('gpt-4.1'), { mode: 'required' }, 'required', false],
    ['required, in the word of Mistral', mistral(), { mode: 'required' }, 'any', false],
    ['one tool', local(), { mode: 'required', tools: ['find'] }, named('find'), false],
    ['one text tool', openAI('gpt-5.4'), { mode: 'required', tools: ['query'] }, named('query', 'custom'), false],
    ['one text tool that is a function', local(), { mode: 'required', tools: ['query'] }, named('query'), false],
    [
      'some tools',
      openAI('gpt-5.4'),
      { mode: 'required', tools: ['query', 'find'] },
      allowed('required', named('query', 'custom'), named('find')),
      false,
    ],
    ['some tools elsewhere', local(), { mode: 'required', tools: ['query', 'find'] }, 'required', true],
    ['allowed tools', openAI('gpt-4.1'), { mode: 'auto', tools: ['find'] }, allowed('auto', named('find')), false],
    ['allowed tools elsewhere, which the gate sees to', local(), { mode: 'auto', tools: ['find'] }, undefined, false],
    ['no allowed tool', openAI('gpt-4.1'), { mode: 'auto', tools: ['gone'] }, 'none', false],
    ['a tool that is not told of', openAI('gpt-4.1'), { mode: 'required', tools: ['gone'] }, undefined, true],
    ['required where there is no choice', ollama(), { mode: 'required' }, undefined, true],
    ['none where there is no choice', ollama(), { mode: 'none' }, undefined, true],
    ['auto where there is no choice', ollama(), { mode: 'auto', tools: ['find'] }, undefined, false],
  ])('says %s', (_, config, toolChoice, expected, isEmulated) => {
    expect(bodyOf(config, { toolChoice }).tool_choice).toEqual(expected)
    const emulated = { code: 'tool_choice_emulated', detail: toolChoice }
    expect(remarksOf(config, { toolChoice })).toEqual(isEmulated ? [emulated] : [])
  })
})

describe('An answer by a schema', () => {
  const answer = { name: 'city', description: 'A city.', schema: { type: 'object' }, strict: true }
  const format = { type: 'json_schema', json_schema: answer }
  it('is asked for where the server takes it beside tools, and elsewhere where there are none', () => {
    expect(bodyOf(openAI('gpt-4.1'), { answer }).response_format).toEqual(format)
    expect(bodyOf(local(), { answer })).not.toHaveProperty('response_format')
    expect(bodyOf(local(), { answer, tools: [] }).response_format).toEqual(format)
    expect(bodyOf(unknown(), { answer, tools: [] })).not.toHaveProperty('response_format')
  })
})

describe('Tools', () => {
  it('that take a text are told as such to OpenAI, and elsewhere as a function', () => {
    const custom = { name: 'query', description: 'Asks.', format: { type: 'grammar', grammar: { ...query.grammar } } }
    expect(bodyOf(openAI('gpt-5.4')).tools).toContainEqual({ type: 'custom', custom })
    const [, told] = bodyOf(local()).tools as JsonObject[]
    expect(told).toMatchObject({
      type: 'function',
      function: { name: 'query', parameters: { required: ['input'], properties: { input: { type: 'string' } } } },
    })
    expect(JSON.stringify(told)).toContain('[a-z]+')
  })

  it('are held to their schemas where the server can, and that it cannot is told', () => {
    const tools = [{ ...find, strict: true }, query]
    expect(bodyOf(openAI('gpt-4.1'), { tools }).tools).toMatchObject([{ function: { strict: true } }, {}])
    expect(JSON.stringify(bodyOf(unknown(), { tools }).tools)).not.toContain('strict')
    expect(remarksOf(unknown(), { tools })).toEqual([ignored('strict', ['find'])])
    expect(remarksOf(unknown(), { tools: [{ ...find, strict: false }] })).toEqual([])
  })

  it('that are deferred are left to scripts, and told in full where there are none', () => {
    const tools = [find, { ...find, name: 'late', deferred: true }]
    const script = { ...find, name: 'run_script' }
    const names = (some: ToolDefinition[]) =>
      (bodyOf(local(), { tools: some }).tools as { function: { name: string } }[]).map((one) => one.function.name)
    expect(names(tools)).toEqual(['find', 'late'])
    expect(names([...tools, script])).toEqual(['find', 'run_script'])
  })

  it('that only a program may call are not told, as no server here has any', () => {
    const tools = [find, { ...find, name: 'inner', callers: ['program'] as const }]
    expect(bodyOf(openAI('gpt-5.4', { programs: true }), { tools }).tools).toHaveLength(1)
    expect(remarksOf(openAI('gpt-5.4', { programs: true }), { tools })).toEqual([ignored('programs', true)])
  })

  it('of the server are sent as they are, and none that is to be asked about', () => {
    const tool = { type: 'openrouter:web_search', parameters: { max_uses: 1 } }
    expect(bodyOf(openRouter({ hostedTools: [{ tool, risk: 'read' }] }), { tools: [] }).tools).toEqual([tool])
    expect(() => bodyOf(openRouter({ hostedTools: [{ tool, risk: 'ask' }] }))).toThrow('must have the risk "read"')
  })
})

describe('The call of a text tool', () => {
  const call = (inputText: string): KeyedCall => ({
    key: '1.1.0',
    callId: '1.0',
    toolName: 'query',
    input: 'abc',
    inputText,
    wireId: 'a',
    caller: 'model',
  })
  const history = (inputText: string): Message[] => [
    user,
    { role: 'assistant', parts: [], calls: [call(inputText)], origin: { provider: 'p', model: 'm' } },
    { role: 'tool', call: call(inputText), trusted: true, outcome: 'ok', text: 'done' },
  ]
  const sent = (config: ModelConfig, inputText: string) =>
    ((messagesOf(config, ...history(inputText)) as JsonObject[])[1]!.tool_calls as JsonObject[])[0]

  it.each(['abc', '{"input": "abc"}'])('goes back as the server has it, whichever way it came: %s', (inputText) => {
    expect(sent(openAI('gpt-5.4'), inputText)).toEqual({
      id: 'a',
      type: 'custom',
      custom: { name: 'query', input: 'abc' },
    })
    const text = inputText === 'abc' ? '{"input":"abc"}' : inputText
    expect(sent(local(), inputText)).toEqual({
      id: 'a',
      type: 'function',
      function: { name: 'query', arguments: text },
    })
  })

  it('is read as text, whole or in pieces, though it may look like JSON', () => {
    const reply = (...deltas: JsonObject[]) => {
      const decoder = createChatDecoder([query])
      for (const delta of deltas) decoder.push({ choices: [{ delta }] })
      decoder.push({ choices: [{ delta: {}, finish_reason: 'tool_calls' }] })
      decoder.push(streamEnd)
      return decoder.reply()!
    }
    const piece = (index: number, custom: JsonObject, more: JsonObject = {}) => ({
      tool_calls: [{ index, ...more, custom }],
    })
    const { parts, finish } = reply(
      piece(0, { name: 'query', input: '{}' }, { id: 'a', type: 'custom' }),
      piece(0, { input: '{}' }),
      piece(1, { name: 'query', input: '' }, { id: 'b', type: 'custom' }),
      piece(1, { input: ' SELECT' }),
    )
    const native = (id: string, input: string) => ({ id, type: 'custom', custom: { name: 'query', input } })
    expect(finish).toBe('calls')
    expect(parts).toEqual([
      { type: 'call', toolName: 'query', inputText: '{}{}', isText: true, wireId: 'a', native: native('a', '{}{}') },
      {
        type: 'call',
        toolName: 'query',
        inputText: ' SELECT',
        isText: true,
        wireId: 'b',
        native: native('b', ' SELECT'),
      },
    ])
  })

  it('is found in the text of a model whose server knows none, as an object', () => {
    const decoder = createChatDecoder([query])
    const content = '<tool_call><function=query><parameter=input>\n12\n</parameter></function></tool_call>'
    decoder.push({ choices: [{ message: { content }, finish_reason: 'stop' }] })
    decoder.push(streamEnd)
    expect(decoder.reply()!.parts).toMatchObject([{ type: 'call', toolName: 'query', inputText: '{"input":"12"}' }])
  })
})

describe('Files', () => {
  const png = { mediaType: 'image/png', data: 'AAAA' } as const
  const webp = { mediaType: 'image/webp', url: 'https://files.test/a.webp' } as const
  const pdf = { mediaType: 'application/pdf', name: 'a.pdf', data: 'AAAA' } as const
  const wav = { mediaType: 'audio/wav', data: 'AAAA' } as const
  const zip = { mediaType: 'application/zip', data: 'AAAA' } as const
  const text = (said: string) => ({ type: 'text', text: said })
  const image = (url: string) => ({ type: 'image_url', image_url: { url } })
  const spoken = (config: ModelConfig, ...files: NonNullable<(Message & { role: 'user' })['files']>) =>
    (messagesOf(config, { role: 'user', text: 'Look', files }) as JsonObject[])[0]!.content

  it('of the user go out as the server takes them, else as a note', () => {
    const pdfURL = 'data:application/pdf;base64,AAAA'
    expect(spoken(openAI('gpt-4.1'), png, webp, pdf, wav, zip)).toEqual([
      text('Look'),
      image('data:image/png;base64,AAAA'),
      image(webp.url),
      { type: 'file', file: { filename: 'a.pdf', file_data: pdfURL } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      text('[file: application/zip, 3 bytes]'),
    ])
    const kept = { mediaType: 'application/pdf', id: 'file-1', provider: 'openai' } as const
    expect(spoken(openAI('gpt-4.1'), kept)).toEqual([text('Look'), { type: 'file', file: { file_id: 'file-1' } }])
    expect(spoken(local(), kept)).toBe('Look\n\n[file: application/pdf, file-1 of openai]')
    expect(spoken(mistral(), pdf)).toEqual([text('Look'), { type: 'document_url', document_url: pdfURL }])
    expect(spoken(ollama(), png, webp)).toEqual([
      text('Look'),
      image('data:image/png;base64,AAAA'),
      text(`[file: image/webp, ${webp.url}]`),
    ])
    expect(spoken(at('https://api.deepseek.com', 'deepseek-v4'), png)).toBe('Look\n\n[file: image/png, 3 bytes]')
  })

  it('alone are said without a text', () => {
    expect(messagesOf(openAI('gpt-4.1'), { role: 'user', text: ' ', files: [png] })).toEqual([
      { role: 'user', content: [image('data:image/png;base64,AAAA')] },
    ])
  })

  it('of results come after all of them, from the user', () => {
    const calls = [0, 1].map((n): KeyedCall => {
      return { key: `1.1.${n}`, callId: `1.${n}`, toolName: 'find', input: {}, wireId: `aB3dE6gH${n}`, caller: 'model' }
    })
    const history: Message[] = [
      user,
      { role: 'assistant', parts: [], calls, origin: { provider: 'p', model: 'm' } },
      { role: 'tool', call: calls[0]!, trusted: true, outcome: 'ok', text: 'one', files: [png, zip] },
      { role: 'tool', call: calls[1]!, trusted: true, outcome: 'ok', text: 'two' },
      { role: 'note', text: 'Go on.' },
    ]
    const results = [
      { role: 'tool', tool_call_id: 'aB3dE6gH0', content: 'one' },
      { role: 'tool', tool_call_id: 'aB3dE6gH1', content: 'two' },
    ]
    const content = [text('From the result of find:'), image('data:image/png;base64,AAAA'), text('Go on.')]
    expect((messagesOf(local(), ...history) as JsonObject[]).slice(2)).toEqual([...results, { role: 'user', content }])
    expect((messagesOf(mistral(), ...history) as JsonObject[]).slice(2)).toEqual([
      ...results,
      { role: 'assistant', content: 'OK.' },
      { role: 'user', content },
    ])
  })
})

describe('Instructions in the middle', () => {
  const late: Message = { role: 'instructions', text: 'Be brief.' }
  it('are a system message where the server takes one, else said by the user', () => {
    expect(messagesOf(openAI('gpt-4.1'), user, late)).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'system', content: 'Be brief.' },
    ])
    expect(messagesOf(local(), user, late)).toEqual([{ role: 'user', content: 'Hi\n\nBe brief.' }])
  })
})

describe('Remarks of a reply', () => {
  it('are those on the request, and events that nobody knows, at most twenty', () => {
    const first = ignored('topK', 5)
    const decoder = createChatDecoder([], [first])
    decoder.push({ choices: [], prompt_filter_results: [] })
    for (let i = 0; i < 30; i++) decoder.push({ object: 'new.thing', i })
    decoder.push({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] })
    decoder.push({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })
    decoder.push(streamEnd)
    const { remarks = [] } = decoder.reply()!
    expect(remarks).toHaveLength(21)
    expect(remarks.slice(0, 2)).toEqual([first, { code: 'unknown_event', detail: { object: 'new.thing', i: 0 } }])
  })
})
