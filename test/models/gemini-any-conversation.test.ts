import { describe, expect, it } from 'vitest'
import type { Message } from '../../src/core/transcript.js'
import { encodeGemini } from '../../src/models/gemini/encode.js'
import type { ModelConfig, ModelRequest } from '../../src/models/model.js'
import { anyConversation, families, origins, tools } from './any-conversation.js'
import { plain } from './chat-canonical.js'
import { geminiComplaints } from './gemini-rules.js'
import { listOf } from './recorded-json.js'

const settings = {
  temperature: 0.5,
  topP: 0.9,
  topK: 5,
  seed: 1,
  stop: ['END'],
  parallelCalls: false,
  maxOutputTokens: 99,
  cache: 'long',
} as const
const hostedTools = [
  { tool: { googleSearch: {} }, risk: 'read' },
  { tool: { urlContext: {} }, risk: 'read' },
] as const
const at = (model: string, more: Partial<ModelConfig> = {}): ModelConfig => ({
  provider: 'gemini',
  model,
  ...settings,
  ...more,
})
const configs: readonly ModelConfig[] = [
  at(origins.gemini.model, { effort: 'none', hostedTools }),
  at('gemini-4-argon', { effort: 'max' }),
  at('gemini-3-flash-preview', { effort: 'minimal', hostedTools }),
  at('models/gemini-2.5-flash', { effort: 'none', hostedTools }),
  at('gemini-2.5-pro', { effort: 'none' }),
  at('gemini-2.0-flash', { effort: 'high', hostedTools }),
  at('gemma-4-31b-it', { effort: 'low' }),
  at('gemini-3.8-flash', { extra: { cachedContent: 'cachedContents/1' }, hostedTools }),
]
const choices: readonly ModelRequest['toolChoice'][] = [
  undefined,
  { mode: 'none' },
  { mode: 'required' },
  { mode: 'required', tools: ['query'] },
  { mode: 'required', tools: ['rate'] },
  { mode: 'auto', tools: ['find', 'write'] },
  { mode: 'auto', tools: ['gone'] },
]
const answer = { name: 'answer', schema: { type: 'object', properties: { a: { type: 'string', pattern: '.' } } } }

const requestOf = (messages: readonly Message[], seed: number): ModelRequest => ({
  instructions: 'Be brief.',
  tools: seed % 5 === 0 ? [] : tools,
  messages,
  cacheKey: 's',
  toolChoice: choices[seed % choices.length],
  ...(seed % 3 === 0 && { answer }),
})
const seeds = Array.from({ length: 70 }, (_, i) => i + 1)

describe.each(configs.map((config) => [config.model, config] as const))('Any conversation with %s', (_, config) => {
  it('is legal with any settings, and has all that was said', () => {
    for (const seed of seeds) {
      const { messages, asked, said, called } = anyConversation(seed, families)
      for (const length of asked) {
        const body = plain(encodeGemini(requestOf(messages.slice(0, length), seed), config))
        const found = geminiComplaints(body, config.model)
        expect({ seed, length, found }).toEqual({ seed, length, found: [] })
      }
      const text = JSON.stringify(encodeGemini(requestOf(messages, seed), config))
      expect([...said, ...called].filter((one) => !text.includes(one))).toEqual([])
    }
  })

  it('repeats from request to request its instructions, tools and earlier turns byte for byte', () => {
    for (const seed of seeds) {
      const { messages, asked } = anyConversation(seed, families)
      const bodies = asked.map((length) => plain(encodeGemini(requestOf(messages.slice(0, length), seed), config)))
      for (const [i, after] of bodies.slice(1).entries()) {
        const { contents: earlier, ...before } = bodies[i]!
        const { contents: later, ...rest } = after
        expect(JSON.stringify(rest)).toBe(JSON.stringify(before))
        expect(JSON.stringify(listOf(later).slice(0, listOf(earlier).length))).toBe(JSON.stringify(earlier))
      }
    }
  })
})
