import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.js'
import type { Message } from '../../src/core/transcript.js'
import { createChatDecoder, streamEnd } from '../../src/models/chat/decode.js'
import { encodeChat } from '../../src/models/chat/encode.js'
import type { ModelConfig, ModelRequest } from '../../src/models/model.js'
import { anyConversation, families, tools } from './any-conversation.js'
import { plain } from './chat-canonical.js'
import { chatComplaints, type ChatRules } from './chat-rules.js'
import { listOf, record, textOf } from './recorded-json.js'

const settings = {
  effort: 'low',
  temperature: 0.5,
  topP: 0.9,
  topK: 5,
  seed: 1,
  stop: ['END'],
  parallelCalls: false,
  maxOutputTokens: 99,
  serviceTier: 'flex',
  cache: 'long',
} as const
const at = (baseURL: string, model: string, more: Partial<ModelConfig> = {}): ModelConfig => ({
  provider: 'openai-compatible',
  model,
  baseURL,
  ...settings,
  ...more,
})
const hostedTools = [{ tool: { type: 'openrouter:web_search' }, risk: 'read' }] as const
const servers: readonly (readonly [ModelConfig, ChatRules])[] = [
  [at('http://localhost:8080/v1', 'm-1'), { alternates: true }],
  [at('http://localhost:11434/v1', 'qwen3'), { alternates: true }],
  [at('https://llm.example/v1', 'm-1'), { alternates: true }],
  [at('https://api.mistral.ai/v1', 'mistral-small-latest'), { alternates: true, mistral: true }],
  [at('https://api.deepseek.com', 'deepseek-v4'), { alternates: true, demanded: 'reasoning_content' }],
  [at('https://openrouter.ai/api/v1', 'x/y', { hostedTools }), { alternates: true }],
  [at('https://openrouter.ai/api/v1', 'anthropic/claude-opus-5.5'), { alternates: true }],
  [at('https://api.openai.com/v1', 'gpt-5.4'), { openAI: true }],
  [at('https://api.openai.com/v1', 'gpt-4.1', { effort: undefined }), { openAI: true }],
  [at('https://api.openai.com/v1', 'o3'), { openAI: true }],
]
const choices: readonly ModelRequest['toolChoice'][] = [
  undefined,
  { mode: 'none' },
  { mode: 'required' },
  { mode: 'required', tools: ['query'] },
  { mode: 'required', tools: ['find', 'query'] },
  { mode: 'required', tools: ['rate'] },
  { mode: 'auto', tools: ['find', 'write'] },
  { mode: 'auto', tools: ['gone'] },
]
const answer = { name: 'answer', schema: { type: 'object', properties: {} }, strict: true }

const requestOf = (messages: readonly Message[], seed: number): ModelRequest => ({
  instructions: 'Be brief.',
  tools: seed % 5 === 0 ? [] : tools,
  messages,
  cacheKey: 's',
  toolChoice: choices[seed % choices.length],
  ...(seed % 3 === 0 && { answer }),
})
/** Where the cache is to end moves on. */
const unmarked = (body: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(body), (key, value: Json) => (key === 'cache_control' ? undefined : value)) as JsonObject
const seeds = Array.from({ length: 60 }, (_, i) => i + 1)
const partsOf = (content: Json | undefined): Json[] =>
  typeof content === 'string' ? [content] : listOf(content).map((part) => (part.type === 'text' ? part.text! : part))

describe.each(servers.map(([config, rules]) => [config.baseURL, config.model, config, rules] as const))(
  'Any conversation with %s, %s',
  (_, __, config, rules) => {
    it('is legal with any settings, and has all that was said', () => {
      for (const seed of seeds) {
        const { messages, asked, said, called } = anyConversation(seed, families)
        for (const length of asked) {
          const body = plain(encodeChat(requestOf(messages.slice(0, length), seed), config))
          expect({ seed, length, found: chatComplaints(body, rules) }).toEqual({ seed, length, found: [] })
        }
        const text = JSON.stringify(encodeChat(requestOf(messages, seed), config))
        expect([...said, ...called].filter((one) => !text.includes(one))).toEqual([])
      }
    })

    it('repeats from request to request its instructions, tools and earlier turns byte for byte', () => {
      for (const seed of seeds) {
        const { messages, asked } = anyConversation(seed, families)
        const bodies = asked.map((length) =>
          unmarked(plain(encodeChat(requestOf(messages.slice(0, length), seed), config))),
        )
        for (const [i, after] of bodies.slice(1).entries()) {
          const before = bodies[i]!
          expect(JSON.stringify(after.tools)).toBe(JSON.stringify(before.tools))
          const [earlier, later] = [listOf(before.messages), listOf(after.messages)]
          const end = earlier.length - 1
          expect(JSON.stringify(later.slice(0, end))).toBe(JSON.stringify(earlier.slice(0, end)))
          // What the user says last may be gone on with.
          const [last, same] = [earlier[end]!, later[end]!]
          expect(same.role).toBe(last.role)
          const [was, is] = [partsOf(last.content), partsOf(same.content)]
          expect(is.slice(0, was.length - 1)).toEqual(was.slice(0, -1))
          const [ending, going] = [was.at(-1), is[was.length - 1]]
          const begins = typeof ending === 'string' ? textOf(going).slice(0, ending.length) : going
          expect(begins).toEqual(ending)
        }
      }
    })

    it('is decoded to what was encoded: texts, calls and their inputs', () => {
      for (const seed of seeds) {
        const { messages } = anyConversation(seed, families)
        for (const message of listOf(plain(encodeChat(requestOf(messages, seed), config)).messages)) {
          if (message.role !== 'assistant') continue
          const decoder = createChatDecoder()
          decoder.push({ choices: [{ message, finish_reason: 'stop' }] })
          decoder.push(streamEnd)
          const { parts } = decoder.reply()!
          const texts = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
          expect(texts).toBe(
            partsOf(message.content)
              .filter((part) => typeof part === 'string')
              .join(''),
          )
          const calls = parts.flatMap((part) => (part.type === 'call' ? [part] : []))
          expect(
            calls.map(({ wireId, toolName, inputText, isText }) => [wireId, toolName, inputText, !!isText]),
          ).toEqual(listOf(message.tool_calls).map(wired))
        }
      }
    })
  },
)

function wired({ id, type, function: called, custom }: JsonObject): Json[] {
  const isText = type === 'custom'
  const { name, input, arguments: text } = record(isText ? custom : called)
  return [id!, name!, (isText ? input : text)!, isText]
}
