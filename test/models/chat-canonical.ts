import type { Part } from '../../src/core/events.js'
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.js'
import type { KeyedCall, Message, Origin } from '../../src/core/transcript.js'
import type { ModelConfig, ReplyPart } from '../../src/models/model.js'
import type { ChatRecording } from './chat-recordings.js'
import type { ChatRules } from './chat-rules.js'
import { listOf, record, textOf } from './recorded-json.js'

export const plain = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject

/** What of a request we cannot say: pictures and files, instructions in the middle, tools that are no functions. */
export function unsupported(body: JsonObject): string | undefined {
  const messages = listOf(body.messages)
  const odd = messages
    .flatMap(({ content }) => listOf(content))
    .find(({ type }) => !/^(text|thinking)$/.test(textOf(type)))
  if (odd) return `content of type "${textOf(odd.type)}"`
  if (listOf(body.tools).some((tool) => !isJsonObject(tool.function))) return 'a hosted tool'
  if (messages.every(({ role }) => role === 'system' || role === 'developer')) return 'instructions alone'
  return messages.slice(1).some(({ role }) => role === 'system' || role === 'developer')
    ? 'late instructions'
    : undefined
}

const plainText = (content: Json | undefined): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map(({ text }) => textOf(text))
        .join('')

/** The conversation of a recorded request in our own words. */
export function toHistory(body: JsonObject, origin: Origin): Message[] {
  const known = new Map<string, KeyedCall>()
  return listOf(body.messages).flatMap((message, step): Message[] => {
    const { role, content, tool_calls, ...rest } = message
    if (role === 'user') return [{ role, text: plainText(content) }]
    if (role === 'tool')
      return [{ role, call: known.get(textOf(message.tool_call_id))!, outcome: 'ok', text: plainText(content) }]
    if (role !== 'assistant') return []
    const calls = listOf(tool_calls).map(({ id, function: called }, index): KeyedCall => {
      const callId = `${step}.${index}`
      const inputText = textOf(record(called).arguments)
      const call = {
        key: `1.${callId}`,
        callId,
        toolName: textOf(record(called).name),
        input: JSON.parse(inputText) as Json,
        inputText,
      }
      return { ...call, wireId: textOf(id), caller: 'model' }
    })
    for (const call of calls) known.set(call.wireId!, call)
    const fields = Object.entries(rest).filter(([key]) => key.startsWith('reasoning'))
    const thoughts: Part[] =
      fields.length > 0 ? [{ type: 'reasoning', text: '', native: Object.fromEntries(fields) }] : []
    const said: Part[] =
      typeof content === 'string'
        ? [{ type: 'text', text: content }]
        : listOf(content).map((native) => ({
            type: native.type === 'thinking' ? 'reasoning' : 'text',
            text: textOf(native.text),
            native,
          }))
    return [
      {
        role,
        parts: [...thoughts, ...said, ...calls.map(({ callId }): Part => ({ type: 'call', callId }))],
        calls,
        origin,
      },
    ]
  })
}

/** A message without what the clients and we spell differently: no content, lists of one text, fields of the client's own. */
export function essence(message: JsonObject): JsonObject {
  const { role, content = null, tool_calls, tool_call_id } = message
  const thinking = listOf(content).filter(({ type }) => type === 'thinking')
  const calls = listOf(tool_calls).map(({ id, function: called }) => ({ id: id ?? null, function: called ?? null }))
  return plain({ role, text: plainText(content), thinking, calls, tool_call_id })
}

export const rulesFor = (url: string): ChatRules => ({
  mistral: url.includes('mistral.ai'),
  ...(url.includes('deepseek.com') ? { demanded: 'reasoning_content' } : {}),
  alternates: true,
})
export const configOf = ({ url, request }: ChatRecording): ModelConfig => ({
  provider: 'openai-compatible',
  model: textOf(request?.model),
  baseURL: url.replace(/\/chat\/completions.*$/, ''),
})

/** The message that a run makes of a reply, as its step `step`. */
export function assistantOf(
  parts: readonly ReplyPart[],
  step: number,
  origin: Origin,
): Message & { role: 'assistant' } {
  const calls: KeyedCall[] = []
  const kept = parts.map((part): Part => {
    if (part.type !== 'call') return part
    const callId = `${step}.${calls.length}`
    const { toolName, inputText, wireId } = part
    const input = JSON.parse(inputText) as Json
    calls.push({ key: `1.${callId}`, callId, toolName, inputText, input, wireId, caller: 'model' })
    return { type: 'call', callId, native: part.native }
  })
  return { role: 'assistant', parts: kept, calls, origin }
}
