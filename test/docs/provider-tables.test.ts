import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AttachedFile } from '../../src/core/attached-file.js'
import type { Remark } from '../../src/core/events.js'
import type { ToolChoice, ToolDefinition } from '../../src/core/tool-definition.js'
import { encodeAnthropicWith } from '../../src/models/anthropic/encode.js'
import { firstWay } from '../../src/models/anthropic/way.js'
import { toChatRequest } from '../../src/models/chat/encode.js'
import { toGeminiRequest } from '../../src/models/gemini/encode.js'
import type { ModelConfig, ModelRequest } from '../../src/models/model.js'
import { encodeOpenAI, remarksOnOpenAI } from '../../src/models/openai/encode.js'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'models.md'), 'utf8')

/** The rows of the table whose head begins with this, by their first cell. */
function tableOf(head: string): Map<string, Record<string, string>> {
  const from = page.indexOf(`| ${head} `)
  const [names = [], , ...rows] = page
    .slice(from, page.indexOf('\n\n', from))
    .split('\n')
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  return new Map(
    rows.map((row) => [row[0]!, Object.fromEntries(names.map((name, i) => [name.replaceAll('`', ''), row[i] ?? '']))]),
  )
}

interface Sent {
  readonly body: string
  readonly remarks: readonly Remark[]
}
type Ask = (request: Partial<ModelRequest>, config: Partial<ModelConfig>) => Sent

const read: ToolDefinition = {
  name: 'find',
  description: 'Finds.',
  input: { type: 'object', properties: {} },
  risk: 'read',
}
const tools: readonly ToolDefinition[] = [read, { ...read, name: 'look' }, { ...read, name: 'hidden', deferred: true }]

const request = (more: Partial<ModelRequest>): ModelRequest => ({
  instructions: 'Help.',
  tools,
  messages: [{ role: 'user', text: 'Hi' }],
  cacheKey: 's',
  ...more,
})

/** Models of each provider that take much. */
const asks: Readonly<Record<string, readonly Ask[]>> = {
  openai: ['gpt-6.1-sol', 'gpt-4.1'].map((model): Ask => (more, options) => {
    const config = { provider: 'openai', model, ...options }
    return {
      body: JSON.stringify(encodeOpenAI(request(more), config)),
      remarks: remarksOnOpenAI(request(more), config),
    }
  }),
  'openai-compatible': [
    { baseURL: 'http://localhost:8000/v1', model: 'qwen' },
    { baseURL: 'https://api.openai.com/v1', model: 'gpt-4.1' },
    { baseURL: 'https://openrouter.ai/api/v1', model: 'any' },
    { baseURL: 'https://openrouter.ai/api/v1', model: 'anthropic/claude-opus-5' },
  ].map((server): Ask => (more, options) => {
    const { body, remarks } = toChatRequest(request(more), { provider: 'openai-compatible', ...server, ...options })
    return { body: JSON.stringify(body), remarks }
  }),
  anthropic: ['claude-sonnet-4-6', 'claude-opus-5'].map((model): Ask => (more, options) => {
    const headers = { 'anthropic-version': '2023-06-01' }
    const config = { provider: 'anthropic', model, headers, ...options }
    const { body, remarks } = encodeAnthropicWith(request(more), config, firstWay(model))
    return { body: JSON.stringify(body), remarks }
  }),
  gemini: [
    (more, options) => {
      const { body, remarks } = toGeminiRequest(request(more), {
        provider: 'gemini',
        model: 'gemini-3.5-pro',
        ...options,
      })
      return { body: JSON.stringify(body), remarks }
    },
  ],
}

describe('the settings in docs/models.md', () => {
  const values: Partial<ModelConfig> = {
    maxOutputTokens: 100,
    effort: 'low',
    temperature: 0.5,
    topP: 0.5,
    topK: 5,
    seed: 7,
    stop: ['END'],
    parallelCalls: false,
    cache: 'long',
    stored: true,
    programs: true,
    toolSearch: true,
    serviceTier: 'flex',
    hostedTools: [{ tool: { type: 'any', name: 'any' }, risk: 'read' }],
    extra: { more: 1 },
  }
  const rows = tableOf('option')
  const cases = Object.keys(asks).flatMap((provider) =>
    Object.entries(values).map(([option, value]) => ({ provider, option, value })),
  )

  it.each(cases)(
    'say whether $provider takes $option, and it says so where it does not',
    ({ provider, option, value }) => {
      const cell = rows.get(`\`${option}\``)![provider]!
      // Some sample only where they do not think.
      const base: Partial<ModelConfig> = /^(temperature|topP)$/.test(option) ? { effort: 'none' } : {}
      const isIgnored = ({ code, detail }: Remark) =>
        code === 'setting_ignored' && (detail as { setting: string }).setting === option
      const taken = asks[provider]!.map((ask) => {
        const [without, sent] = [ask({}, base), ask({}, { ...base, [option]: value })]
        const isTaken = sent.body !== without.body && !sent.remarks.some(isIgnored)
        expect(isTaken || sent.remarks.some(isIgnored)).toBe(true)
        return isTaken
      })
      const isDash = cell === '-'
      expect(taken.includes(true)).toBe(!isDash)
      // What is kept is only named where something was kept before.
      const fields =
        option === 'stored' || isDash ? [] : [...cell.matchAll(/`(\w+)`(?!:)/g)].map(([, name = '']) => name)
      const bodies = asks[provider]!.map((ask) => ask({}, { ...base, [option]: value }).body)
      expect(fields.filter((field) => !bodies.some((body) => body.includes(`"${field}"`)))).toEqual([])
    },
  )
})

describe('the tool choices in docs/models.md', () => {
  const choices: Readonly<Record<string, ToolChoice>> = {
    '`none`': { mode: 'none' },
    '`required`': { mode: 'required' },
    '`required` with one': { mode: 'required', tools: ['find'] },
    '`required` with some': { mode: 'required', tools: ['find', 'look'] },
    '`auto` with some': { mode: 'auto', tools: ['find', 'look'] },
  }
  const rows = tableOf('`toolChoice`')
  const cases = Object.keys(asks).flatMap((provider) =>
    Object.entries(choices).map(([name, toolChoice]) => ({ provider, name, toolChoice })),
  )

  it.each(cases)('say how $provider is told of $name', ({ provider, name, toolChoice }) => {
    const cell = rows.get(name)![provider]!
    const words = [...cell.matchAll(/`(\w+)`/g)].map(([, word = '']) => word)
    const [before, bodies] = [{}, { toolChoice }].map((more) => asks[provider]!.map((ask) => ask(more, {}).body))
    expect(bodies!.some((body, i) => body !== before![i])).toBe(cell !== 'not told')
    expect(words.filter((word) => !bodies!.some((body) => body.includes(`"${word}"`)))).toEqual([])
  })
})

describe('the files in docs/models.md', () => {
  const data = 'eyJhIjoxfQ=='
  const files: Readonly<Record<string, readonly AttachedFile[]>> = {
    'PNG, JPEG, WebP': ['image/png', 'image/jpeg', 'image/webp'].map((mediaType) => ({ mediaType, data })),
    GIF: [{ mediaType: 'image/gif', data }],
    PDF: [{ mediaType: 'application/pdf', data }],
    'texts, JSON, XML': ['text/csv', 'application/json', 'application/xml'].map((mediaType) => ({ mediaType, data })),
    'office files': [{ mediaType: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', data }],
    "by the provider's id": [{ mediaType: 'application/pdf', id: 'file_1', provider: 'PROVIDER' }],
    'sound, film': ['audio/mpeg', 'video/mp4'].map((mediaType) => ({ mediaType, data })),
  }
  const rows = tableOf('file')
  const cases = Object.keys(asks).flatMap((provider) =>
    Object.entries(files).map(([name, some]) => ({ provider, name, some })),
  )

  it.each(cases)('say what $provider is given of $name', ({ provider, name, some }) => {
    const cell = rows.get(name)![provider]!
    const given = some.map((file) =>
      asks[provider]!.some((ask) => {
        const own = 'id' in file ? { ...file, provider: provider.replace('-compatible', '') } : file
        const { body } = ask({ messages: [{ role: 'user', text: 'See', files: [own] }] }, {})
        return !body.includes('[file')
      }),
    )
    const isGiven = ({ mediaType }: AttachedFile) =>
      cell === '`text/…`' ? mediaType.startsWith('text/') : !cell.startsWith('a note')
    expect(given).toEqual(some.map(isGiven))
  })
})
