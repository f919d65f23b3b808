import { describe, expect, it } from 'vitest'
import type { ModelConfig } from '../../src/models/model.js'
import { openAICapabilities, openAIRows } from '../../src/models/openai/capabilities.js'
import { settingsOf } from '../../src/models/openai/settings.js'

const settings = (model: string, more: Partial<ModelConfig>) =>
  settingsOf({ provider: 'openai', model, ...more }, 'session', openAICapabilities(model))

describe('openAICapabilities()', () => {
  it.each<[string, string]>([
    ['gpt-5.4', 'gpt-5.4'],
    ['gpt-5.4-mini-2026-03-17', 'gpt-5.4'],
    ['gpt-5.4-pro', 'gpt-5.4-pro'],
    ['gpt-5', 'gpt-5'],
    ['gpt-5-mini', 'gpt-5'],
    ['gpt-5-chat-latest', 'gpt-5-chat'],
    ['gpt-5.1-codex-max', 'gpt-5.1-codex-max'],
    ['gpt-6-sol', 'gpt-6-sol'],
    ['openai/gpt-4o', 'gpt-4o'],
    ['ft:gpt-4o-mini:acme::1', 'gpt-4o'],
    ['gpt-4-turbo-2024-04-09', 'gpt-4-turbo'],
    ['o3-mini-2025-01-31', 'o3-mini'],
    ['o4-mini', 'o4'],
    ['openai/gpt-oss-20b', 'gpt-oss'],
  ])('takes %s for what its longest prefix, %s, is', (model, prefix) => {
    expect(openAICapabilities(model)).toBe(openAIRows.find((row) => row.prefix === prefix))
  })

  it('takes a model that is newer than all rows for one of the newest, of its family where that is known', () => {
    const newest = openAICapabilities('gpt-6.2-astra')
    for (const model of ['gpt-7', 'gpt-6.3-astra', 'gpt-7-sol']) expect(openAICapabilities(model)).toBe(newest)
    for (const model of ['gpt-5.7', 'gpt-5.10', 'gpt-5.11-mini'])
      expect(openAICapabilities(model)).toMatchObject({ sampling: 'unthinking', programs: true, longCache: 'options' })
  })

  it('tries what it is asked to with the models of others, and nothing of its own accord', () => {
    expect(openAICapabilities('my-deployment')).toMatchObject({
      sampling: 'always',
      schemas: true,
      programs: true,
      toolSearch: true,
      textTools: false,
      namespaces: false,
      allowedTools: false,
    })
    expect(openAICapabilities('deepseek-v4-flash').callsLast).toBe(true)
  })

  it('has no two rows for one prefix', () => {
    expect(new Set(openAIRows.map(({ prefix }) => prefix)).size).toBe(openAIRows.length)
  })
})

describe('Settings of the Responses API', () => {
  it('are sent by its names', () => {
    const { fields, remarks } = settings('gpt-5.6-luna', {
      effort: 'none',
      temperature: 0.5,
      topP: 0.9,
      maxOutputTokens: 99,
      serviceTier: 'flex',
      cache: 'long',
    })
    expect(remarks).toEqual([])
    expect(fields).toEqual({
      prompt_cache_key: 'session',
      prompt_cache_options: { ttl: '12h' },
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'none' },
      temperature: 0.5,
      top_p: 0.9,
      max_output_tokens: 99,
      service_tier: 'flex',
    })
  })

  it.each<[string, Partial<ModelConfig>]>([
    ['gpt-6-astra', { effort: 'none' }],
    ['gpt-6-astra', { temperature: 1 }],
    ['gpt-6-sol', { temperature: 1 }],
    ['gpt-5', { topP: 1 }],
    ['gpt-5', { effort: 'xhigh' }],
    ['gpt-4.1', { effort: 'low' }],
    ['gpt-5.5', { stop: ['.'] }],
    ['gpt-5.5', { topK: 3 }],
    ['gpt-5.5', { seed: 3 }],
    ['gpt-5.5', { programs: true }],
    ['gpt-5.2', { toolSearch: true }],
    ['gpt-4o', { cache: 'long' }],
    ['gpt-5.5', { cache: 'off' }],
  ])('that %s does not take are left out with a remark: %j', (model, option) => {
    const [[setting, value]] = Object.entries(option) as [[string, unknown]]
    const { fields, remarks } = settings(model, option)
    expect(remarks).toEqual([{ code: 'setting_ignored', detail: { setting, value } }])
    const { fields: plain } = settings(model, {})
    const { prompt_cache_key: _, ...without } = plain
    expect(fields).toEqual(setting === 'cache' && value === 'off' ? without : plain)
  })

  it('may be sampled where no effort is that of no thinking', () => {
    expect(settings('gpt-5.1', { temperature: 0.2 })).toMatchObject({ fields: { temperature: 0.2 }, remarks: [] })
    expect(settings('gpt-5.4', { temperature: 0.2, effort: 'low' }).fields).not.toHaveProperty('temperature')
    expect(settings('gpt-5.4-pro', { temperature: 0.2 }).fields).not.toHaveProperty('temperature')
  })

  it('write nothing to the cache when it is off, and have no key of it', () => {
    expect(settings('gpt-6-astra', { cache: 'off' })).toEqual({
      fields: { include: ['reasoning.encrypted_content'], prompt_cache_options: { mode: 'explicit' } },
      remarks: [],
    })
  })

  it('keep the cache of an older model for a day by the older word', () => {
    expect(settings('gpt-5.1', { cache: 'long' }).fields).toMatchObject({ prompt_cache_retention: '24h' })
  })
})
