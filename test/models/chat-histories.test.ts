import { describe, expect, it } from 'vitest'
import type { Part } from '../../src/core/events.js'
import type { Json, JsonObject } from '../../src/core/json.js'
import type { KeyedCall, Message, Origin } from '../../src/core/transcript.js'
import { encodeAnthropic } from '../../src/models/anthropic/encode.js'
import { encodeChat } from '../../src/models/chat/encode.js'
import type { ModelConfig } from '../../src/models/model.js'
import { encodeOpenAI } from '../../src/models/openai/encode.js'
import { asOne, configOf, essence, plain, rulesFor, toHistory, unsupported } from './chat-canonical.js'
import { chatRecordings, hasRecordings, toolsOf } from './chat-recordings.js'
import { chatComplaints, type ChatRules } from './chat-rules.js'
import { anthropicComplaints } from './anthropic-rules.js'
import { openAIComplaints } from './openai-rules.js'
import { listOf, textOf } from './recorded-json.js'

describe.skipIf(!hasRecordings)('Requests that servers accepted', () => {
  const accepted = chatRecordings().filter(({ status, request }) => status === 200 && request)
  const mine = accepted.filter(({ request }) => unsupported(request!) === undefined)
  const reasons = accepted.flatMap(({ request }) => unsupported(request!) ?? [])

  it('are most of those that were recorded', () => {
    const counts = [...new Set(reasons)].map(
      (reason) => `${reasons.filter((one) => one === reason).length} with ${reason}`,
    )
    const calling = mine.filter(({ request }) => listOf(request!.messages).some(({ role }) => role === 'tool'))
    console.log(
      `${mine.length} of ${accepted.length}, ${calling.length} of them with results; not ${counts.join(', ')}`,
    )
    expect(mine.length).toBeGreaterThan(accepted.length * 0.75)
  })

  const titled = mine.map((recording) => [recording.name, recording] as const)

  it.each(titled)('pass our own check: %s', (_, { request, url }) => {
    expect(chatComplaints(request!, { ...rulesFor(url), alternates: false })).toEqual([])
  })

  it.each(titled)('are encoded again to what the server takes, with the same in it: %s', (_, recording) => {
    const config = configOf(recording)
    const history = toHistory(recording.request!, config)
    const request = { instructions: '', tools: toolsOf(recording.request), messages: history, cacheKey: 's' }
    const sent = plain(encodeChat(request, config))
    expect(chatComplaints(sent, rulesFor(recording.url))).toEqual([])
    const conversation = listOf(recording.request!.messages)
    const start = conversation.findIndex(({ role }) => !/system|developer/.test(textOf(role)))
    conversation.splice(0, start)
    const messages = listOf(sent.messages).filter(({ content }) => content !== 'Go on.')
    expect(asOne(messages.map(essence))).toEqual(asOne(conversation.map(essence)))
    // What the server is known to take back is what it was given.
    for (const [i, message] of messages.entries())
      expect(conversation[i]).toMatchObject(
        Object.fromEntries(Object.entries(message).filter(([key]) => key.startsWith('reasoning'))),
      )
  })
})

describe.skipIf(!hasRecordings)('A server that takes its reasoning back', () => {
  const takes = /deepseek\.com|z\.ai|snowflake|ollama\.com/
  const accepted = chatRecordings().filter(({ status, url, request }) => status === 200 && request && takes.test(url))

  it('gets exactly what was recorded to be accepted', () => {
    const reasoningIn = (body: JsonObject) =>
      listOf(body.messages)
        .map((message) => Object.entries(message).filter(([key]) => key.startsWith('reasoning')))
        .filter((fields) => fields.length > 0)
    let given = 0
    for (const recording of accepted) {
      const config = configOf(recording)
      const messages = toHistory(recording.request!, config)
      const sent = plain(encodeChat({ instructions: '', tools: [], messages, cacheKey: 's' }, config))
      expect(reasoningIn(sent)).toEqual(reasoningIn(recording.request!))
      given += reasoningIn(sent).length
    }
    console.log(`${given} messages with reasoning, in ${accepted.length} requests`)
    expect(given).toBeGreaterThan(4)
  })
})

const servers: readonly (readonly [ModelConfig, ChatRules])[] = [
  [{ provider: 'openai-compatible', model: 'm-1', baseURL: 'http://localhost:8080/v1' }, { alternates: true }],
  [
    { provider: 'openai-compatible', model: 'mistral-large', baseURL: 'https://api.mistral.ai/v1' },
    { alternates: true, mistral: true },
  ],
  [
    { provider: 'openai-compatible', model: 'deepseek-v4', baseURL: 'https://api.deepseek.com' },
    { alternates: true, demanded: 'reasoning_content' },
  ],
  [{ provider: 'openai-compatible', model: 'x/y', baseURL: 'https://openrouter.ai/api/v1' }, { alternates: true }],
]
const gpt = { provider: 'openai', model: 'gpt-6-astra' }
const claude = { provider: 'anthropic', model: 'claude-opus-5-5' }
const origins: Origin[] = [...servers.map(([config]) => config), gpt, claude]

/** Transcripts of all kinds: models change, ids are blank, taken or odd, arguments do not parse, replies are cut or refused. */
function anyHistory(seed: number): Message[] {
  let state = seed
  const below = (n: number) => {
    state = (state * 1664525 + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
  const one = <T>(...choices: T[]): T => choices[below(choices.length)]!
  const messages: Message[] = [{ role: 'user', text: 'Hi' }]
  for (let step = 1; step <= 8; step++) {
    const { provider, model } = one(...origins)
    const calls: KeyedCall[] = []
    const parts = Array.from({ length: below(5) }, () => anyPart(provider, one, step, calls))
    const isCut = below(6) === 0
    messages.push({
      role: 'assistant',
      parts: isCut ? parts.filter(({ type }) => type !== 'other') : parts,
      calls: isCut ? [] : calls,
      origin: { provider, model },
    })
    const results = (isCut ? [] : calls).map((call): Message => {
      return {
        role: 'tool',
        call,
        trusted: true,
        outcome: one('ok', 'error', 'denied'),
        text: one('done', '', '{"error":1}'),
      }
    })
    messages.push(...(below(2) === 0 ? results : results.toReversed()))
    if (below(4) === 0) messages.push({ role: 'news', callId: '1.0', done: true, text: 'It took effect.' })
    if (results.length === 0 ? below(4) > 0 : below(3) === 0) messages.push({ role: 'user', text: one('And?', ' ') })
  }
  return messages
}

function anyPart(provider: string, one: <T>(...choices: T[]) => T, step: number, calls: KeyedCall[]): Part {
  const isChat = provider === 'openai-compatible'
  switch (one('text', 'reasoning', 'refusal', 'other', 'call', 'call')) {
    case 'text': {
      const text = one('Well.', '', ' \n')
      const native = isChat ? one(undefined, { type: 'text', text }) : undefined
      return { type: 'text', text, ...(native ? { native } : {}) }
    }
    case 'reasoning': {
      const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }
      const details = [{ type: 'reasoning.text', text: 'Hm' }]
      const chat = one<JsonObject>(
        { reasoning_content: 'Hm' },
        { reasoning: 'Hm', reasoning_details: details },
        thinking,
      )
      const encrypted = { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'x' }
      const signed = { type: 'thinking', thinking: '', signature: 's' }
      return { type: 'reasoning', text: 'Hm', native: isChat ? chat : provider === 'openai' ? encrypted : signed }
    }
    case 'refusal':
      return { type: 'refusal', text: 'No.' }
    case 'other':
      return {
        type: 'other',
        native: isChat
          ? one<JsonObject>(
              { annotations: [1], extra_content: {} },
              { id: 'x', type: 'function', function: { name: '', arguments: '{}' } },
            )
          : {
              type: provider === 'openai' ? 'web_search_call' : 'server_tool_use',
              id: 's',
              name: 'web_search',
              input: {},
            },
      }
    default: {
      const callId = `${step}.${calls.length}`
      const wireId = one(undefined, '', 'same', `own_${step}_${calls.length}`, 'odd id:1', 'aB3dE6gH9')
      const [input, inputText] = one<[Json | undefined, string]>(
        [{ a: 1 }, '{"a":1}'],
        [undefined, '{"a'],
        ['text', '"text"'],
      )
      const toolName = one('find', 'functions.find', 'x'.repeat(80))
      calls.push({ key: `1.${callId}`, callId, toolName, input, inputText, wireId, caller: 'model' })
      return { type: 'call', callId }
    }
  }
}

const requestOf = (messages: Message[]) => ({ instructions: 'Be brief.', tools: [], messages, cacheKey: 's' })
const seeds = Array.from({ length: 300 }, (_, i) => i + 1)

it.each(servers.map(([config, rules]) => [config.baseURL, config, rules] as const))(
  'Any history, whoever wrote it, is encoded to what a server takes: %s',
  (_, config, rules) => {
    for (const seed of seeds) {
      const body = plain(encodeChat(requestOf(anyHistory(seed)), config))
      expect({ seed, complaints: chatComplaints(body, rules) }).toEqual({ seed, complaints: [] })
    }
  },
)

it('Any history that these servers wrote is taken by the other providers, too', () => {
  for (const seed of seeds) {
    const request = requestOf(anyHistory(seed))
    expect(openAIComplaints(plain(encodeOpenAI(request, { ...gpt, model: 'gpt-5.4' })))).toEqual([])
    expect(anthropicComplaints(plain(encodeAnthropic(request, { ...claude, model: 'claude-haiku-5-5' })))).toEqual([])
  }
})

it('Calls and results all arrive, each result with the id of its call', () => {
  for (const seed of seeds) {
    const history = anyHistory(seed)
    for (const [config] of servers) {
      const messages = listOf(plain(encodeChat(requestOf(history), config)).messages)
      const asked = messages.flatMap(({ tool_calls }) => listOf(tool_calls).map(({ id }) => id))
      const given = messages.flatMap(({ role, tool_call_id }) => (role === 'tool' ? [tool_call_id] : []))
      expect(given).toEqual(asked)
      expect(given).toHaveLength(history.filter(({ role }) => role === 'tool').length)
    }
  }
})

it('From step to step a request begins with the bytes of the one before it, but for its last message', () => {
  for (const seed of seeds.slice(0, 60))
    for (const [config] of servers) {
      const history = anyHistory(seed)
      const bodies = history.flatMap((message, i) => {
        const isAsked = message.role !== 'assistant' && history[i + 1]?.role === 'assistant'
        return isAsked ? [plain(encodeChat(requestOf(history.slice(0, i + 1)), config))] : []
      })
      expect(bodies.length).toBeGreaterThan(1)
      for (const [i, body] of bodies.slice(1).entries()) {
        const [before, after] = [listOf(bodies[i]!.messages), listOf(body.messages)]
        const [last, same] = [before.at(-1)!, after[before.length - 1]!]
        expect(JSON.stringify(after.slice(0, before.length - 1))).toBe(JSON.stringify(before.slice(0, -1)))
        expect(same.role).toBe(last.role)
        expect(textOf(same.content).startsWith(textOf(last.content))).toBe(true)
      }
    }
})
