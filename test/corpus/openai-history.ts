import type { AttachedFile } from '../../src/core/attached-file.js'
import type { Outcome, Part } from '../../src/core/events.js'
import type { Json, JsonObject } from '../../src/core/json.js'
import type { KeyedCall, Message, Origin } from '../../src/core/transcript.js'
import { dataOf, mediaTypeOf } from '../models/recorded-files.js'
import { listOf, textOf } from '../models/recorded-json.js'
import { parsed } from './import-pieces.js'

export interface Content {
  readonly text: string
  readonly files?: readonly AttachedFile[]
}

/** A content in our own words, and what in it we have no word for. */
export function contentIn(content: Json | undefined, missing: Set<string>): Content {
  if (typeof content === 'string') return { text: content }
  const pieces = listOf(content)
  const files = pieces.flatMap((piece): AttachedFile[] => {
    const { type, image_url, file_url, file_data, file_id, filename, detail } = piece
    if (textOf(type).endsWith('text')) return []
    const url = textOf(image_url) || textOf(file_url) || textOf(file_data)
    const otherwise = type === 'input_image' ? 'image/png' : 'application/pdf'
    if ((type !== 'input_image' && type !== 'input_file') || (detail ?? 'auto') !== 'auto') {
      missing.add(`content ${textOf(type)}${detail ? ' in detail' : ''}`)
      return []
    }
    if (url === '') return [{ mediaType: otherwise, id: textOf(file_id), provider: 'openai' }]
    const mediaType = mediaTypeOf(url, otherwise)
    const named = { mediaType, ...(typeof filename === 'string' && { name: filename }) }
    return [url.startsWith('data:') ? { ...named, data: dataOf(url) } : { ...named, url }]
  })
  const texts = pieces.filter(({ type }) => textOf(type).endsWith('text')).map(({ text }) => textOf(text))
  return { text: texts.join('\n'), ...(files.length > 0 && { files }) }
}

/** Puts a history together in the order of its items. */
export function createOpenAIHistory(origin: Origin) {
  const messages: Message[] = []
  const known = new Map<string, KeyedCall>()
  let parts: Part[] = []
  let calls: KeyedCall[] = []
  const flush = (serverState?: Json) => {
    if (parts.length + calls.length > 0 || serverState !== undefined)
      messages.push({ role: 'assistant', parts, calls, origin, ...(serverState !== undefined && { serverState }) })
    parts = []
    calls = []
  }
  const call = (native: JsonObject, toolName: string) => {
    const callId = `${messages.length}.${calls.length}`
    const inputText = native.type === 'custom_tool_call' ? textOf(native.input) : textOf(native.arguments)
    const isApproval = native.type === 'mcp_approval_request'
    const wireId = isApproval ? textOf(native.id) : textOf(native.call_id)
    const made: KeyedCall = {
      key: `1.${callId}`,
      callId,
      toolName,
      input: native.type === 'custom_tool_call' ? inputText : parsed(inputText),
      inputText,
      wireId,
      caller: native.caller ? 'program' : 'model',
      ...(isApproval && { executor: 'provider' }),
    }
    known.set(wireId, made)
    calls.push(made)
    parts.push({ type: 'call', callId, native })
  }
  return {
    /** What the server has: the calls that are answered here, and the name by which it knows the rest. */
    kept(serverState: Json, open: readonly JsonObject[]) {
      for (const native of open) call(native, 'unknown')
      flush(serverState)
    },
    say(message: Message) {
      flush()
      messages.push(message)
    },
    part: (part: Part) => void parts.push(part),
    call,
    result(wireId: string, content: Content, outcome: Outcome, missing: Set<string>) {
      flush()
      const answered = known.get(wireId)
      if (answered) messages.push({ role: 'tool', call: answered, trusted: true, outcome, ...content })
      else missing.add('a result of a call elsewhere')
    },
    /** Adds to the last result that it tells of tools; the name of the tool that did, where there is one. */
    tell(tools: readonly string[]): string | undefined {
      const last = messages.at(-1)
      if (last?.role !== 'tool' || parts.length > 0) return undefined
      messages[messages.length - 1] = { ...last, tools }
      return last.call.toolName
    },
    end(): readonly Message[] {
      flush()
      return messages
    },
  }
}
