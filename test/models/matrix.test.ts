import { describe, expect, it } from 'vitest'
import type { Remark } from '../../src/core/events.js'
import type { JsonObject } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import type { Message } from '../../src/core/transcript.js'
import { anthropicModels } from '../../src/models/anthropic/capabilities.js'
import { encodeAnthropicWith } from '../../src/models/anthropic/encode.js'
import { firstWay } from '../../src/models/anthropic/way.js'
import { toChatRequest } from '../../src/models/chat/encode.js'
import { toGeminiRequest } from '../../src/models/gemini/encode.js'
import type { ModelConfig, ModelRequest } from '../../src/models/model.js'
import { openAIRows } from '../../src/models/openai/capabilities.js'
import { encodeOpenAI, remarksOnOpenAI } from '../../src/models/openai/encode.js'
import { anthropicComplaints } from './anthropic-rules.js'
import { plain, rulesFor } from './chat-canonical.js'
import { chatComplaints } from './chat-rules.js'
import { geminiComplaints } from './gemini-rules.js'
import { openAIComplaints } from './openai-rules.js'

interface Provider {
  readonly configs: readonly ModelConfig[]
  readonly hosted: JsonObject
  readonly encode: (
    request: ModelRequest,
    config: ModelConfig,
  ) => { readonly body: object; readonly remarks: readonly Remark[] }
  readonly complaints: (body: JsonObject, config: ModelConfig) => readonly string[]
}

const recorded = { 'anthropic-version': '2023-06-01' }

const providers: Readonly<Record<string, Provider>> = {
  openai: {
    configs: [...openAIRows.map(({ prefix }) => prefix.replace(/\.$/, '.6')), 'gpt-6-astra', 'gpt-7', 'some/model'].map(
      (model) => ({
        provider: 'openai',
        model,
      }),
    ),
    hosted: { type: 'web_search' },
    encode: (request, config) => ({
      body: encodeOpenAI(request, config),
      remarks: remarksOnOpenAI(request, config),
    }),
    complaints: (body) => openAIComplaints(body),
  },
  'openai-compatible': {
    configs: [
      ['https://api.openai.com/v1', 'gpt-4o', 'gpt-4.1', 'gpt-5.4', 'gpt-5', 'gpt-5-chat', 'gpt-6-astra', 'o3'],
      ['https://x.openai.azure.com/openai/v1', 'gpt-4o', 'o3'],
      ['http://localhost:11434/v1', 'qwen3', 'gpt-oss'],
      ['http://localhost:1234/v1', 'qwen3'],
      ['http://localhost:8000/v1', 'mistral-7b', 'deepseek-v3'],
      ['https://generativelanguage.googleapis.com/v1beta/openai', 'gemini-3-flash'],
      ['https://api.mistral.ai/v1', 'mistral-large', 'mistral-small', 'magistral-medium'],
      ['https://api.deepseek.com', 'deepseek-chat', 'deepseek-reasoner'],
      ['https://api.moonshot.ai/v1', 'kimi-k2'],
      ['https://api.z.ai/v4', 'glm-4.6', 'glm-5', 'glm-4.5v'],
      ['https://api.minimaxi.com/v1', 'm2'],
      ['https://x.snowflakecomputing.com/v1', 'claude'],
      ['https://api.groq.com/openai/v1', 'llama', 'openai/gpt-oss-20b'],
      ['https://api.cerebras.ai/v1', 'llama', 'gpt-oss-120b'],
      ['https://api.x.ai/v1', 'grok-2', 'grok-4', 'grok-3-mini'],
      ['https://router.huggingface.co/v1', 'qwen'],
      ['https://api.together.xyz/v1', 'qwen'],
      ['https://openrouter.ai/api/v1', 'openai/gpt-5', 'anthropic/claude-sonnet-4.5', 'x/y'],
      ['https://server.example/v1', 'm-1'],
    ].flatMap(([baseURL, ...models]) => models.map((model) => ({ provider: 'openai-compatible', model, baseURL }))),
    hosted: { type: 'x_search' },
    encode: toChatRequest,
    // Some servers have no tools of their own.
    complaints: (body, { baseURL = '' }) =>
      chatComplaints(body, rulesFor(baseURL)).filter((what) => what !== 'tool of type "x_search"'),
  },
  anthropic: {
    configs: [...anthropicModels.map(({ models }) => models[0]!), 'claude-next-9'].flatMap((model) => [
      { provider: 'anthropic', model },
      { provider: 'anthropic', model, headers: recorded },
    ]),
    hosted: { type: 'web_search_20250305', name: 'web_search' },
    encode: (request, config) => encodeAnthropicWith(request, config, firstWay(config.model)),
    complaints: (body, { headers }) => anthropicComplaints(body, headers?.['anthropic-version']),
  },
  gemini: {
    configs: [
      'gemini-3-flash',
      'gemini-3.8-flash',
      'gemini-4-argon',
      'gemini-2.5-flash',
      'gemini-2.5-pro',
      'gemini-2.0-flash',
      'gemma-4-31b-it',
      'gemini-pro-latest',
    ].map((model) => ({ provider: 'gemini', model })),
    hosted: { googleSearch: {} },
    encode: toGeminiRequest,
    complaints: (body, { model }) => geminiComplaints(body, model),
  },
}

const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
const tool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: `Does ${name}.`,
  input: schema,
  risk: 'read',
  ...more,
})
const tools = [tool('find'), tool('send', { risk: 'irreversible' })]
const withText = [
  ...tools,
  tool('query', { input: { type: 'string' }, grammar: { syntax: 'regex', definition: 'a+' } }),
]
const withDeferred = [
  ...tools,
  tool('rate', { deferred: true }),
  tool('crm__list', { deferred: true, namespace: 'Crm.' }),
]
const withCallers = [
  ...tools,
  tool('count', { callers: ['program'], output: schema }),
  tool('both', { callers: ['model', 'program'] }),
]
const answer = { name: 'total', schema }

type Scenario = Partial<ModelRequest> & { readonly isHosted?: boolean }
const scenarios: Readonly<Record<string, Scenario>> = {
  'no tools': {},
  'an answer': { answer },
  'a strict answer': { answer: { ...answer, strict: true } },
  tools: { tools },
  'strict tools': { tools: [...tools, tool('add', { strict: true })] },
  'text tools': { tools: withText },
  'deferred tools': { tools: withDeferred },
  'tools for programs': { tools: withCallers },
  'tools and an answer': { tools, answer },
  'hosted tools': { isHosted: true },
  'hosted tools beside tools': { tools, isHosted: true, answer },
  'no call': { tools, toolChoice: { mode: 'none' } },
  'a call': { tools: withText, toolChoice: { mode: 'required' } },
  'one call': { tools: withText, toolChoice: { mode: 'required', tools: ['query'] } },
  'a call of some': { tools: withText, toolChoice: { mode: 'required', tools: ['find', 'query'] } },
  'some tools': { tools: withText, toolChoice: { mode: 'auto', tools: ['find', 'query'] } },
  'a call of a deferred tool': { tools: withDeferred, toolChoice: { mode: 'required', tools: ['rate'] } },
  'a call of a tool for programs': { tools: withCallers, toolChoice: { mode: 'required', tools: ['count'] } },
  'a call that is not there': { tools, toolChoice: { mode: 'required', tools: ['gone'] } },
  'a call without tools': { toolChoice: { mode: 'required' } },
  'a call beside hosted tools': { tools, isHosted: true, toolChoice: { mode: 'required', tools: ['find'] } },
  files: {
    messages: [
      {
        role: 'user',
        text: 'Look.',
        files: [
          { mediaType: 'image/png', data: 'AAAA' },
          { mediaType: 'application/pdf', name: 'a.pdf', data: 'AAAA' },
          { mediaType: 'audio/wav', data: 'AAAA' },
          { mediaType: 'text/csv', data: 'YSxi' },
          { mediaType: 'image/gif', url: 'https://shop.example/a.gif' },
        ],
      },
    ],
  },
}

const settings: readonly Partial<ModelConfig>[] = [
  ...(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const).map((effort) => ({ effort })),
  { temperature: 0.5 },
  { topP: 0.5 },
  { topK: 5 },
  { seed: 7 },
  { stop: ['END'] },
  { maxOutputTokens: 2_000 },
  { parallelCalls: false },
  { cache: 'off' },
  { cache: 'long' },
  { serviceTier: 'default' },
  { stored: true },
  { programs: true },
  { toolSearch: true },
]
const together = (...effort: NonNullable<ModelConfig['effort']>[]): Partial<ModelConfig>[] =>
  effort.map((one) => ({ ...(Object.assign({}, ...settings) as Partial<ModelConfig>), effort: one }))

const messages: readonly Message[] = [{ role: 'user', text: 'Hi' }]
const requestOf = ({
  tools: some = [],
  messages: said = messages,
  toolChoice,
  answer: final,
}: Scenario): ModelRequest => ({
  instructions: 'Be brief.',
  tools: some,
  messages: said,
  cacheKey: 'session',
  ...(toolChoice && { toolChoice }),
  ...(final && { answer: final }),
})

/** Of a request in which there is nothing that the setting could be about. */
const isIdle = (more: Partial<ModelConfig>, scenario: Scenario, body: JsonObject, model: string): boolean => {
  const [setting] = Object.keys(more)
  const { tools: some = [], isHosted = false, toolChoice } = scenario
  return (
    (setting === 'parallelCalls' && (toolChoice?.mode === 'none' || (some.length === 0 && !isHosted))) ||
    // It never thinks.
    (more.effort === 'none' && /gemini-2\.0|gemma/.test(model)) ||
    (setting === 'programs' && !some.some(({ risk }) => risk === 'read')) ||
    (setting === 'toolSearch' && !some.some(({ deferred }) => deferred)) ||
    // Said anyway.
    (setting === 'toolSearch' && JSON.stringify(body).includes('defer_loading'))
  )
}

describe.each(Object.entries(providers))('each setting with each model of %s', (_, provider) => {
  const { configs, hosted, encode, complaints } = provider
  const configOf = (config: ModelConfig, { isHosted }: Scenario, more: Partial<ModelConfig> = {}): ModelConfig => ({
    ...config,
    ...more,
    ...(isHosted && { hostedTools: [{ tool: hosted, risk: 'read' }] }),
  })

  it.each(Object.entries(scenarios))('is sent in a legal way, or remarked on, with %s', (_name, scenario) => {
    const request = requestOf(scenario)
    const faults = configs.flatMap((config) => {
      const name = `${config.model} ${config.baseURL ?? ''}${config.headers ? ' 2023' : ''}`
      const bare = encode(request, configOf(config, scenario))
      const before = JSON.stringify(bare.body)
      const demand =
        request.toolChoice?.mode === 'required' &&
        !JSON.stringify(plain(bare.body)).includes('"tool_choice"') &&
        !before.includes('functionCallingConfig')
      const isSaid = bare.remarks.some(({ code }) => code === 'tool_choice_emulated')
      return [
        ...(demand && !isSaid && request.tools.length > 0 ? [`${name}: a demand is lost`] : []),
        ...[{}, ...settings, ...together('none', 'low', 'max')].flatMap((more) => {
          const { body, remarks } = encode(request, configOf(config, scenario, more))
          const words = JSON.stringify(more)
          const keys = Object.keys(more)
          const isSame = JSON.stringify(body) === before
          const isLost =
            keys.length === 1 &&
            isSame &&
            !isIdle(more, scenario, plain(body), config.model) &&
            !remarks.some(
              ({ code, detail }) => code === 'setting_ignored' && (detail as JsonObject).setting === keys[0],
            )
          return [
            ...(isSame && keys.length > 0 ? [] : complaints(plain(body), config)).map(
              (what) => `${name} with ${words}: ${what}`,
            ),
            ...(isLost ? [`${name} with ${words}: it is lost`] : []),
          ]
        }),
      ]
    })
    expect(faults).toEqual([])
  })
})
