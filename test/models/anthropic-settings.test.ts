import { describe, expect, it } from 'vitest'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import { anthropicCapabilities, anthropicModels } from '../../src/models/anthropic/capabilities.js'
import { encodeAnthropicWith } from '../../src/models/anthropic/encode.js'
import { firstWay } from '../../src/models/anthropic/way.js'
import type { ModelConfig, ModelRequest } from '../../src/models/model.js'

const claude: ModelConfig = { provider: 'anthropic', model: 'claude-opus-5' }
const tool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: 'Does.',
  input: { type: 'object', properties: {} },
  risk: 'read',
  ...more,
})
const encode = (config: Partial<ModelConfig>, request: Partial<ModelRequest> = {}) => {
  const all = { ...claude, ...config }
  const asked = {
    instructions: '',
    tools: [],
    messages: [{ role: 'user', text: 'Hi' }],
    cacheKey: 's',
    ...request,
  } as const
  return encodeAnthropicWith(asked, all, firstWay(all.model))
}
/** Without what every request has. */
const settings = (config: Partial<ModelConfig>, request: Partial<ModelRequest> = {}) => {
  const { model: _, stream: __, messages: ___, max_tokens: ____, ...rest } = encode(config, request).body
  return rest
}
const ignored = (config: Partial<ModelConfig>, request: Partial<ModelRequest> = {}) =>
  encode(config, request).remarks.map(({ code, detail }) => {
    const { setting, value } = detail as { setting: string; value: unknown }
    return code === 'setting_ignored' ? [setting, value] : code
  })

describe('anthropicCapabilities()', () => {
  const row = (id: string) => anthropicModels.findIndex(({ models }) => models.includes(id))

  it.each([
    ['claude-sonnet-4-20250514', 'claude-sonnet-4'],
    ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
    ['claude-opus-4-8', 'claude-opus-4-8'],
    ['anthropic/claude-opus-5', 'claude-opus-5'],
    ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 'claude-haiku-4-5'],
    ['claude-opus-4@20250514', 'claude-opus-4'],
    ['claude-3-5-sonnet-latest', 'claude-3-5-sonnet'],
    ['claude-fable-5', 'claude-fable-5'],
    ['claude-fable-5-2', 'claude-fable-5-2'],
  ])('knows %s as %s', (model, id) => {
    const { models: _, ...can } = anthropicModels[row(id)]!
    expect(anthropicCapabilities(model)).toMatchObject(can)
  })

  it.each(['claude-opus-5-6', 'claude-opus-6', 'claude-fable-5-3', 'claude-sonnet-10-20290101', 'some-other-model'])(
    'expects of %s what the newest model does',
    (model) => {
      const { models: _, ...newest } = anthropicModels.at(-1)!
      expect({ ...newest }).toMatchObject(anthropicCapabilities(model))
      expect(anthropicCapabilities(model).forcedChoice).toBe(false)
    },
  )

  it('names each model once', () => {
    const all = anthropicModels.flatMap(({ models }) => models)
    expect(new Set(all).size).toBe(all.length)
  })
})

describe('The effort', () => {
  it.each<[string, ModelConfig['effort'], object]>([
    ['claude-opus-5', 'high', { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }],
    ['claude-opus-5', 'none', { thinking: { type: 'disabled' } }],
    ['claude-sonnet-5-5', 'none', { thinking: { type: 'between_tools' } }],
    ['claude-opus-4-6', 'max', { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }],
    ['claude-opus-4-5', 'low', { output_config: { effort: 'low' } }],
    ['claude-sonnet-4-5', 'none', { thinking: { type: 'disabled' } }],
  ])('of %s may be %s', (model, effort, expected) => {
    expect(settings({ model, effort })).toEqual(expected)
    expect(ignored({ model, effort })).toEqual([])
  })

  it.each<[string, ModelConfig['effort']]>([
    ['claude-opus-4-6', 'xhigh'],
    ['claude-opus-4-5', 'max'],
    ['claude-sonnet-4-5', 'high'],
    ['claude-opus-5-5', 'none'],
    ['claude-opus-5', 'minimal'],
  ])('of %s is not %s: it is left out, and the reply has a remark', (model, effort) => {
    expect(settings({ model, effort })).toEqual({})
    expect(ignored({ model, effort })).toEqual([['effort', effort]])
  })
})

describe('Settings', () => {
  it('go by the names of the API', () => {
    expect(settings({ stop: ['END'], serviceTier: 'standard_only', effort: 'low' })).toEqual({
      stop_sequences: ['END'],
      service_tier: 'standard_only',
      thinking: { type: 'adaptive' },
      output_config: { effort: 'low' },
    })
    expect(encode({ maxOutputTokens: 5 }).body.max_tokens).toBe(5)
  })

  it('of sampling go to a model that takes them, under a version of the API that has them', () => {
    const sampling = { temperature: 0.5, topP: 0.9, topK: 40 }
    const old = { model: 'claude-sonnet-4-5', headers: { 'Anthropic-Version': '2023-06-01' } }
    expect(settings({ ...old, ...sampling })).toEqual({ temperature: 0.5, top_p: 0.9, top_k: 40 })
    for (const config of [
      { ...old, headers: {} },
      { ...old, model: 'claude-opus-4-7' },
    ]) {
      expect(settings({ ...config, ...sampling })).toEqual({})
      expect(ignored({ ...config, ...sampling })).toEqual(Object.entries(sampling))
    }
  })

  it('that the API has not are left out with a remark, as a blank stop text is', () => {
    const config = {
      seed: 1,
      stored: true,
      stop: ['\n', 'END'],
      programs: true,
      toolSearch: true,
      model: 'claude-3-opus',
    }
    expect(settings(config)).toEqual({ stop_sequences: ['END'] })
    expect(ignored(config)).toEqual([
      ['seed', 1],
      ['stored', true],
      ['stop', ['\n', 'END']],
      ['programs', true],
      ['toolSearch', true],
    ])
  })

  it('in extra are put into ours, and may not be the conversation or its tools', () => {
    const extra = {
      output_config: { task_budget: { total: 9 } },
      thinking: { display: 'summarized' },
      metadata: { user_id: 'u' },
    }
    expect(settings({ effort: 'low', extra })).toEqual({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'low', task_budget: { total: 9 } },
      metadata: { user_id: 'u' },
    })
    for (const name of ['messages', 'system', 'tools', 'tool_choice', 'model', 'stream'])
      expect(() => encode({ extra: { [name]: [] } })).toThrow(`"extra" may not have "${name}"`)
  })

  it.each([
    ['off', undefined],
    ['short', { type: 'ephemeral' }],
    ['long', { type: 'ephemeral', ttl: '1h' }],
  ] as const)('of the cache: %s', (cache, mark) => {
    const { system, messages, tools } = encode({ cache }, { instructions: 'Be brief.', tools: [tool('find')] }).body
    const [last] = messages.at(-1)!.content as { cache_control?: unknown }[]
    expect([(system as { cache_control?: unknown }[])[0]!.cache_control, last!.cache_control]).toEqual([mark, mark])
    expect(tools).not.toHaveProperty('0.cache_control')
    const [only] = encode({ cache }, { tools: [tool('find')] }).body.tools!
    expect((only as { cache_control?: unknown }).cache_control).toEqual(mark)
  })
})

describe('The answer', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false } as const
  const format = { type: 'json_schema', schema }

  it('is held to its schema, beside the effort', () => {
    const answer = { name: 'answer', schema }
    expect(settings({ effort: 'low' }, { answer })).toMatchObject({ output_config: { effort: 'low', format } })
    expect(settings({}, { answer: { ...answer, strict: false } })).toEqual({})
  })

  it.each<[string, object]>([
    ['is open', { type: 'object', properties: {} }],
    ['has a bound', { ...schema, properties: { a: { type: 'number', minimum: 1 } } }],
    ['leads back to itself', { ...schema, properties: { a: { $ref: '#' } } }],
    ['has several types', { ...schema, properties: { a: { type: ['string', 'null'] } } }],
    ['says nothing', { ...schema, properties: { a: {} } }],
  ])('is not, with a remark, when the schema %s', (_, given) => {
    const answer = { name: 'answer', schema: given as typeof schema }
    expect(settings({}, { answer })).toEqual({})
    expect(ignored({}, { answer })).toEqual([['answer', 'answer']])
    expect(settings({}, { answer: { ...answer, strict: true } })).toMatchObject({ output_config: { format: {} } })
  })

  it.each<[string, object]>([
    ['refers to definitions', { ...schema, properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { enum: ['x'] } } }],
    [
      'lists choices',
      { ...schema, properties: { a: { anyOf: [{ type: 'string', format: 'date' }, { type: 'null' }] } } },
    ],
    ['has lists', { ...schema, properties: { a: { type: 'array', items: { const: 1 }, minItems: 1 } } }],
  ])('is when the schema %s', (_, given) => {
    expect(ignored({}, { answer: { name: 'answer', schema: given as typeof schema } })).toEqual([])
  })

  it('is not for a model that takes no schema, nor beside citations', () => {
    const answer = { name: 'answer', schema }
    const web = { type: 'web_fetch_20260318', name: 'web_fetch', citations: { enabled: true } }
    expect(ignored({ model: 'claude-sonnet-4-0' }, { answer })).toEqual([['answer', 'answer']])
    expect(ignored({ hostedTools: [{ tool: web, risk: 'read' }] }, { answer })).toEqual([['answer', 'answer']])
  })
})
