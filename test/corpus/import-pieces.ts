import type { Part } from '../../src/core/events.js'
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import type { KeyedCall, Message, Origin } from '../../src/core/transcript.js'
import type { ModelConfig, ModelRequest } from '../../src/models/model.js'
import { listOf, textOf } from '../models/recorded-json.js'
import type { RecordedResponse } from './responses.js'

/** A recorded request in our own words. */
export interface Imported {
  readonly request: ModelRequest
  readonly config: ModelConfig
  /** What of its conversation and tools we have no word for. */
  readonly missing: readonly string[]
}

export type RecordedRequest = RecordedResponse & { readonly request: JsonObject; readonly url: string }

export const limitOf = (body: JsonObject, ...keys: string[]): { maxOutputTokens?: number } => {
  const limit = keys.map((key) => body[key]).find((value) => typeof value === 'number')
  return limit === undefined ? {} : { maxOutputTokens: limit as number }
}

export const requestOf = (
  instructions: string,
  tools: readonly ToolDefinition[],
  messages: readonly Message[],
): ModelRequest => ({ instructions, tools, messages, cacheKey: 'session' })

type ResultExtras = Pick<Message & { role: 'tool' }, 'files' | 'tools'>

/** Puts a history together in the order of its pieces. */
export function createHistory(origin: Origin) {
  const messages: Message[] = []
  const known = new Map<string, KeyedCall>()
  let parts: Part[] = []
  let calls: KeyedCall[] = []
  const flush = () => {
    if (parts.length > 0) messages.push({ role: 'assistant', parts, calls, origin })
    parts = []
    calls = []
  }
  return {
    user(text: string) {
      flush()
      messages.push({ role: 'user', text })
    },
    say(message: Message) {
      flush()
      messages.push(message)
    },
    part: (part: Part) => void parts.push(part),
    call(wireId: string, toolName: string, inputText: string, native: JsonObject) {
      const callId = `${messages.length}.${calls.length}`
      const input = parsed(inputText)
      const call: KeyedCall = { key: `1.${callId}`, callId, toolName, input, inputText, wireId, caller: 'model' }
      known.set(wireId, call)
      calls.push(call)
      parts.push({ type: 'call', callId, native })
    },
    /** False where no call of that id came before. */
    result(wireId: string, text: string, isError: boolean, more: ResultExtras = {}): boolean {
      flush()
      const call = known.get(wireId)
      if (call) messages.push({ role: 'tool', call, trusted: true, outcome: isError ? 'error' : 'ok', text, ...more })
      return call !== undefined
    },
    /** Adds to the last message, where it is a result. */
    extend({ tools = [] }: ResultExtras): boolean {
      const last = messages.at(-1)
      if (last?.role !== 'tool' || parts.length > 0) return false
      messages[messages.length - 1] = { ...last, tools: [...(last.tools ?? []), ...tools] }
      return true
    },
    end(): readonly Message[] {
      flush()
      return messages
    },
  }
}

export function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** The text of a content, and what in it is no text. */
export function textIn(content: Json | undefined, missing: Set<string>): string {
  if (typeof content === 'string') return content
  for (const { type } of listOf(content)) if (!textOf(type).endsWith('text')) missing.add(`content ${textOf(type)}`)
  return listOf(content)
    .map(({ text }) => textOf(text))
    .join('\n')
}

export function toolOf(tool: JsonObject, schema: Json | undefined, missing: Set<string>): ToolDefinition[] {
  const { name, description } = tool
  if (typeof name === 'string' && isJsonObject(schema))
    return [{ name, description: textOf(description), input: schema, risk: 'read' }]
  missing.add(`tool ${textOf(tool.type) || Object.keys(tool).join()}`)
  return []
}
