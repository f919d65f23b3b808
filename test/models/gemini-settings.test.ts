import { describe, expect, it } from 'vitest'
import type { AttachedFile } from '../../src/core/attached-file.js'
import type { Json, JsonObject } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import type { KeyedCall, Message } from '../../src/core/transcript.js'
import { geminiCapabilities } from '../../src/models/gemini/capabilities.js'
import { createGeminiDecoder } from '../../src/models/gemini/decode.js'
import { toGeminiRequest } from '../../src/models/gemini/encode.js'
import type { Effort, ModelConfig, ModelRequest } from '../../src/models/model.js'
import { plain } from './chat-canonical.js'

const at = (model: string, more: Partial<ModelConfig> = {}): ModelConfig => ({ provider: 'gemini', model, ...more })
const newest = (more?: Partial<ModelConfig>) => at('gemini-3.8-flash', more)
const older = (more?: Partial<ModelConfig>) => at('gemini-2.5-flash', more)
const oldest = (more?: Partial<ModelConfig>) => at('gemini-2.0-flash', more)

const find: ToolDefinition = {
  name: 'find',
  description: 'Finds.',
  input: { type: 'object', properties: {} },
  risk: 'read',
}
const digit: ToolDefinition = { ...find, name: '2fa' }
const user: Message = { role: 'user', text: 'Hi' }
const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  instructions: 'Be brief.',
  tools: [find, digit],
  messages: [user],
  cacheKey: 's',
  ...more,
})
const bodyOf = (config: ModelConfig, more?: Partial<ModelRequest>) => plain(toGeminiRequest(request(more), config).body)
const remarksOf = (config: ModelConfig, more?: Partial<ModelRequest>) => toGeminiRequest(request(more), config).remarks
const contentsOf = (config: ModelConfig, ...messages: Message[]) =>
  bodyOf(config, { messages }).contents as JsonObject[]
const ignored = (setting: string, value: Json) => ({ code: 'setting_ignored', detail: { setting, value } })

describe('Settings of Gemini', () => {
  it('are its generation config', () => {
    const settings = { temperature: 0, topP: 0.9, topK: 5, seed: 7, stop: ['END'], maxOutputTokens: 9 }
    expect(bodyOf(newest({ ...settings, serviceTier: 'flex' }))).toMatchObject({
      generationConfig: {
        temperature: 0,
        topP: 0.9,
        topK: 5,
        seed: 7,
        stopSequences: ['END'],
        maxOutputTokens: 9,
      },
      serviceTier: 'flex',
    })
  })

  it('that it has no place for are told', () => {
    expect(remarksOf(newest({ parallelCalls: false, cache: 'off', stored: true, toolSearch: true }))).toEqual([
      ignored('parallelCalls', false),
      ignored('cache', 'off'),
      ignored('stored', true),
      ignored('toolSearch', true),
    ])
    expect(remarksOf(newest({ parallelCalls: true, cache: 'short', stored: false }))).toEqual([])
  })

  it.each<[string, Effort, JsonObject | undefined, boolean]>([
    ['gemini-3.8-flash', 'high', { thinkingLevel: 'HIGH' }, true],
    ['gemini-3.8-flash', 'minimal', { thinkingLevel: 'LOW' }, false],
    ['gemini-3.8-flash', 'none', { thinkingLevel: 'LOW' }, false],
    ['gemini-4-argon', 'max', { thinkingLevel: 'XHIGH' }, false],
    ['gemini-3-flash-preview', 'minimal', { thinkingLevel: 'MINIMAL' }, true],
    ['gemini-3.6-flash', 'none', { thinkingLevel: 'MINIMAL' }, false],
    ['models/gemini-2.5-flash', 'none', { thinkingBudget: 0 }, true],
    ['gemini-2.5-flash', 'max', { thinkingBudget: 24_576 }, true],
    ['gemini-2.5-pro', 'none', { thinkingBudget: 128 }, false],
    ['gemini-2.5-pro', 'xhigh', { thinkingBudget: 32_768 }, true],
    ['gemini-2.0-flash', 'high', undefined, false],
    ['gemini-2.0-flash', 'none', undefined, true],
  ])('%s with effort %s thinks %o, as asked: %s', (model, effort, thinkingConfig, isExact) => {
    const { generationConfig } = bodyOf(at(model, { effort }))
    expect(generationConfig).toEqual(thinkingConfig && { thinkingConfig })
    expect(remarksOf(at(model, { effort }))).toEqual(isExact ? [] : [ignored('effort', effort)])
  })

  it('without an option are taken from extra, into what is there', () => {
    const extra = {
      generationConfig: { thinkingConfig: { includeThoughts: true }, mediaResolution: 'MEDIA_RESOLUTION_LOW' },
      toolConfig: { retrievalConfig: { languageCode: 'de' } },
      safetySettings: [{ category: 'HARM_CATEGORY_HATE_SPEECH', threshold: 'BLOCK_NONE' }],
      labels: { team: 'a' },
    }
    expect(bodyOf(newest({ effort: 'low', extra }), { toolChoice: { mode: 'required' } })).toMatchObject({
      ...extra,
      generationConfig: { thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true } },
      toolConfig: { functionCallingConfig: { mode: 'ANY' }, retrievalConfig: { languageCode: 'de' } },
    })
    for (const taken of ['contents', 'tools', 'systemInstruction'])
      expect(() => bodyOf(newest({ extra: { [taken]: 1 } }))).toThrow(`"extra" may not have "${taken}"`)
  })

  it('with a cache of the app leave out what is in it: instructions, tools, and how they are chosen', () => {
    const cached = newest({ extra: { cachedContent: 'cachedContents/1' } })
    const toolChoice = { mode: 'required' } as const
    expect(bodyOf(cached, { toolChoice })).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
      cachedContent: 'cachedContents/1',
    })
    expect(remarksOf(cached, { toolChoice })).toEqual([{ code: 'tool_choice_emulated', detail: toolChoice }])
  })
})

describe('The tool choice of Gemini', () => {
  const strict = [{ ...find, strict: true }, digit]
  it.each<[string, ModelConfig, Partial<ModelRequest>, unknown]>([
    ['nothing by itself', newest(), {}, undefined],
    ['none', newest(), { toolChoice: { mode: 'none' } }, { mode: 'NONE' }],
    ['required', oldest(), { toolChoice: { mode: 'required' } }, { mode: 'ANY' }],
    [
      'one tool, by its name there',
      newest(),
      { toolChoice: { mode: 'required', tools: ['2fa', 'gone'] } },
      { mode: 'ANY', allowedFunctionNames: ['_2fa'] },
    ],
    [
      'allowed tools',
      older(),
      { toolChoice: { mode: 'auto', tools: ['find'] } },
      { mode: 'VALIDATED', allowedFunctionNames: ['find'] },
    ],
    ['allowed tools where only the gate can', oldest(), { toolChoice: { mode: 'auto', tools: ['find'] } }, undefined],
    ['no allowed tool', newest(), { toolChoice: { mode: 'auto', tools: ['gone'] } }, { mode: 'NONE' }],
    ['tools that are strict', older(), { tools: strict }, { mode: 'VALIDATED' }],
    ['strict tools that must be called', older(), { tools: strict, toolChoice: { mode: 'required' } }, { mode: 'ANY' }],
  ])('says %s', (_, config, more, expected) => {
    const { toolConfig } = bodyOf(config, more)
    expect(toolConfig).toEqual(expected && { functionCallingConfig: expected })
    expect(remarksOf(config, more)).toEqual([])
  })

  it('that cannot be said is told', () => {
    const gone = { mode: 'required', tools: ['gone'] } as const
    expect(remarksOf(newest(), { toolChoice: gone })).toEqual([{ code: 'tool_choice_emulated', detail: gone }])
    expect(remarksOf(newest(), { tools: [], toolChoice: { mode: 'required' } })).toHaveLength(1)
    expect(remarksOf(oldest(), { tools: strict })).toEqual([ignored('strict', ['find'])])
  })
})

describe('An answer of Gemini by a schema', () => {
  const answer = { name: 'city', schema: { type: 'object', properties: { a: { const: 'b', pattern: '.' } } } }
  const format = {
    responseMimeType: 'application/json',
    responseJsonSchema: { type: 'object', properties: { a: { enum: ['b'] } } },
  }
  it('is asked for beside tools from Gemini 3 on, and before it where there are none', () => {
    expect(bodyOf(newest(), { answer }).generationConfig).toEqual(format)
    expect(bodyOf(older(), { answer })).not.toHaveProperty('generationConfig')
    expect(bodyOf(older(), { answer, tools: [] }).generationConfig).toEqual(format)
  })
})

describe('Tools that Google runs', () => {
  const hostedTools = [
    { tool: { googleSearch: {} }, risk: 'read' },
    { tool: { codeExecution: {} }, risk: 'read' },
  ] as const
  const hosted: JsonObject[] = [{ googleSearch: {} }, { codeExecution: {} }]

  it('stand beside functions from Gemini 3 on, and are seen to run', () => {
    const body = bodyOf(newest({ hostedTools }))
    expect((body.tools as JsonObject[]).slice(0, 2)).toEqual(hosted)
    expect((body.tools as JsonObject[])[2]).toHaveProperty('functionDeclarations')
    expect(body.toolConfig).toEqual({ includeServerSideToolInvocations: true })
    expect(remarksOf(newest({ hostedTools }))).toEqual([])
  })

  it('give way to functions in older models, and that is told', () => {
    expect(bodyOf(older({ hostedTools })).tools).toHaveLength(1)
    expect(remarksOf(older({ hostedTools }))).toEqual([ignored('hostedTools', hosted)])
    expect(bodyOf(older({ hostedTools }), { tools: [] }).tools).toEqual(hosted)
  })

  it('are asked for alone without a word more', () => {
    expect(bodyOf(newest({ hostedTools }), { tools: [] })).not.toHaveProperty('toolConfig')
    const vertex = newest({ hostedTools, baseURL: 'https://aiplatform.googleapis.com/v1' })
    expect(bodyOf(vertex)).not.toHaveProperty('toolConfig')
  })

  it('are never ones to be asked about', () => {
    const asking = newest({ hostedTools: [{ tool: { googleSearch: {} }, risk: 'ask' }] })
    expect(() => bodyOf(asking)).toThrow('"hostedTools[0]", so it must have the risk "read"')
  })
})

describe('Files for Gemini', () => {
  const png = { mediaType: 'image/png', data: 'AAAA' } as const
  const mp4 = { mediaType: 'video/mp4', url: 'https://files.test/a.mp4' } as const
  const zip = { mediaType: 'application/zip', name: 'a.zip', data: 'AAAA' } as const
  const inline = { inlineData: { mimeType: 'image/png', data: 'AAAA' } }
  const video = { fileData: { mimeType: 'video/mp4', fileUri: mp4.url } }
  const result = (files: readonly AttachedFile[]): Message[] => {
    const call: KeyedCall = { key: '1.1.0', callId: '1.0', toolName: 'find', input: {}, wireId: 'a', caller: 'model' }
    return [
      user,
      { role: 'assistant', parts: [], calls: [call], origin: { provider: 'p', model: 'm' } },
      { role: 'tool', call, trusted: true, outcome: 'ok', text: 'done', files },
    ]
  }

  it('of the user are parts of what is said, or a note', () => {
    const said = [{ text: 'Look' }, inline, video, { text: '[file "a.zip": application/zip, 3 bytes]' }]
    expect(contentsOf(newest(), { role: 'user', text: 'Look', files: [png, mp4, zip] })).toEqual([
      { role: 'user', parts: said },
    ])
    expect(contentsOf(newest(), { role: 'user', text: '', files: [png] })[0]!.parts).toEqual([inline])
  })

  it('of a result are in it from Gemini 3 on where it may hold them, else after all results', () => {
    const response = { id: 'a', name: 'find', response: { output: 'done' } }
    const after = (...parts: JsonObject[]) => ({
      role: 'user',
      parts: [{ text: 'From the result of find:' }, ...parts],
    })
    expect(contentsOf(newest(), ...result([png, mp4, zip])).slice(2)).toEqual([
      { role: 'user', parts: [{ functionResponse: { ...response, parts: [inline] } }] },
      after(video),
    ])
    expect(contentsOf(older(), ...result([png, mp4])).slice(2)).toEqual([
      { role: 'user', parts: [{ functionResponse: response }] },
      after(inline, video),
    ])
  })
})

it('Instructions, notes and news in the middle are said by the user', () => {
  const late: Message[] = [
    { role: 'instructions', text: 'Be kind.' },
    { role: 'note', text: 'Go on.' },
    { role: 'news', callId: '1.0', done: true, text: 'It took effect.' },
  ]
  expect(contentsOf(newest(), user, ...late).map(({ role, parts }) => [role, parts])).toEqual(
    ['Hi', 'Be kind.', 'Go on.', 'It took effect.'].map((text) => ['user', [{ text }]]),
  )
})

it('A text tool is a function of Gemini, with its grammar in words', () => {
  const query: ToolDefinition = {
    ...find,
    name: 'query',
    input: { type: 'string' },
    grammar: { syntax: 'regex', definition: '[a-z]+' },
  }
  const [tool] = bodyOf(newest(), { tools: [query] }).tools as JsonObject[]
  expect(tool).toMatchObject({ functionDeclarations: [{ parametersJsonSchema: { required: ['input'] } }] })
  expect(JSON.stringify(tool)).toContain('[a-z]+')
})

it('A model that nobody knows yet is taken for one of the newest', () => {
  expect(geminiCapabilities(at('gemini-9-neon'))).toEqual(geminiCapabilities(at('gemini-flash-latest')))
  expect(geminiCapabilities(at('gemini-9-neon'))).toEqual(geminiCapabilities(newest()))
})

describe('A reply of Gemini', () => {
  const decode = (...events: JsonObject[]) => {
    const decoder = createGeminiDecoder(new Map(), [ignored('cache', 'off')])
    for (const event of events) decoder.push(event)
    decoder.end!()
    return decoder.reply()!
  }
  const end = (finishReason: string, more: JsonObject = {}) => ({ candidates: [{ finishReason, ...more }] })

  it('has its sources, its status and what nobody knows as remarks, after those on the request', () => {
    const groundingMetadata = { webSearchQueries: ['x'] }
    const modelStatus = { modelStage: 'DEPRECATED' }
    const { remarks } = decode(
      { modelVersion: 'gemini-3' },
      { thing: 1 },
      {
        candidates: [{ content: { parts: [{ text: 'Hi' }] }, groundingMetadata: { webSearchQueries: [] } }],
        modelStatus,
      },
      end('STOP', { groundingMetadata, citationMetadata: { citations: [] } }),
    )
    expect(remarks).toEqual([
      ignored('cache', 'off'),
      { code: 'unknown_event', detail: { thing: 1 } },
      { code: 'model_status', detail: modelStatus },
      { code: 'grounding_metadata', detail: groundingMetadata },
      { code: 'citation_metadata', detail: { citations: [] } },
    ])
  })

  it('keeps what Google ran as parts that go back as they were', () => {
    const parts: JsonObject[] = [
      { toolCall: { id: 't', toolType: 'GOOGLE_SEARCH_WEB', args: {} }, thoughtSignature: 's' },
      { toolResponse: { id: 't', toolType: 'GOOGLE_SEARCH_WEB', response: {} } },
      { executableCode: { id: 'c', language: 'PYTHON', code: '1' } },
      { codeExecutionResult: { id: 'c', outcome: 'OUTCOME_OK', output: '1' } },
    ]
    const reply = decode({ candidates: [{ content: { parts } }] }, end('STOP'))
    expect(reply.parts).toEqual(parts.map((native) => ({ type: 'other', native })))
    const own: Message = { role: 'assistant', parts: reply.parts as never, calls: [], origin: newest() }
    expect(contentsOf(newest(), user, own, user)[1]!.parts).toEqual(parts)
    expect(contentsOf(older(), user, own, user)).toHaveLength(2)
  })

  it.each(['OTHER', 'BLOCK_REASON_UNSPECIFIED', 'SAFETY', 'IMAGE_SAFETY'])(
    'to a prompt that was blocked for %s is filtered, and not tried again',
    (blockReason) => {
      expect(decode({ promptFeedback: { blockReason } })).toMatchObject({ finish: 'content-filter' })
    },
  )

  it.each(['UNEXPECTED_TOOL_CALL', 'OTHER', 'NO_IMAGE', 'MALFORMED_RESPONSE'])(
    'that came to nothing with %s may be tried again',
    (finishReason) => {
      expect(() => decode(end(finishReason))).toThrow(finishReason)
    },
  )
})
