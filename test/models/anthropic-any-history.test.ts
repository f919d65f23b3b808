import { expect, it } from 'vitest'
import type { JsonObject } from '../../src/core/json.js'
import type { Message } from '../../src/core/transcript.js'
import { encodeAnthropic, encodeAnthropicWith } from '../../src/models/anthropic/encode.js'
import { firstWay } from '../../src/models/anthropic/way.js'
import type { ModelConfig, ModelRequest } from '../../src/models/model.js'
import { argumentsOf, legalName } from '../../src/models/history.js'
import { anyTranscript, tools } from './anthropic-canonical.js'
import { anthropicComplaints } from './anthropic-rules.js'
import { listOf, textOf } from './recorded-json.js'

const claude: ModelConfig = { provider: 'anthropic', model: 'claude-opus-5', programs: true, toolSearch: true }
const configs: readonly ModelConfig[] = [
  claude,
  { ...claude, model: 'claude-sonnet-5-5', effort: 'none', parallelCalls: false },
  { ...claude, model: 'claude-haiku-4-5', effort: 'high', temperature: 0.5, cache: 'long' },
  { ...claude, model: 'claude-sonnet-4-5', programs: false, toolSearch: false, parallelCalls: false, cache: 'off' },
  { ...claude, model: 'claude-model-of-tomorrow', effort: 'max', stop: [' ', 'END'] },
  {
    ...claude,
    model: 'claude-opus-4-6',
    extra: { thinking: { type: 'enabled', budget_tokens: 2000 } },
    hostedTools: [
      { risk: 'read', tool: { type: 'web_search_20260209', name: 'web_search' } },
      { risk: 'read', tool: { type: 'memory_20250818', name: 'find' } },
    ],
  },
]
const choices: readonly ModelRequest['toolChoice'][] = [
  undefined,
  { mode: 'none' },
  { mode: 'required' },
  { mode: 'required', tools: ['send'] },
  { mode: 'required', tools: ['find'] },
  { mode: 'auto', tools: ['find', 'send'] },
]

const requestOf = (messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  instructions: 'Be brief.',
  tools,
  messages,
  cacheKey: 's',
  ...more,
})
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as JsonObject
const withoutMarks = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (key, inside: unknown) =>
    key === 'cache_control' ? undefined : inside,
  ) as JsonObject
const seeds = Array.from({ length: 80 }, (_, i) => i + 1)

it('The Messages API takes any history, whoever wrote it, with any settings', () => {
  for (const seed of seeds) {
    const config = configs[seed % configs.length]!
    const { messages, asked } = anyTranscript(seed, { self: config, isTorn: seed % 3 > 0 })
    const answer = { name: 'answer', schema: { type: 'object', properties: {}, additionalProperties: false } }
    const more = {
      toolChoice: choices[Math.floor(seed / configs.length) % choices.length],
      ...(seed % 4 === 0 && { answer }),
    }
    for (const length of [...asked, messages.length]) {
      const body = plain(encodeAnthropic(requestOf(messages.slice(0, length), more), config))
      expect({ seed, length, complaints: anthropicComplaints(body) }).toEqual({ seed, length, complaints: [] })
    }
  }
})

it('What was sent once is sent again as it was, and only the mark of the cache moves', () => {
  for (const seed of seeds) {
    const config = configs[seed % configs.length]!
    const { messages, asked } = anyTranscript(seed, { self: config, isTorn: false })
    const bodies = [...asked, messages.length].map((length) =>
      withoutMarks(encodeAnthropic(requestOf(messages.slice(0, length)), config)),
    )
    for (const [i, before] of bodies.slice(0, -1).entries()) {
      const after = bodies[i + 1]!
      expect([after.system, after.tools]).toEqual([before.system, before.tools])
      const [was, is] = [blocksOf(before), blocksOf(after)]
      // Where a reply came to nothing, what was said before it and after it is one turn: instructions are its end.
      const isKept = is.filter(isModels).length > was.filter(isModels).length
      const sure = isKept ? was : was.slice(0, was.findLastIndex(isModels) + 1)
      expect({ seed, i, sent: is.slice(0, sure.length) }).toEqual({ seed, i, sent: sure })
    }
  }
})

interface SentBlock {
  readonly role: unknown
  readonly block: JsonObject
}
const isModels = ({ role }: SentBlock) => role === 'assistant'
/** Turns that follow each other in one role are one for the provider. */
const blocksOf = ({ messages }: JsonObject): SentBlock[] =>
  listOf(messages).flatMap(({ role, content }) => listOf(content).map((block) => ({ role: role!, block })))

it('What the model sent goes back as it was', () => {
  for (const seed of seeds) {
    const { messages, blocks } = anyTranscript(seed, { self: claude, isTorn: false })
    const sent = new Set(
      blocksOf(plain(encodeAnthropic(requestOf(messages), claude)))
        .filter(isModels)
        .map(({ block }) => JSON.stringify(block)),
    )
    const lost = blocks.filter((block) => !sent.has(JSON.stringify(block)))
    // A turn may not end in thinking, and blank text is refused.
    const others = lost.filter(({ type, text }) => !textOf(type).endsWith('thinking') && text !== '\n\n')
    expect({ seed, others }).toEqual({ seed, others: [] })
  }
})

it('Texts, calls and results of any history are sent, each once', () => {
  for (const seed of seeds) {
    const { messages } = anyTranscript(seed, { self: claude, isTorn: seed % 2 === 0 })
    const { body, isWaiting } = encodeAnthropicWith(requestOf(messages), claude, firstWay(claude.model))
    const facts = blocksOf(plain(body)).flatMap(({ role, block }) => {
      if (block.type === 'text') return [`${role === 'assistant' ? 'text' : 'user'} ${textOf(block.text)}`]
      if (block.type === 'tool_use') return [`call ${textOf(block.name)} ${JSON.stringify(block.input)}`]
      return block.type === 'tool_result'
        ? [`result ${textOf(block.content) || textOf(listOf(block.content)[0]?.text)}`]
        : []
    })
    const told = messages.flatMap(factsOf)
    const missing = without(told, facts)
    expect({ seed, missing: isWaiting ? missing.filter((one) => !one.startsWith('user')) : missing }).toEqual({
      seed,
      missing: [],
    })
    const calls = facts.filter((one) => one.startsWith('call'))
    expect({ seed, extra: without(calls, told) }).toEqual({ seed, extra: [] })
  }
})

function factsOf(message: Message): string[] {
  if (message.role === 'tool') return /^(\{"tools"|$)/.test(message.text) ? [] : [`result ${message.text}`]
  if (message.role === 'instructions') return []
  if (message.role !== 'assistant') return message.text.trim() === '' ? [] : [`user ${message.text}`]
  const texts = message.parts.flatMap((part) => (part.type === 'text' && part.text.trim() ? [`text ${part.text}`] : []))
  return [
    ...texts,
    ...message.calls.map((call) => `call ${legalName(call.toolName)} ${JSON.stringify(argumentsOf(call))}`),
  ]
}

function without(list: readonly string[], less: readonly string[]): string[] {
  const left = [...less]
  return list.filter((one) => {
    const at = left.indexOf(one)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}
