import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.js'
import { measureRequests } from '../corpus/requests.js'

/** One accepted request, through `npm run corpus -- requests`. */
async function measured(uri: string, request: JsonObject) {
  const folder = mkdtempSync(join(tmpdir(), 'corpus-'))
  try {
    const interactions = [{ method: 'POST', status: 200, response: {}, uri, request }]
    writeFileSync(join(folder, 'one.json'), JSON.stringify({ interactions }))
    const { diffs, ...counts } = await measureRequests(folder, () => {})
    return { ...counts, diffs: Object.keys(diffs) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const openai = 'https://api.openai.com/v1/responses'
const server = 'https://server.example/v1/responses'
const chat = 'https://api.openai.com/v1/chat/completions'
const local = 'http://localhost:11434/v1/chat/completions'
const claude = 'https://api.anthropic.com/v1/messages'
const gemini = 'https://generativelanguage.googleapis.com/v1beta/models/gemini-3-flash-preview:generateContent'

const hi = { role: 'user', content: 'Hi' }
const more = { role: 'user', content: 'Go on then' }
const schema: JsonObject = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
const image = { type: 'input_image', image_url: 'https://shop.example/a.png' }
const text = (said: string) => ({ type: 'input_text', text: said })
const picture = (detail?: string): JsonObject => ({
  type: 'image_url',
  image_url: { url: 'https://shop.example/a.png', ...(detail && { detail }) },
})
const called = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":"b"}' } }
const chatTool = { type: 'function', function: { name: 'f', description: 'd', parameters: schema } }
const asks = (...parts: JsonObject[]): JsonObject => ({ model: 'gpt-4o', messages: [{ role: 'user', content: parts }] })
const ofGemini = (fields: JsonObject): JsonObject => ({
  contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
  ...fields,
})

const equal: readonly (readonly [what: string, uri: string, request: JsonObject])[] = [
  [
    'files between the words of a user',
    openai,
    { input: [{ role: 'user', content: [text('A'), image, text('B'), image] }] },
  ],
  ['a file before the words', openai, { input: [{ role: 'user', content: [image, text('B')] }] }],
  ['fields of another server', server, { model: 'm-1', reasoning: { effort: 'medium' }, top_k: 4, seed: 3 }],
  ['a prompt that the provider keeps', openai, { input: null, prompt: { id: 'pmpt_1', version: '2' } }],
  [
    'that only the model calls a tool',
    openai,
    { tools: [{ type: 'function', name: 'f', description: 'd', parameters: schema, allowed_callers: ['direct'] }] },
  ],
  [
    'who calls a tool, in any order',
    claude,
    {
      model: 'claude-opus-5',
      tools: [
        { type: 'code_execution_20260120', name: 'code_execution' },
        { name: 'f', description: 'd', input_schema: schema, allowed_callers: ['code_execution_20260120', 'direct'] },
      ],
    },
  ],
  [
    'what a text of a user has not',
    claude,
    { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', citations: null }] }] },
  ],
  ['the detail that an image has anyway', chat, asks({ type: 'text', text: 'x' }, picture('auto'))],
  [
    'a refusal in a list',
    chat,
    { model: 'gpt-4o', messages: [hi, { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }, more] },
  ],
  [
    'two calls of one id',
    local,
    {
      tools: [chatTool],
      messages: [
        hi,
        { role: 'assistant', tool_calls: [called, called] },
        { role: 'tool', tool_call_id: 'c1', content: 'first' },
        { role: 'tool', tool_call_id: 'c1', content: 'second' },
      ],
    },
  ],
  [
    'arguments that are an object',
    local,
    {
      tools: [chatTool],
      messages: [
        hi,
        { role: 'assistant', tool_calls: [{ ...called, function: { name: 'f', arguments: { a: 'b' } } }] },
        { role: 'tool', tool_call_id: 'c1', content: 'done' },
      ],
    },
  ],
  [
    'a tool of the server that is called as a function',
    'https://api.moonshot.ai/v1/chat/completions',
    { tools: [{ type: 'builtin_function', function: { name: '$web_search' } }] },
  ],
  [
    'an enum as the answer',
    gemini,
    ofGemini({
      generationConfig: { responseMimeType: 'text/x.enum', responseJsonSchema: { type: 'string', enum: ['a', 'b'] } },
    }),
  ],
  [
    'how tools of Google alone are called',
    gemini,
    ofGemini({
      tools: [{ googleSearch: {} }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [] } },
    }),
  ],
  [
    'a field of a tool choice that has no option',
    gemini,
    ofGemini({
      tools: [{ functionDeclarations: [{ name: 'f', description: 'd', parametersJsonSchema: schema }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', streamFunctionCallArguments: true } },
    }),
  ],
]

const defaults: JsonObject = { model: 'gpt-6-sol', input: [hi] }
const bodyOf = (uri: string, request: JsonObject): JsonObject => {
  if (uri === gemini) return request
  if (uri === claude) return { model: 'claude-sonnet-4-5', max_tokens: 100, messages: [hi], ...request }
  return uri === openai || uri === server ? { ...defaults, ...request } : { model: 'm-1', messages: [hi], ...request }
}

describe('npm run corpus -- requests, of what is recorded seldom or never', () => {
  it.each(equal)('says %s again', async (_, uri, request) => {
    const counts = { pairs: 1, equal: 1, legal: 1, opaqueExact: 1, diffs: [] as Json[] }
    expect(await measured(uri, bodyOf(uri, request))).toMatchObject(counts)
  })

  const untold: readonly (readonly [what: string, feature: string, uri: string, request: JsonObject])[] = [
    [
      'a message of the old functions',
      'chat a message of role function',
      chat,
      { messages: [hi, { role: 'function', name: 'f', content: 'x' }, more] },
    ],
    [
      'an old call',
      'chat a call of a function that is no tool',
      chat,
      { messages: [hi, { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } }, more] },
    ],
    [
      'what the model spoke',
      'chat sound of the model',
      chat,
      { messages: [hi, { role: 'assistant', audio: { id: 'a' } }, more] },
    ],
    ['the detail of an image', 'chat detail of an image', chat, asks({ type: 'text', text: 'x' }, picture('high'))],
    ['a piece of tomorrow', 'chat content x_new', chat, asks({ type: 'text', text: 'x' }, { type: 'x_new' })],
    [
      'a tool of the client',
      'openai tool computer of the client',
      openai,
      { tools: [{ type: 'computer' }], tool_choice: { type: 'computer' } },
    ],
    [
      'an effort in mid-conversation',
      'anthropic late instructions with output_config',
      claude,
      {
        messages: [
          hi,
          { role: 'assistant', content: 'x' },
          more,
          { role: 'system', content: [], output_config: { effort: 'low' } },
        ],
      },
    ],
  ]

  it.each(untold)('lists %s, and stays legal', async (_, feature, uri, request) => {
    const { diffs, ...counts } = await measured(uri, bodyOf(uri, request))
    expect(counts).toMatchObject({ pairs: 1, equal: 0, legal: 1 })
    expect(diffs).toContain(feature)
  })
})
