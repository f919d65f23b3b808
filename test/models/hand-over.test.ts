import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/json.js'
import type { Message } from '../../src/core/transcript.js'
import { encodeAnthropic } from '../../src/models/anthropic/encode.js'
import { encodeChat } from '../../src/models/chat/encode.js'
import { encodeGemini } from '../../src/models/gemini/encode.js'
import type { ModelConfig, ModelRequest } from '../../src/models/model.js'
import { encodeOpenAI } from '../../src/models/openai/encode.js'
import { anyConversation, families, origins, tools, type Family } from './any-conversation.js'
import { anthropicComplaints } from './anthropic-rules.js'
import { chatComplaints } from './chat-rules.js'
import { geminiComplaints } from './gemini-rules.js'
import { openAIComplaints } from './openai-rules.js'

interface Side {
  readonly config: ModelConfig
  readonly encode: (request: ModelRequest, config: ModelConfig) => object
  readonly complaints: (body: JsonObject) => string[]
}

const sides: Readonly<Record<Family, Side>> = {
  openai: { config: origins.openai, encode: encodeOpenAI, complaints: openAIComplaints },
  chat: {
    config: { ...origins.chat, baseURL: 'https://api.openai.com/v1' },
    encode: encodeChat,
    complaints: (body) => chatComplaints(body, { openAI: true }),
  },
  anthropic: { config: origins.anthropic, encode: encodeAnthropic, complaints: anthropicComplaints },
  gemini: {
    config: origins.gemini,
    encode: encodeGemini,
    complaints: (body) => geminiComplaints(body, origins.gemini.model),
  },
}

const encoded = ({ encode, config }: Side, messages: readonly Message[]): JsonObject => {
  const request: ModelRequest = { instructions: 'Be brief.', tools, messages, cacheKey: 's' }
  return JSON.parse(JSON.stringify(encode(request, config))) as JsonObject
}
const seeds = Array.from({ length: 60 }, (_, i) => i + 1)
const pairs = families.flatMap((from) => families.map((to) => [from, to] as const))

/** What is missing, or comes in another order. Where instructions may stand in a turn is the provider's to say. */
function lost(text: string, said: readonly string[], called: readonly string[]): string[] {
  let at = 0
  const anywhere = [...called, ...said.filter((one) => one.startsWith('instructions'))]
  const inOrder = said.filter((one) => !one.startsWith('instructions'))
  return [
    ...anywhere.filter((one) => !text.includes(one)),
    ...inOrder.filter((one) => {
      const found = text.indexOf(one, at)
      if (found >= 0) at = found
      return found < 0
    }),
  ]
}

describe.each(pairs)('A conversation with %s', (from, to) => {
  it(`goes on with ${to}: it is legal there, and has all that was said, called and answered`, () => {
    for (const seed of seeds) {
      const { messages, asked, said, called } = anyConversation(seed, [from])
      for (const length of asked) {
        const body = encoded(sides[to], messages.slice(0, length))
        expect({ seed, length, complaints: sides[to].complaints(body) }).toEqual({ seed, length, complaints: [] })
      }
      const text = JSON.stringify(encoded(sides[to], messages))
      expect({ seed, lost: lost(text, said, called) }).toEqual({ seed, lost: [] })
      expect({ seed, isKept: from !== to && text.includes('opaque') }).toEqual({ seed, isKept: false })
    }
  })
})

it.each(families)('A conversation that all four had in turn is legal for %s, and nothing of it is lost', (to) => {
  for (const seed of seeds) {
    const { messages, asked, said, called } = anyConversation(seed, families)
    for (const length of asked) {
      const body = encoded(sides[to], messages.slice(0, length))
      expect({ seed, length, complaints: sides[to].complaints(body) }).toEqual({ seed, length, complaints: [] })
    }
    const text = JSON.stringify(encoded(sides[to], messages))
    expect({ seed, lost: lost(text, said, called) }).toEqual({ seed, lost: [] })
  }
})

/** Results that are lost, doubled or late, as in a history that another program kept. */
function broken(messages: readonly Message[], seed: number): Message[] {
  const kept: Message[] = []
  const late: Message[] = []
  for (const [i, message] of messages.entries()) {
    const chance = message.role === 'tool' ? (seed * 31 + i * 17) % 5 : 4
    if (chance > 0) kept.push(message)
    if (chance === 1) kept.push(message)
    if (chance === 2) late.push(kept.pop()!)
    if (message.role === 'user') kept.push(...late.splice(0))
  }
  return kept
}

it.each(families)('A history whose results are lost, doubled or late is mended for %s', (to) => {
  let changed = 0
  for (const seed of seeds) {
    const { messages, said } = anyConversation(seed, families)
    const given = broken(messages, seed)
    if (JSON.stringify(given) !== JSON.stringify(messages)) changed++
    const body = encoded(sides[to], given)
    expect({ seed, complaints: sides[to].complaints(body) }).toEqual({ seed, complaints: [] })
    expect({ seed, lost: lost(JSON.stringify(body), said, []) }).toEqual({ seed, lost: [] })
  }
  expect(changed).toBeGreaterThan(seeds.length / 2)
})
