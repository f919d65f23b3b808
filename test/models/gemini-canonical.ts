import type { Part } from '../../src/core/events.js'
import type { Json, JsonObject } from '../../src/core/json.js'
import type { KeyedCall, Message, Origin } from '../../src/core/transcript.js'
import { listOf, record, textOf } from './recorded-json.js'

interface Imported {
  readonly messages: Message[]
  /** What the canonical model has no word for. */
  readonly unsupported: readonly string[]
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
    const texts: string[] = []
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
        const { name, id, response } = record(functionResponse)
        const found = open.findIndex((call) => (id ? call.wireId === id : call.toolName === name))
        const [call] = open.splice(found, 1)
        const isError = 'error' in record(response)
        if (record(functionResponse).parts) unsupported.add('media in a function response')
        messages.push({ role: 'tool', call: call!, outcome: isError ? 'error' : 'ok', text: JSON.stringify(response) })
      } else if (typeof text === 'string') texts.push(text)
      else unsupported.add(Object.keys(part).join())
    }
    if (texts.length > 0) messages.push({ role: 'user', text: texts.join('\n') })
  }
  flush()
  return { messages, unsupported: [...unsupported] }
}

/** All that a history says: texts, calls and results in their order, and on which part each signature is. */
export function said(contents: readonly JsonObject[]): Json[] {
  return contents.flatMap(({ role, parts }) => {
    const list = listOf(parts)
    const responses = list.flatMap(({ functionResponse }): Json[] => {
      if (!functionResponse) return []
      const { name = null, id = null, response } = record(functionResponse)
      const { output, error } = record(response)
      const isOurs = textOf(output ?? error).startsWith('{')
      return [[name, id, isOurs ? (JSON.parse(textOf(output ?? error)) as Json) : (response ?? null)]]
    })
    const isSaid = (text: Json | undefined) => textOf(text).trim() !== '' && text !== '(no text)'
    const texts = list.flatMap(({ text }) => (isSaid(text) ? [textOf(text)] : []))
    if (role === 'user') return [...(texts.length > 0 ? [texts.join('\n')] : []), ...responses]
    return list.map((part) => ({ model: part }))
  })
}
