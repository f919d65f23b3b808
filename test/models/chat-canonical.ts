import type { AttachedFile } from '../../src/core/attached-file.js'
import type { Part } from '../../src/core/events.js'
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.js'
import type { KeyedCall, Message, Origin } from '../../src/core/transcript.js'
import type { ModelConfig, ReplyPart } from '../../src/models/model.js'
import type { ChatRecording } from './chat-recordings.js'
import type { ChatRules } from './chat-rules.js'
import { dataOf, mediaTypeOf } from './recorded-files.js'
import { listOf, record, textOf } from './recorded-json.js'

export const plain = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject

const isSystem = ({ role }: JsonObject): boolean => role === 'system' || role === 'developer'
const isText = ({ type }: JsonObject): boolean => /^(text|thinking|refusal)$/.test(textOf(type))

/** What of a conversation we cannot say. */
export function unsaid(body: JsonObject): string[] {
  const parts = listOf(body.messages).flatMap(({ content }) => listOf(content))
  const asked = listOf(body.messages).flatMap(({ tool_calls }) => listOf(tool_calls).map(({ id }) => id))
  const strays = listOf(body.messages).filter(({ role, tool_call_id: id }) => role === 'tool' && !asked.includes(id))
  return [
    ...strays.map(() => 'a result of a call elsewhere'),
    ...parts.flatMap(unsaidOf),
    ...listOf(body.messages).flatMap(unsaidMessage),
  ]
}

const roles = /^(system|developer|user|assistant|tool)$/

function unsaidMessage({ role = null, audio, function_call: called }: JsonObject): string[] {
  return [
    ...(roles.test(textOf(role)) ? [] : [`a message of role ${textOf(role)}`]),
    ...(audio ? ['sound of the model'] : []),
    ...(called ? ['a call of a function that is no tool'] : []),
  ]
}

function unsaidOf(part: JsonObject): string[] {
  if (isText(part)) return []
  if (!fileOf(part)) return [`content ${textOf(part.type)}`]
  return (record(part.image_url).detail ?? 'auto') === 'auto' ? [] : ['detail of an image']
}

/** A file as the servers have it. */
function fileOf(part: JsonObject): AttachedFile | undefined {
  const { image_url, document_url, video_url, file, input_audio } = part
  if (part.type === 'input_audio') {
    const { data, format } = record(input_audio)
    return { mediaType: format === 'wav' ? 'audio/wav' : 'audio/mpeg', data: textOf(data) }
  }
  const { file_data, filename, file_id } = record(file)
  if (file_id) return { mediaType: 'application/pdf', id: textOf(file_id), provider: 'openai' }
  const url = [image_url, document_url, video_url, file_data].map(urlOf).find((one) => one !== '')
  if (url === undefined) return undefined
  const kind = { image_url: 'image/jpeg', video_url: 'video/mp4' }[textOf(part.type)] ?? 'application/pdf'
  const name = filename ? { name: textOf(filename) } : {}
  return url.startsWith('data:')
    ? { mediaType: mediaTypeOf(url, kind), ...name, data: dataOf(url) }
    : { mediaType: mediaTypeOf(url, kind), ...name, url }
}

/** The pieces of what the user says: text, and files in between. */
function userMessages(content: Json | undefined): Message[] {
  const messages: (Message & { role: 'user' })[] = []
  for (const part of typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)) {
    const file = isText(part) ? undefined : fileOf(part)
    const last = messages.at(-1)
    if (!file) messages.push({ role: 'user', text: textOf(part.text) })
    else if (last) messages[messages.length - 1] = { ...last, files: [...(last.files ?? []), file] }
    else messages.push({ role: 'user', text: '', files: [file] })
  }
  return messages
}

const plainText = (content: Json | undefined, between = ''): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map(({ text }) => textOf(text))
        .join(between)

/** The conversation of a recorded request in our own words, without the instructions that it begins with. */
export function toHistory(body: JsonObject, origin: Origin): Message[] {
  const known = new Map<string, KeyedCall[]>()
  const messages = listOf(body.messages)
  const start = messages.findIndex((message) => !isSystem(message))
  return messages.slice(start < 0 ? messages.length : start).flatMap((message, step): Message[] => {
    const { role, content, tool_calls, ...rest } = message
    if (isSystem(message)) return [{ role: 'instructions', text: plainText(content, '\n') }]
    if (role === 'user') return userMessages(content)
    if (role === 'tool') {
      // Some servers give two calls one id: their results come in the order of the calls.
      const asked = known.get(textOf(message.tool_call_id)) ?? []
      const [call] = asked.length > 1 ? asked.splice(0, 1) : asked
      if (!call) return []
      const files = listOf(content).flatMap((part) => (isText(part) ? [] : (fileOf(part) ?? [])))
      return [
        { role, call, trusted: true, outcome: 'ok', text: plainText(content), ...(files.length > 0 && { files }) },
      ]
    }
    if (role !== 'assistant') return []
    const calls = listOf(tool_calls).map((call, index) => toCall(call, `${step}.${index}`))
    const ids = new Set(calls.map(({ wireId }) => wireId!))
    for (const id of ids)
      known.set(
        id,
        calls.filter(({ wireId }) => wireId === id),
      )
    const fields = Object.entries(rest).filter(([key]) => key.startsWith('reasoning'))
    const thoughts: Part[] =
      fields.length > 0 ? [{ type: 'reasoning', text: '', native: Object.fromEntries(fields) }] : []
    const said: Part[] =
      typeof content === 'string'
        ? [{ type: 'text', text: content }]
        : listOf(content).map((native): Part =>
            native.type === 'refusal'
              ? { type: 'refusal', text: textOf(native.refusal) }
              : { type: native.type === 'thinking' ? 'reasoning' : 'text', text: textOf(native.text), native },
          )
    const refusal = textOf(message.refusal)
    if (refusal !== '') said.push({ type: 'refusal', text: refusal })
    const natives = listOf(tool_calls)
    const asked = calls.map(({ callId }, i): Part => ({ type: 'call', callId, native: natives[i]! }))
    return [{ role, parts: [...thoughts, ...said, ...asked], calls, origin }]
  })
}

function toCall({ id, type, function: called, custom }: JsonObject, callId: string): KeyedCall {
  const { name, input, arguments: text } = record(type === 'custom' ? custom : called)
  const given = type === 'custom' ? input : text
  const inputText = isJsonObject(given) ? JSON.stringify(given) : textOf(given)
  return {
    key: `1.${callId}`,
    callId,
    toolName: textOf(name),
    input: type === 'custom' ? inputText : parsed(inputText || '{}'),
    inputText,
    wireId: textOf(id),
    caller: 'model',
  }
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** A message without what the clients and we spell differently: no content, lists of one text, fields of the client's own. */
export function essence(message: JsonObject): JsonObject {
  const { role, content = null, tool_calls, tool_call_id } = message
  const parts = listOf(content)
  const thinking = parts.filter(({ type }) => type === 'thinking')
  const calls = listOf(tool_calls).map(({ id, function: called, custom }) => {
    const input = custom && !textOf(record(called).name) ? { custom } : {}
    return { id: id ?? null, ...('custom' in input ? input : { function: called ?? null }) }
  })
  const files = parts.every(isText) ? {} : { pieces: pieces(parts) }
  return plain({
    role,
    text: plainText(content, role === 'user' ? '\n\n' : '') || refusalIn(message),
    ...files,
    thinking,
    calls,
    tool_call_id,
  })
}

const refusalIn = ({ content, refusal }: JsonObject): string =>
  textOf(refusal) ||
  listOf(content)
    .map((part) => textOf(part.refusal))
    .join('')

/** Texts and files in their order. */
const pieces = (parts: readonly JsonObject[]): Json[] =>
  parts.map((part): Json => {
    if (isText(part)) return textOf(part.text)
    const { type, image_url, file, ...rest } = part
    if (type === 'image_url') {
      const { detail = 'auto', ...image } = record(image_url)
      return { ...image, detail, url: urlOf(image_url) }
    }
    return type === 'file' ? { file: file ?? null } : { [textOf(type)]: rest[textOf(type)] ?? null }
  })

const urlOf = (url: Json | undefined): string => textOf(url) || textOf(record(url).url)

/** Messages, of which what the user says in several is one. */
export function asOne(messages: readonly JsonObject[]): JsonObject[] {
  const list: JsonObject[] = []
  for (const message of messages) {
    const last = list.at(-1)
    if (last?.role !== 'user' || message.role !== 'user') list.push(message)
    else {
      const all = [last, message].flatMap((one) => (one.pieces as Json[] | undefined) ?? [textOf(one.text)])
      const text = [last, message].map((one) => textOf(one.text)).join('\n\n')
      const isPlain = all.every((piece) => typeof piece === 'string')
      list[list.length - 1] = { ...last, text, ...(isPlain ? {} : { pieces: all }) }
    }
  }
  return list
}

export const rulesFor = (url: string): ChatRules => {
  const isOpenAI = /\/\/(api\.openai\.com|[\w-]+\.openai\.azure\.com)\b/.test(url)
  return {
    mistral: url.includes('mistral.ai'),
    ...(url.includes('deepseek.com') ? { demanded: 'reasoning_content' } : {}),
    alternates: !isOpenAI,
    openAI: isOpenAI,
  }
}
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
    const { toolName, inputText, wireId, isText: isWhole } = part
    const input = isWhole ? inputText : (JSON.parse(inputText) as Json)
    calls.push({ key: `1.${callId}`, callId, toolName, inputText, input, wireId, caller: 'model' })
    return { type: 'call', callId, native: part.native }
  })
  return { role: 'assistant', parts: kept, calls, origin }
}

/** Whether a recorded conversation can be said whole, with functions alone. */
export function unsupported(body: JsonObject): string | undefined {
  if (listOf(body.tools).some((tool) => !isJsonObject(tool.function))) return 'a hosted tool'
  if (listOf(body.messages).every(isSystem)) return 'instructions alone'
  return unsaid(body)[0]
}
