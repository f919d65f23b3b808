import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.js'
import { createChatDecoder, streamEnd } from '../../src/models/chat/decode.js'
import { encodeChat } from '../../src/models/chat/encode.js'
import { assistantOf, configOf, essence, plain, rulesFor, toHistory, unsupported } from './chat-canonical.js'
import { chatRecordings, hasRecordings, toolsOf, type ChatRecording } from './chat-recordings.js'
import { chatComplaints } from './chat-rules.js'
import { eventsOf, listOf, record, textOf } from './recorded-json.js'

/** An answer, and the next request of the recorded client, which sends that answer back. */
type Pair = readonly [answer: ChatRecording, next: ChatRecording]

const conversationOf = ({ request }: ChatRecording): JsonObject[] =>
  listOf(request?.messages).filter(({ role }) => !/system|developer/.test(textOf(role)))

function pairs(): Pair[] {
  const all = chatRecordings().filter(({ status, request }) => status === 200 && request)
  return all.flatMap((answer, i): Pair[] => {
    const next = all[i + 1]
    if (/"error": ?\{/.test(answer.body) || unsupported(next?.request ?? {})) return []
    if (!next || next.name.replace(/#\d+$/, '') !== answer.name.replace(/#\d+$/, '') || next.url !== answer.url)
      return []
    const [before, after] = [conversationOf(answer), conversationOf(next)]
    const continues = before.every((message, at) => JSON.stringify(message) === JSON.stringify(after[at]))
    return continues && after[before.length]?.role === 'assistant' ? [[answer, next]] : []
  })
}

/** Ids by the order in which they come: the recorded client made up its own where there was none. */
function numbered(messages: readonly JsonObject[]): JsonObject[] {
  const ids = [...new Set(messages.flatMap(({ calls }) => listOf(calls).map(({ id }) => id ?? null)))]
  return JSON.parse(JSON.stringify(messages), (key, value: Json) =>
    key === 'id' || key === 'tool_call_id' ? ids.indexOf(value) : value,
  ) as JsonObject[]
}

/** A client may leave out white space around the text and write arguments anew; this one sends thoughts in tags back. */
function loosely(messages: readonly JsonObject[]): JsonObject[] {
  return JSON.parse(JSON.stringify(messages), (key, value: Json) =>
    key === 'arguments'
      ? (JSON.parse(textOf(value)) as Json)
      : key === 'text'
        ? textOf(value)
            .replace(/^\s*<think>[^]*<\/think>/, '')
            .trim()
        : value,
  ) as JsonObject[]
}

describe.skipIf(!hasRecordings)('A recorded answer that is decoded and sent back', () => {
  const list = pairs()

  it('is one of at least twenty, most of them with calls', () => {
    const calling = list.filter(([answer, next]) => conversationOf(next)[conversationOf(answer).length]?.tool_calls)
    console.log(`${list.length} answers with the next request, ${calling.length} of them with calls`)
    expect(list.length).toBeGreaterThanOrEqual(20)
    expect(calling.length).toBeGreaterThanOrEqual(15)
  })

  it.each(list.map((pair) => [pair[1].name, pair] as const))(
    'makes the next request of the recorded client: %s',
    (_, [answer, next]) => {
      const config = configOf(next)
      const decoder = createChatDecoder(toolsOf(answer.request))
      const events = answer.isStream ? eventsOf(answer.body) : [JSON.parse(answer.body) as JsonObject]
      for (const event of [...events, streamEnd]) decoder.push(event)
      const reply = decoder.reply()!
      const at = conversationOf(answer).length
      // All but the answer itself is what the client said it was.
      const messages = [...toHistory({ messages: conversationOf(next) }, config)]
      messages[at] = assistantOf(reply.parts, at, config)
      const sent = plain(encodeChat({ instructions: '', tools: [], messages, cacheKey: 's' }, config))
      expect(chatComplaints(sent, rulesFor(next.url))).toEqual([])
      expect(loosely(numbered(listOf(sent.messages).map(essence)))).toEqual(
        loosely(numbered(conversationOf(next).map(essence))),
      )
      const thoughtsIn = (message: JsonObject) => Object.entries(message).filter(([key]) => key.startsWith('reasoning'))
      const takes = /deepseek\.com|z\.ai|snowflake|ollama\.com/.test(next.url)
      const given = record(conversationOf(next)[at])
      expect(thoughtsIn(listOf(sent.messages)[at]!)).toEqual(takes ? thoughtsIn(given) : [])
    },
  )
})
