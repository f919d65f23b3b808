import { describe, expect, it } from 'vitest'
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.js'
import type { KeyedCall, Message } from '../../src/core/transcript.js'
import { legalName, partsOf } from '../../src/models/history.js'
import type { ModelConfig, ModelRequest } from '../../src/models/model.js'
import { encodeOpenAI } from '../../src/models/openai/encode.js'
import { toParts } from '../../src/models/openai/parts.js'
import { anyOpenAIHistory, tools } from './openai-canonical.js'
import { openAIComplaints } from './openai-rules.js'
import { listOf, textOf } from './recorded-json.js'

const hostedTools: ModelConfig['hostedTools'] = [
  { tool: { type: 'web_search' }, risk: 'read' },
  { tool: { type: 'mcp', server_label: 'zip', server_url: 'https://zip.example' }, risk: 'ask' },
]
const configs: readonly ModelConfig[] = [
  { provider: 'openai', model: 'gpt-6-astra', programs: true, toolSearch: true, hostedTools },
  { provider: 'openai', model: 'gpt-6-luna', effort: 'none', temperature: 1, programs: true },
  { provider: 'openai', model: 'gpt-5.4', toolSearch: true, effort: 'low', temperature: 1 },
  { provider: 'openai', model: 'gpt-5.4', hostedTools },
  { provider: 'openai', model: 'gpt-5.2', toolSearch: true, programs: true },
  { provider: 'openai', model: 'gpt-4.1', effort: 'high', temperature: 1, stop: ['.'] },
  { provider: 'openai', model: 'o3-mini', cache: 'long' },
  { provider: 'openai', model: 'deepseek-v4-flash' },
  { provider: 'openai', model: 'my-deployment', cache: 'off' },
]
const seeds = Array.from({ length: 60 }, (_, i) => i + 1)
const choices: readonly ModelRequest['toolChoice'][] = [
  undefined,
  { mode: 'required' },
  { mode: 'required', tools: ['find'] },
  { mode: 'required', tools: ['late'] },
  { mode: 'required', tools: ['query', 'programmed'] },
  { mode: 'auto', tools: ['find', 'query', 'zip.short'] },
  { mode: 'auto', tools: ['crm__list'] },
  { mode: 'auto', tools: ['scripted'] },
  { mode: 'none' },
]

const requestOf = (messages: readonly Message[], seed: number): ModelRequest => ({
  instructions: 'Be brief.',
  tools,
  messages,
  cacheKey: 's',
  toolChoice: choices[seed % choices.length],
})
const encoded = (messages: readonly Message[], config: ModelConfig, seed = 0): JsonObject =>
  JSON.parse(JSON.stringify(encodeOpenAI(requestOf(messages, seed), config))) as JsonObject

describe.each(configs.map((config) => [config.model, config] as const))('Any history for %s', (_, config) => {
  it('is legal, sent whole or from the last response that is kept', () => {
    for (const seed of seeds) {
      const messages = anyOpenAIHistory(seed, config)
      const whole = openAIComplaints(encoded(messages, config, seed))
      const kept = openAIComplaints(encoded(messages, { ...config, stored: true }, seed))
      expect({ seed, whole, kept }).toEqual({ seed, whole: [], kept: [] })
    }
  })

  it('begins with exactly what was sent before it, and has the same tools', () => {
    for (const seed of seeds.slice(0, 30)) {
      const messages = anyOpenAIHistory(seed, config)
      const after = encoded(messages, config, seed)
      for (const end of endsOf(messages)) {
        const before = encoded(messages.slice(0, end), config, seed)
        expect(listOf(after.input).slice(0, listOf(before.input).length)).toEqual(before.input)
        expect(JSON.stringify([after.tools, after.instructions])).toBe(
          JSON.stringify([before.tools, before.instructions]),
        )
      }
    }
  })

  it('goes on from a kept response with what is new and nothing else', () => {
    let kept = 0
    for (const seed of seeds) {
      const messages = anyOpenAIHistory(seed, config)
      for (const end of endsOf(messages)) {
        const some = messages.slice(0, end)
        const whole = encoded(some, config, seed)
        const { previous_response_id: id, store, input, ...rest } = encoded(some, { ...config, stored: true }, seed)
        const last = some.findLastIndex(({ role }) => role === 'assistant')
        const turn = some[last] as Message & { role: 'assistant' }
        expect(store).toBe(true)
        expect(rest).toEqual(withoutInput(whole))
        const isKept = id !== undefined
        if (isKept) kept++
        const [mine, all] = [listOf(input), listOf(whole.input)]
        expect(mine).toEqual(isKept && mine.length < all.length ? all.slice(all.length - mine.length) : all)
        const model = isKept ? { model: config.model, state: { responseId: id } } : undefined
        expect(model).toEqual(isKept ? { model: turn.origin.model, state: turn.serverState } : undefined)
        const own = mine.filter(({ type, role }) => role === 'assistant' || textOf(type).endsWith('_call'))
        expect(isKept ? own : []).toEqual([])
      }
    }
    expect(kept).toBeGreaterThan(20)
  })

  it('keeps all text, calls and results when it is read again', () => {
    for (const seed of seeds) {
      const messages = anyOpenAIHistory(seed, config)
      const { input } = encoded(messages, config, seed)
      const { texts, calls, results } = readAgain(listOf(input))
      expect({ seed, texts: texts.toSorted() }).toEqual({ seed, texts: textsOf(messages).toSorted() })
      const made = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
      expect(calls.length).toBe(made.length)
      const left = [...calls]
      for (const call of made) {
        const at = left.findIndex((found) => isSame(found, call))
        expect({ seed, call, found: at >= 0 }).toEqual({ seed, call, found: true })
        left.splice(at, 1)
      }
      const told = messages.flatMap((message) =>
        message.role === 'tool' && message.call.executor !== 'provider' ? [message.text] : [],
      )
      const isThere = (text: string) => results.some((one) => one === text || one.includes(JSON.stringify(text)))
      expect(told.filter((text) => !isThere(text))).toEqual([])
    }
  })
})

const withoutInput = (body: JsonObject): JsonObject => {
  const { input: _, store: __, ...rest } = body
  return rest
}

/** Where a request may be made: no call waits for its result. */
const endsOf = (messages: readonly Message[]): number[] =>
  messages.flatMap(({ role }, i) => {
    const next = messages[i + 1]?.role
    return (role === 'user' || role === 'tool') && next !== 'tool' && next !== 'instructions' ? [i + 1] : []
  })

const textsOf = (messages: readonly Message[]): string[] =>
  messages.flatMap((message) =>
    message.role === 'assistant'
      ? partsOf(message).flatMap(({ part }) =>
          (part.type === 'text' || part.type === 'refusal') && part.text.trim() !== '' ? [part.text] : [],
        )
      : [],
  )

interface Found {
  readonly name: string
  readonly text: string
  readonly isText: boolean
}

function readAgain(items: readonly JsonObject[]) {
  const texts: string[] = []
  const calls: Found[] = []
  const results: string[] = []
  const names = new Set(tools.map(({ name }) => name))
  for (const item of items) {
    if (item.role === 'assistant' && typeof item.content === 'string') texts.push(item.content)
    else if (textOf(item.type).endsWith('_output') && item.output !== undefined)
      results.push(
        ...(typeof item.output === 'string'
          ? [item.output]
          : ['', ...listOf(item.output).map(({ text }) => textOf(text))]),
      )
    else if (item.type !== undefined && item.role !== 'developer')
      for (const part of toParts(item, names)) {
        if ((part.type === 'text' || part.type === 'refusal') && part.text.trim() !== '') texts.push(part.text)
        if (part.type === 'call')
          calls.push({ name: part.toolName, text: part.inputText, isText: part.isText === true })
      }
  }
  return { texts, calls, results }
}

function isSame({ name, text, isText }: Found, { toolName, input, inputText }: KeyedCall): boolean {
  if (name !== toolName && name !== legalName(toolName)) return false
  if (isText) return text === input || text === inputText
  const read = parsed(text)
  if (text === inputText) return true
  if (!isJsonObject(read)) return false
  if (typeof input === 'string') return read.input === input
  return input === undefined ? read.INVALID_JSON === inputText : JSON.stringify(read) === JSON.stringify(input)
}

const parsed = (text: string): Json | undefined => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
