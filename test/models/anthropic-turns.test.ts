import { describe, expect, it } from 'vitest'
import type { AttachedFile } from '../../src/core/attached-file.js'
import type { Part } from '../../src/core/events.js'
import type { JsonObject } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import type { KeyedCall, Message, Origin } from '../../src/core/transcript.js'
import { encodeAnthropicWith } from '../../src/models/anthropic/encode.js'
import { firstWay, type Way } from '../../src/models/anthropic/way.js'
import type { ModelConfig } from '../../src/models/model.js'

const claude: ModelConfig = { provider: 'anthropic', model: 'claude-opus-5', cache: 'off', programs: true }
const gpt: Origin = { provider: 'openai', model: 'gpt-6' }
const rate: ToolDefinition = { name: 'rate', description: '', input: { type: 'object' }, risk: 'read', deferred: true }
const finder: ToolDefinition = { ...rate, name: 'find_tools', deferred: false, returnsTools: true }

const encode = (messages: readonly Message[], config = claude, way: Way = firstWay(config.model)) => {
  const request = { instructions: '', tools: [finder, rate], messages, cacheKey: 's' }
  return encodeAnthropicWith(request, config, way)
}
const turns = (...messages: Message[]) => encode(messages).body.messages as unknown as JsonObject[]

const user = (text: string, ...files: AttachedFile[]): Message => ({ role: 'user', text, files })
const said = (text: string): JsonObject => ({ type: 'text', text })
const instructions: Message = { role: 'instructions', text: 'Be quick.' }

/** A message of the model, of its blocks. */
function model(step: number, blocks: readonly JsonObject[], origin: Origin = claude): Message & { role: 'assistant' } {
  const calls: KeyedCall[] = []
  const parts = blocks.map((native): Part => {
    if (native.type === 'text') return { type: 'text', text: native.text as string, native }
    if (native.type === 'thinking') return { type: 'reasoning', text: '', native }
    if (native.type !== 'tool_use') return { type: 'other', native }
    const callId = `${step}.${calls.length}`
    const caller = native.caller ? 'program' : 'model'
    const [toolName, wireId] = [native.name as string, native.id as string]
    calls.push({ key: `1.${callId}`, callId, toolName, input: {}, inputText: '{}', wireId, caller })
    return { type: 'call', callId, native }
  })
  return { role: 'assistant', parts, calls, origin }
}
const result = (of: Message & { role: 'assistant' }, more: Partial<Message & { role: 'tool' }> = {}): Message => ({
  role: 'tool',
  trusted: true,
  call: of.calls[0]!,
  outcome: 'ok',
  text: 'done',
  ...more,
})
const answer = (id: string, content: unknown = 'done') => ({
  type: 'tool_result',
  tool_use_id: id,
  is_error: false,
  content,
})

const call = { type: 'tool_use', id: 'toolu_1', name: 'find_tools', input: {} }
const png: AttachedFile = { mediaType: 'image/png', data: 'AAAA' }
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }

describe('Files', () => {
  it.each<[string, AttachedFile, object]>([
    ['an image', png, image],
    [
      'an image of a URL',
      { mediaType: 'image/webp', url: 'https://files.test/a' },
      { type: 'image', source: { type: 'url', url: 'https://files.test/a' } },
    ],
    [
      'a PDF',
      { mediaType: 'application/pdf', name: 'a.pdf', data: 'AAAA' },
      { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
    ],
    [
      'a text',
      { mediaType: 'text/csv', data: Buffer.from('ä,b').toString('base64') },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'ä,b' } },
    ],
    ['a note of a sound', { mediaType: 'audio/wav', data: 'AAAA' }, said('[file: audio/wav, 3 bytes]')],
    ['a note of a text that is none', { mediaType: 'text/plain', data: '////' }, said('[file: text/plain, 3 bytes]')],
    [
      'an image that the provider has',
      { mediaType: 'image/png', provider: 'anthropic', id: 'file_1' },
      { type: 'image', source: { type: 'file', file_id: 'file_1' } },
    ],
    [
      'a document that the provider has',
      { mediaType: 'application/pdf', name: 'a', provider: 'anthropic', id: 'file_1' },
      { type: 'document', title: 'a', source: { type: 'file', file_id: 'file_1' } },
    ],
    [
      'a file for programs',
      { mediaType: 'text/csv', provider: 'anthropic', id: 'file_1' },
      { type: 'container_upload', file_id: 'file_1' },
    ],
    [
      'a note of what another provider has',
      { mediaType: 'image/png', provider: 'openai', id: 'file_1' },
      said('[file: image/png, file_1 of openai]'),
    ],
    [
      'a note of a text elsewhere',
      { mediaType: 'text/plain', url: 'https://files.test/a' },
      said('[file: text/plain, https://files.test/a]'),
    ],
  ])('go as %s, after the words', (_, file, block) => {
    expect(turns(user('Look', file))).toEqual([{ role: 'user', content: [said('Look'), block] }])
    expect(turns(user('', file))).toEqual([{ role: 'user', content: [block] }])
  })

  it('of a result go into it, where the model takes documents', () => {
    const asks = model(1, [call])
    const pdf: AttachedFile = { mediaType: 'application/pdf', data: 'AAAA' }
    expect(turns(user('Hi'), asks, result(asks, { files: [png] })).at(-1)).toEqual({
      role: 'user',
      content: [answer('toolu_1', [said('done'), image])],
    })
    const old = encode([user('Look', pdf)], { ...claude, model: 'claude-3-opus' }).body.messages
    expect(old).toEqual([{ role: 'user', content: [said('Look'), said('[file: application/pdf, 3 bytes]')] }])
    const csv: AttachedFile = { mediaType: 'text/csv', provider: 'anthropic', id: 'file_1' }
    const idle = encode([user('', csv)], { ...claude, programs: false }).body.messages
    expect(idle).toEqual([{ role: 'user', content: [said('[file: text/csv, file_1 of anthropic]')] }])
  })
})

describe('Instructions in the middle', () => {
  const system = { role: 'system', content: [said('Be quick.')] }

  it('are the app’s own, after all that was said there', () => {
    const note: Message = { role: 'note', text: 'Answer with JSON.' }
    expect(turns(user('Hi'), instructions, note, model(1, [said('Yes.')]), user('And?'), instructions)).toEqual([
      { role: 'user', content: [said('Hi'), said('Answer with JSON.')] },
      system,
      { role: 'assistant', content: [said('Yes.')] },
      { role: 'user', content: [said('And?')] },
      system,
    ])
  })

  it('are a user’s text where a system message is not legal', () => {
    const asUser = { role: 'user', content: [said('Be quick.')] }
    expect(turns(instructions)).toEqual([asUser])
    expect(turns(user('Hi'), model(1, [said('Yes.')]), instructions).at(-1)).toEqual(asUser)
    const old = encode([user('Hi'), instructions], { ...claude, model: 'claude-opus-4-7' }).body.messages
    expect(old).toEqual([{ role: 'user', content: [said('Hi'), said('Be quick.')] }])
  })
})

describe('Deferred tools that a result names', () => {
  const asks = model(1, [call])
  const told = (text: string, config = claude) =>
    encode([user('Hi'), asks, result(asks, { text, tools: ['rate', 'gone'] })], config)

  it('are references when there is nothing else', () => {
    const { body, headers } = told('{"tools":["rate","gone"]}')
    expect(body.messages.at(-1)).toEqual({
      role: 'user',
      content: [answer('toolu_1', [{ type: 'tool_reference', tool_name: 'rate' }])],
    })
    expect(headers).toEqual({})
  })

  it('are added beside a text, for which the API wants a header', () => {
    const { body, headers } = told('Found.', { ...claude, headers: { 'Anthropic-Beta': 'other-1' } })
    expect(body.messages.slice(-2)).toEqual([
      { role: 'user', content: [answer('toolu_1', 'Found.')] },
      { role: 'system', content: [{ type: 'tool_addition', tool: { type: 'tool_reference', name: 'rate' } }] },
    ])
    expect(headers).toEqual({ 'anthropic-beta': 'other-1,mid-conversation-tool-changes-2026-07-01' })
    const marked = told('Found.', { ...claude, cache: 'short' }).body.messages.slice(-2)
    const isMarked = ({ content }: (typeof marked)[number]) =>
      (content as object[]).map((one) => 'cache_control' in one)
    expect(marked.map(isMarked)).toEqual([[true], [false]])
  })

  it('are references beside a text for a model that takes no late system message', () => {
    const { body, headers } = told('Found.', { ...claude, model: 'claude-sonnet-4-6' })
    expect(body.messages.at(-1)!.content).toMatchObject([
      { content: [said('Found.'), { type: 'tool_reference', tool_name: 'rate' }] },
    ])
    expect(headers).toEqual({})
  })
})

describe('While a program waits', () => {
  const code = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: { code: 'x' } }
  const caller = { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' }
  const nested = { ...call, caller }
  const over = { type: 'code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: {} }
  const thinking = { type: 'thinking', thinking: '', signature: 's' }
  const asks = { ...model(1, [thinking, code, thinking, nested]), serverState: { container: 'container_1' } }
  const begin = [user('Hi'), asks, result(asks, { files: [{ ...png, name: 'a.png' }] })]
  const asked = [
    { role: 'user', content: [said('Hi')] },
    { role: 'assistant', content: [thinking, code, thinking, nested] },
    { role: 'user', content: [answer('toolu_1', [said('done'), said('[file "a.png": image/png, 3 bytes]')])] },
  ]

  it('only results are sent, in text, with its container', () => {
    const { body, isWaiting } = encode(begin)
    expect([body.messages, body.container, isWaiting]).toEqual([asked, 'container_1', false])
    const extra = { container: { skills: [] } }
    expect(encode(begin, { ...claude, extra }).body.container).toEqual({ id: 'container_1', skills: [] })
    expect(encode(begin, claude, { ...firstWay(claude.model), container: false }).body).not.toHaveProperty('container')
  })

  it('what else is said waits for the next message of the model', () => {
    const news: Message = { role: 'news', callId: '1.0', done: true, text: 'It took effect.' }
    const early = encode([...begin, news, user('Stop!'), instructions])
    expect([early.body.messages, early.isWaiting]).toEqual([asked, true])
    const more = model(2, [{ ...nested, id: 'toolu_2' }])
    const later = encode([...begin, user('Stop!'), more, result(more), instructions, model(3, [over, said('Well.')])])
    expect(later.isWaiting).toBe(false)
    expect(later.body.messages).toEqual([
      ...asked,
      { role: 'assistant', content: [{ ...nested, id: 'toolu_2' }] },
      { role: 'user', content: [answer('toolu_2')] },
      { role: 'assistant', content: [over, said('Well.')] },
      { role: 'user', content: [said('Stop!')] },
      { role: 'system', content: [said('Be quick.')] },
    ])
  })

  it.each<[string, Message]>([
    ['another model spoke', model(2, [said('I go on.')], gpt)],
    ['the next message was cut', { ...model(2, []), parts: [{ type: 'text', text: 'I go on.' }] }],
  ])('and will for ever, as %s, its call becomes the model’s own', (_, next) => {
    expect(turns(...begin, next, user('And?'))).toEqual([
      asked[0],
      { role: 'assistant', content: [thinking, call] },
      expect.objectContaining({ role: 'user' }),
      { role: 'assistant', content: [said('I go on.')] },
      { role: 'user', content: [said('And?')] },
    ])
  })
})

it('What a program called at the provider goes with the program', () => {
  const code = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: {} }
  const caller = { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' }
  const search = { type: 'server_tool_use', id: 'srvtoolu_2', name: 'web_search', input: {}, caller }
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_2', content: [] }
  const thinking = { type: 'thinking', thinking: '', signature: 's' }
  const torn = model(1, [said('I look.'), code, search, found, thinking, said('Well.')])
  expect(turns(user('Hi'), torn, user('Stop!'), model(2, [said('Yes?')], gpt), user('And?'))[1]).toEqual({
    role: 'assistant',
    content: [said('I look.'), said('Well.')],
  })
})

describe('A turn that paused', () => {
  const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
  const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }

  it('goes on as one turn, and what was said meanwhile comes after it', () => {
    const paused = encode([user('Hi'), model(1, [said('I look.'), search]), user('Stop!')])
    expect(paused.body.messages.at(-1)).toEqual({ role: 'assistant', content: [said('I look.'), search] })
    expect(paused.isWaiting).toBe(true)
    expect(turns(user('Hi'), model(1, [search]), user('Stop!'), model(2, [found, said('Well.')])).slice(1)).toEqual([
      { role: 'assistant', content: [search, found, said('Well.')] },
      { role: 'user', content: [said('Stop!')] },
    ])
  })

  it('of another model is followed by "Go on.", since none goes on with what it did not say', () => {
    const goOn = { role: 'user', content: [said('Go on.')] }
    const before = [user('Hi'), model(1, [said('I look.')], gpt)]
    expect(turns(...before).at(-1)).toEqual(goOn)
    expect(turns(...before, model(2, [said('Well.')])).slice(2)).toEqual([
      goOn,
      { role: 'assistant', content: [said('Well.')] },
      goOn,
    ])
  })
})

it('A result repeats the name of the toolset that its call was of', () => {
  const asks = model(1, [{ ...call, name: 'left_click', toolset_name: 'browser' }])
  expect(turns(user('Hi'), asks, result(asks)).at(-1)).toEqual({
    role: 'user',
    content: [{ ...answer('toolu_1'), toolset_name: 'browser' }],
  })
})

it('Without its thinking a history is the same in all else', () => {
  const thinking = { type: 'thinking', thinking: '', signature: 's' }
  const messages = [user('Hi'), model(1, [thinking, said('Well.')]), user('And?')]
  const { body } = encode(messages, claude, { ...firstWay(claude.model), thinking: false })
  expect(body.messages).toEqual(turns(user('Hi'), model(1, [said('Well.')]), user('And?')))
})
