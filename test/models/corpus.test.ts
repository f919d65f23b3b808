import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/json.js'
import { isKept } from '../corpus/planted.js'
import { familiesOfFolder, familyOfRequest } from '../corpus/responses.js'
import { measureRequests } from '../corpus/requests.js'
import { measureStreams } from '../corpus/streams.js'

const made: string[] = []
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true })
})

const measure = (files: Files) => run(measureStreams, files)
type Files = Readonly<Record<string, string>>
type Measure<Summary> = (folder: string, tell: (line: string) => void) => Promise<Summary>

async function run<Summary>(command: Measure<Summary>, files: Files) {
  const folder = mkdtempSync(join(tmpdir(), 'corpus-'))
  made.push(folder)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const lines: string[] = []
  return { summary: await command(folder, (line) => void lines.push(line)), lines }
}

const lines = (...events: JsonObject[]) => events.map((event) => JSON.stringify(event)).join('\n')
const sse = (...events: JsonObject[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')

const message = (text: string): JsonObject => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})
const response = (text: string): JsonObject => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  output: [message(text)],
  usage: { input_tokens: 3, output_tokens: 2 },
})
const streamOf = (text: string, atEnd = text) =>
  lines(
    { type: 'response.created', response: { id: 'resp_1' } },
    { type: 'response.output_text.delta', output_index: 0, delta: text },
    { type: 'response.output_item.done', output_index: 0, item: message(text) },
    { type: 'response.completed', response: response(atEnd) },
  )
const call: JsonObject = { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1, b: [null, 'ä'] } }
const claude: JsonObject = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-of-a-test',
  content: [{ type: 'text', text: 'I add.' }, { type: 'x_of_tomorrow', inside: { a: 1 } }, call],
  stop_reason: 'tool_use',
  usage: { input_tokens: 3, output_tokens: 2 },
}
const chunk = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason }],
})
const cassette = (...interactions: JsonObject[]) => JSON.stringify({ interactions })
const asked = { method: 'POST', status: 200, request: {} }

describe('npm run corpus -- streams', () => {
  it('takes responses of all four families, alone or with their requests, and says why it skips the rest', async () => {
    const { summary, lines: told } = await measure({
      'vendor/openai/responses/hello.json': JSON.stringify(response('Hello.')),
      'vendor/openai/responses/hello.chunks.txt': streamOf('Hellö, wörld.'),
      'vendor/anthropic/add.json': JSON.stringify(claude),
      'vendor/groq/hello.sse': sse(chunk({ content: 'Hel' }), chunk({ content: 'lo.' }), chunk({}, 'stop')),
      'vendor/google/hello.chunks.txt': lines(
        { candidates: [{ content: { role: 'model', parts: [{ text: 'Hel' }] } }] },
        { candidates: [{ content: { role: 'model', parts: [{ text: 'lo.' }] }, finishReason: 'STOP' }] },
      ),
      'cassettes/test.json': cassette(
        { ...asked, uri: 'https://a.example/v1/messages?beta=true', response: claude },
        { ...asked, uri: 'https://b.example/v1/messages', status: 400, response: { error: { message: 'No.' } } },
        { ...asked, uri: 'https://c.example/v1/embeddings', response: { data: [] } },
      ),
      'vendor/anthropic/notes.txt': 'Not a recording.',
      'vendor/groq/models.json': '{ "data": [] }',
    })
    expect(summary).toEqual({
      files: 8,
      supported: 7,
      skipped: 3,
      exactOf: 6,
      exact: 6,
      chunkInvariant: 7,
      crashes: 0,
      unknownPreserved: 7,
      truncationTyped: 7,
    })
    expect(told).toEqual([
      'skipped cassettes/test.json#2: POST https://c.example/v1/embeddings is no request of the four families',
      'skipped vendor/anthropic/notes.txt: it is neither JSON nor a stream of events',
      'skipped vendor/groq/models.json: it is no response of the four families',
    ])
  })

  it('sees a reply that is not what the last event says', async () => {
    const { summary, lines: told } = await measure({ 'openai/responses/a.txt': streamOf('Hello.', 'Good-bye.') })
    expect(summary).toMatchObject({ supported: 1, exactOf: 1, exact: 0, chunkInvariant: 1 })
    expect(told).toHaveLength(1)
    expect(told[0]).toMatch(/^openai openai\/responses\/a\.txt: it is not exact: [^]*Good-bye/)
  })

  it('has nothing to compare with where a stream has no end, or runs on in the background', async () => {
    const { summary } = await measure({
      'anthropic/a.txt': lines(
        { type: 'message_start', message: { content: [], usage: {} } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      ),
      'openai/responses/b.json': JSON.stringify({ ...response(''), status: 'queued', output: [] }),
    })
    expect(summary).toMatchObject({ supported: 2, exactOf: 0, exact: 0, chunkInvariant: 2, truncationTyped: 2 })
  })

  it('goes on where a recording cannot be read', async () => {
    const { summary, lines: told } = await measure({
      'chat/a.sse': 'data: {"choices": [\n\n',
      'cassettes/b.json': cassette({ ...asked, uri: 'https://a.example/v1/messages', sse: 'data: <html>\n\n' }),
    })
    expect(summary).toMatchObject({ supported: 1, skipped: 1, exactOf: 1, exact: 0, crashes: 0, unknownPreserved: 0 })
    expect(told[1]).toMatch(/^anthropic cassettes\/b\.json#0: it is not exact: its form cannot be read: SyntaxError/)
  })

  it('does not expect a call that was cut', async () => {
    const args = { tool_calls: [{ index: 0, id: 'call_1', function: { name: 'add', arguments: '{"a": ' } }] }
    const { summary } = await measure({ 'chat/a.sse': sse(chunk({ content: 'I' }), chunk(args), chunk({}, 'length')) })
    expect(summary).toMatchObject({ supported: 1, exactOf: 1, exact: 1, unknownPreserved: 1, truncationTyped: 1 })
  })

  it('sees a cut stream that is taken for a whole one', async () => {
    const many = Array.from({ length: 40 }, (_, i) => chunk({ content: `word ${i} ` }, 'stop'))
    const { summary, lines: told } = await measure({ 'chat/a.sse': sse(...many) })
    expect(summary).toMatchObject({ supported: 1, exact: 1, truncationTyped: 0 })
    expect(told[0]).toMatch(/^chat chat\/a\.sse: cut after \d+ of \d+ bytes it is \{"parts"/)
  })

  it('sees that something unknown is lost', () => {
    const said = { type: 'text', text: 'Hello.', native: { type: 'text', text: 'Hello.' } } as const
    const reply = { reply: { parts: [said], finish: 'stop' }, deltas: [] } as const
    for (const family of ['openai', 'chat', 'anthropic', 'gemini'] as const)
      expect(isKept(family, reply, reply)).toBe(false)
  })
})

const chatTool = {
  type: 'function',
  function: { name: 'add', description: 'Adds.', parameters: { type: 'object', properties: {} } },
}
const chatCall = { id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a": 1}' } }
const chatRequest: JsonObject = {
  model: 'm-1',
  n: 1,
  tool_choice: 'auto',
  tools: [chatTool],
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Add.' }] },
    { role: 'assistant', content: null, tool_calls: [chatCall] },
    { role: 'tool', tool_call_id: 'call_1', content: '2' },
  ],
}
const claudeRequest: JsonObject = {
  model: 'claude-of-a-test',
  max_tokens: 100,
  system: 'Be brief.',
  tools: [{ name: 'add', description: 'Adds.', input_schema: { type: 'object', properties: {} } }],
  messages: [
    { role: 'user', content: 'Add.' },
    { role: 'assistant', content: [{ type: 'thinking', thinking: '', signature: 'c2ln' }, call] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: '2' }] }],
    },
  ],
}
const gptRequest: JsonObject = {
  model: 'gpt-6-astra',
  instructions: 'Be brief.',
  input: [
    { role: 'user', content: 'Add.' },
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'b3BhcXVl' },
    { type: 'function_call', call_id: 'call_1', name: 'add', arguments: '{}', id: 'fc_1', status: 'completed' },
    { type: 'function_call_output', call_id: 'call_1', output: '2' },
  ],
  tools: [{ type: 'function', name: 'add', description: 'Adds.', parameters: { type: 'object', properties: {} } }],
}
const geminiRequest: JsonObject = {
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  contents: [
    { role: 'user', parts: [{ text: 'Add.' }] },
    { role: 'model', parts: [{ functionCall: { name: 'add', args: { a: 1 } }, thought_signature: 'c2ln' }] },
    { role: 'user', parts: [{ functionResponse: { name: 'add', response: { sum: 2 } } }] },
  ],
}
const chatUrl = 'https://a.example/v1/chat/completions'
const answered = (uri: string, request: JsonObject) => ({ ...asked, uri, request, response: { id: 'x' } })
const messagesUrl = 'https://a.example/v1/messages'
const responsesUrl = 'https://a.example/v1/responses'
const geminiUrl = 'https://a.example/v1/models/gemini-3-x:generateContent'

describe('npm run corpus -- requests', () => {
  it('finds accepted requests of all four families again, with all that only the provider can read', async () => {
    const { summary, lines: told } = await run(measureRequests, {
      'a.json': cassette(
        answered(chatUrl, chatRequest),
        answered(messagesUrl, claudeRequest),
        answered(responsesUrl, gptRequest),
        answered(geminiUrl, geminiRequest),
        { ...answered(chatUrl, {}), status: 400 },
      ),
    })
    expect(told).toEqual([])
    expect(summary).toEqual({ pairs: 4, equal: 4, legal: 4, opaqueExact: 4, diffs: {}, ...none })
  })

  it('lists by feature what is not sent again', async () => {
    const kept = { role: 'user', content: [{ type: 'hologram', hologram: 'x' }] }
    const tool = { ...chatTool, function: { ...chatTool.function, strict: true } }
    const { summary } = await run(measureRequests, {
      'a.json': cassette(
        answered(chatUrl, { ...chatRequest, top_k: 5, tools: [tool] }),
        answered(chatUrl, { ...chatRequest, messages: [kept] }),
        answered(messagesUrl, { ...claudeRequest, tool_choice: { type: 'any' } }),
        answered(responsesUrl, { ...gptRequest, tools: [{ type: 'local_shell' }] }),
      ),
    })
    expect(summary).toMatchObject({
      pairs: 4,
      equal: 0,
      legal: 4,
      diffs: {
        'chat top_k': 1,
        'chat tools.strict': 1,
        'chat content hologram': 1,
        'anthropic tool_choice': 1,
        'openai tool local_shell of the client': 1,
      },
    })
  })

  it('sees opaque values that do not go back', async () => {
    const [user, ...turns] = gptRequest.input as JsonObject[]
    const unled = { ...gptRequest, input: [user!, turns[0]!] }
    const { summary } = await run(measureRequests, { 'a.json': cassette(answered(responsesUrl, unled)) })
    expect(summary).toEqual({ pairs: 1, equal: 0, legal: 1, opaqueExact: 0, diffs: { 'openai input': 1 }, ...none })
  })

  it('counts histories that were refused: what the checker says of them, and what is made of them', async () => {
    const [user, ...turns] = gptRequest.input as JsonObject[]
    const refused = (message: string, input: JsonObject[]) => ({
      ...answered(responsesUrl, { ...gptRequest, input }),
      status: 400,
      response: { error: { message } },
    })
    const { summary, lines: told } = await run(measureRequests, {
      'a.json': cassette(
        refused('No tool output found for function call call_1.', [user!, turns[1]!]),
        refused('No tool output found for function call call_1.', [user!]),
        refused('Invalid temperature.', [user!]),
      ),
    })
    expect(summary).toMatchObject({ pairs: 0, refused: 2, flagged: 1, repaired: 2 })
    expect(told).toEqual(['openai a.json#1: its history was refused, and the checker takes it'])
  })
})

const none = { refused: 0, flagged: 0, repaired: 0 }

describe('The family of a recording', () => {
  it.each([
    ['POST', 'https://a.example/openai/v1/responses?api-version=1', 'openai'],
    ['POST', 'http://localhost:11434/v1/chat/completions', 'chat'],
    ['post', 'https://a.example/v1/messages', 'anthropic'],
    ['POST', 'https://a.example/v1beta/models/gemini-x:streamGenerateContent?alt=sse', 'gemini'],
    ['GET', 'https://a.example/v1/responses/resp_1', undefined],
    ['POST', 'https://a.example/v1/responses/compact', undefined],
    ['POST', 'https://a.example/v1/messages/count_tokens', undefined],
    ['POST', 'https://a.example/v1/threads/thread_1/messages', undefined],
    ['POST', 'https://a.example/v1/embeddings', undefined],
  ])('is named by its request: %s %s', (method, uri, family) => {
    expect(familyOfRequest(method, uri)).toBe(family)
  })

  it.each([
    ['vendor/xai/responses/a.json', ['openai']],
    ['vendor/deepseek/chat/a.json', ['chat']],
    ['vendor/azure/a.json', ['openai', 'chat']],
    ['anthropic-sdk/a.sse', ['anthropic']],
    ['vendor/google-vertex/a.json', ['gemini']],
    ['vendor/groq/a.json', ['openai', 'chat', 'anthropic', 'gemini']],
  ])('is narrowed by its folder: %s', (name, families) => {
    expect(familiesOfFolder(name)).toEqual(families)
  })
})
