import { isDeepStrictEqual } from 'node:util'
import type { Json, JsonObject } from '../../src/core/json.js'
import { encodeAnthropic } from '../../src/models/anthropic/encode.js'
import { encodeGemini } from '../../src/models/gemini/encode.js'
import type { ModelConfig, ModelReply, ModelRequest } from '../../src/models/model.js'
import { encodeOpenAI } from '../../src/models/openai/encode.js'
import { assistantOf } from '../models/chat-canonical.js'
import { eventsOf, listOf, record } from '../models/recorded-json.js'
import type { Outcome, Served } from './replay.js'
import { toBody, type Family } from './responses.js'

const inside: JsonObject = { 'a b': [1, null, 'é\u2028'], deep: { text: 'kept' } }
/** What no provider has, in the shape of each one's items. */
const item: JsonObject = { type: 'x_unknown', id: 'x_1', x_inside: inside }
const geminiPart: JsonObject = { xUnknown: inside }

/** A response with an event and an item that nobody knows. */
export function plant(served: Served): Served {
  if (served.status !== 200) {
    const answer = JSON.parse(served.body) as Json
    return Array.isArray(answer)
      ? served
      : { ...served, body: JSON.stringify({ ...record(answer), x_unknown: inside }) }
  }
  if (served.contentType === 'application/json') {
    const answer = JSON.parse(served.body) as JsonObject
    const choices = listOf(answer.choices).map((choice) =>
      choice.message ? { ...choice, message: { ...record(choice.message), x_unknown: inside } } : choice,
    )
    return { ...served, body: JSON.stringify({ ...answer, x_unknown: inside, ...(answer.choices ? { choices } : {}) }) }
  }
  return { ...served, body: toBody(served.family, planters[served.family](eventsOf(served.body))) }
}

const planters: Readonly<Record<Family, (events: readonly JsonObject[]) => JsonObject[]>> = {
  openai(events) {
    const [first, ...rest] = events
    const output_index = 0
    const planted: JsonObject[] = [
      { type: 'response.output_item.added', output_index, item },
      { type: 'response.x_unknown.delta', output_index, delta: 'x' },
      { type: 'response.output_item.done', output_index, item },
    ]
    // Some servers give their items only at the end.
    const hasItems = events.some(({ type }) => type === 'response.output_item.done')
    return [
      ...(first ? [first] : []),
      { type: 'response.x_unknown', x_inside: inside },
      ...(hasItems ? planted : []),
      ...rest.map(later('output_index')).map((event) => {
        const { output } = record(event.response)
        if (!Array.isArray(output) || output.length === 0) return event
        return { ...event, response: { ...record(event.response), output: [item, ...(output as Json[])] } }
      }),
    ]
  },
  anthropic(events) {
    // After the last start: a message that starts again begins anew.
    const from = events.findLastIndex(({ type }) => type === 'message_start') + 1
    return [
      ...events.slice(0, from),
      { type: 'x_unknown', x_inside: inside },
      { type: 'content_block_start', index: 0, content_block: item },
      { type: 'content_block_delta', index: 0, delta: { type: 'x_delta', x: 'x' } },
      { type: 'content_block_stop', index: 0 },
      ...events.slice(from).map(later('index')),
    ]
  },
  chat: (events) => [
    { object: 'x_unknown', x_inside: inside },
    { choices: [{ index: 0, delta: { x_unknown: inside }, finish_reason: null }] },
    ...events,
  ],
  gemini: (events) => [
    { xUnknown: inside },
    { candidates: [{ content: { role: 'model', parts: [geminiPart] } }] },
    ...events,
  ],
}

const later =
  (key: string) =>
  (event: JsonObject): JsonObject =>
    typeof event[key] === 'number' ? { ...event, [key]: event[key] + 1 } : event

/**
 * Whether what was planted is in the reply as it was, nothing else has changed, and it goes back to its provider; not for Chat
 * Completions, where a server may refuse a field that it does not know.
 */
export function isKept(family: Family, before: Outcome, after: Outcome): boolean {
  if (!('reply' in before)) return 'code' in before && 'code' in after && after.code === before.code
  if (!('reply' in after)) return false
  // Of a refused turn only what was said is kept, since it must not be sent again; a full window has no turn at all.
  const isDropped = (family === 'anthropic' && before.reply.finish === 'refusal') || before.reply.finish === 'context'
  const { parts, finish } = after.reply
  // A number such as -0.0 is written another way when it is planted beside.
  const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as Json
  const rest = parts.flatMap((part) => (part.type === 'other' ? withoutPlanted(part.native) : [part]))
  const same = isDeepStrictEqual(plain(rest), plain(before.reply.parts)) && finish === before.reply.finish
  return same && (isDropped || goesBack(family, after.reply))
}

function withoutPlanted(native: Json): ModelReply['parts'] {
  if (isDeepStrictEqual(native, item) || isDeepStrictEqual(native, geminiPart)) return []
  const { x_unknown: planted, ...fields } = record(native)
  if (planted === undefined || !isDeepStrictEqual(planted, inside)) return [{ type: 'other', native }]
  return Object.keys(fields).length > 0 ? [{ type: 'other', native: fields }] : []
}

const encoders = { openai: encodeOpenAI, anthropic: encodeAnthropic, gemini: encodeGemini }

function goesBack(family: Family, reply: ModelReply): boolean {
  if (family === 'chat') return hasPlanted(reply.parts)
  const config: ModelConfig = { provider: family, model: 'm-1' }
  const turn = assistantOf(reply.parts, 1, config)
  const request: ModelRequest = {
    instructions: '',
    tools: [],
    messages: [
      { role: 'user', text: 'Hi' },
      turn,
      ...turn.calls.map((call) => ({ role: 'tool', call, trusted: true, outcome: 'ok', text: 'done' }) as const),
      { role: 'user', text: 'Go on.' },
    ],
    cacheKey: 's',
  }
  return hasPlanted(encoders[family](request, config))
}

/** Whether the planted object is anywhere in a value, whole. */
const hasPlanted = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  return isDeepStrictEqual(value, inside) || Object.values(value).some(hasPlanted)
}
