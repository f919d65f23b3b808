import type { AttachedFile } from '../../src/core/attached-file.js'
import type { Part } from '../../src/core/events.js'
import type { Json, JsonObject } from '../../src/core/json.js'
import type { KeyedCall, Message, Origin } from '../../src/core/transcript.js'
import { listOf, record, textOf } from './recorded-json.js'

interface Imported {
  readonly messages: Message[]
  /** What the canonical model has no word for. */
  readonly unsupported: readonly string[]
}
type UserTurn = Message & { role: 'user' }

function fileOf({ inlineData, fileData }: JsonObject): AttachedFile | undefined {
  const { mimeType, data, fileUri } = record(inlineData ?? fileData)
  const mediaType = textOf(mimeType)
  if (inlineData) return { mediaType, data: textOf(data) }
  // What has no type is a film of YouTube.
  return fileData ? { mediaType: mediaType || 'video/mp4', url: textOf(fileUri) } : undefined
}

/** A recorded history as ours. Contents of the model that follow each other are one message. */
export function importContents(contents: readonly JsonObject[], from: Origin): Imported {
  const messages: Message[] = []
  const unsupported = new Set<string>()
  const open: KeyedCall[] = []
  let calls: KeyedCall[] = []
  let parts: Part[] = []
  let step = 0
  const flush = () => {
    if (parts.length > 0) messages.push({ role: 'assistant', parts, calls, origin: from })
    calls = []
    parts = []
  }
  for (const { role, parts: list } of contents) {
    if (role !== 'model') flush()
    const spoken: UserTurn[] = []
    for (const part of listOf(list)) {
      const { text, functionCall, functionResponse } = part
      if (role === 'model' && functionCall) {
        const { name, args = {}, id } = record(functionCall)
        const callId = `${step++}`
        const inputText = JSON.stringify(args)
        const wireId = textOf(id) || undefined
        const call = {
          key: `1.${callId}`,
          callId,
          toolName: textOf(name),
          input: args,
          inputText,
          wireId,
          caller: 'model',
        } as const
        calls.push(call)
        open.push(call)
        parts.push({ type: 'call', callId, native: part })
      } else if (role === 'model' && typeof text === 'string')
        parts.push({ type: part.thought ? 'reasoning' : 'text', text, native: part })
      else if (role === 'model') parts.push({ type: 'other', native: part })
      else if (functionResponse) {
        const { name, id, response, parts: inside } = record(functionResponse)
        const found = open.findIndex((call) => (id ? call.wireId === id : call.toolName === name))
        const [call] = found < 0 ? [] : open.splice(found, 1)
        if (!call) {
          unsupported.add('a result of a call elsewhere')
          continue
        }
        const outcome = 'error' in record(response) ? 'error' : 'ok'
        const files = listOf(inside).flatMap((one) => fileOf(one) ?? [])
        const result = { role: 'tool', call, trusted: true, outcome, text: JSON.stringify(response) } as const
        messages.push(files.length > 0 ? { ...result, files } : result)
      } else {
        const file = fileOf(part)
        const last = spoken.at(-1)
        for (const key of Object.keys(part))
          if (!/^(text|inlineData|fileData)$/.test(key)) unsupported.add(`content ${key}`)
        if (file && last) spoken[spoken.length - 1] = { ...last, files: [...(last.files ?? []), file] }
        else if (file) spoken.push({ role: 'user', text: '', files: [file] })
        else if (last && !last.files) spoken[spoken.length - 1] = { ...last, text: `${last.text}\n${textOf(text)}` }
        else spoken.push({ role: 'user', text: textOf(text) })
      }
    }
    messages.push(...spoken)
  }
  flush()
  return { messages, unsupported: [...unsupported] }
}

/** All that a history says: texts, files, calls and results in their order, and on which part each signature is. */
export function said(contents: readonly JsonObject[]): Json[] {
  const all: Json[] = []
  for (const { role, parts } of contents)
    for (const part of listOf(parts)) {
      const last = all.at(-1)
      if (role === 'model') all.push({ model: part })
      else if (part.functionResponse) all.push(resultOf(record(part.functionResponse)))
      else if (typeof part.text !== 'string') all.push({ file: part })
      else if (part.text.trim() === '' || part.text === '(no text)') continue
      else if (typeof last === 'string') all[all.length - 1] = `${last}\n${part.text}`
      else all.push(part.text)
    }
  return all
}

function resultOf({ name = null, id = null, response, parts = [] }: JsonObject): Json {
  const { output, error } = record(response)
  const text = textOf(output ?? error)
  return [name, id, text.startsWith('{') ? (JSON.parse(text) as Json) : (response ?? null), parts]
}
