import type { Part } from '../../src/core/events.js'
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import type { KeyedCall, Message, Origin } from '../../src/core/transcript.js'
import type { ModelConfig, ModelRequest } from '../../src/models/model.js'
import { configOf, toHistory, unsupported } from '../models/chat-canonical.js'
import { importContents } from '../models/gemini-canonical.js'
import { camel } from '../models/gemini-recordings.js'
import { listOf, record, textOf } from '../models/recorded-json.js'
import type { Family, RecordedResponse } from './responses.js'

/** A recorded request in our own words. */
export interface Imported {
  readonly request: ModelRequest
  readonly config: ModelConfig
  /** What of its conversation and tools we have no word for. */
  readonly missing: readonly string[]
}

export type RecordedRequest = RecordedResponse & { readonly request: JsonObject; readonly url: string }

export const importRequest = (recorded: RecordedRequest): Imported => importers[recorded.family](recorded)

const importers: Readonly<Record<Family, (recorded: RecordedRequest) => Imported>> = {
  openai: importOpenAI,
  anthropic: importAnthropic,
  chat: importChat,
  gemini: importGemini,
}

const limitOf = (body: JsonObject, ...keys: string[]): { maxOutputTokens?: number } => {
  const limit = keys.map((key) => body[key]).find((value) => typeof value === 'number')
  return limit === undefined ? {} : { maxOutputTokens: limit as number }
}

const requestOf = (
  instructions: string,
  tools: readonly ToolDefinition[],
  messages: readonly Message[],
): ModelRequest => ({ instructions, tools, messages, cacheKey: 'session' })

/** Puts a history together in the order of its pieces. */
function createHistory(origin: Origin) {
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
    result(wireId: string, text: string, isError: boolean): boolean {
      flush()
      const call = known.get(wireId)
      if (call) messages.push({ role: 'tool', call, outcome: isError ? 'error' : 'ok', text })
      return call !== undefined
    },
    end(): readonly Message[] {
      flush()
      return messages
    },
  }
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** The text of a content, and what in it is no text. */
function textIn(content: Json | undefined, missing: Set<string>): string {
  if (typeof content === 'string') return content
  for (const { type } of listOf(content)) if (!textOf(type).endsWith('text')) missing.add(`content ${textOf(type)}`)
  return listOf(content)
    .map(({ text }) => textOf(text))
    .join('\n')
}

function toolOf(tool: JsonObject, schema: Json | undefined, missing: Set<string>): ToolDefinition[] {
  const { name, description } = tool
  if (typeof name === 'string' && isJsonObject(schema))
    return [{ name, description: textOf(description), input: schema, risk: 'read' }]
  missing.add(`tool ${textOf(tool.type) || Object.keys(tool).join()}`)
  return []
}

function importOpenAI({ request: body }: RecordedRequest): Imported {
  const config: ModelConfig = { provider: 'openai', model: textOf(body.model), ...limitOf(body, 'max_output_tokens') }
  const missing = new Set<string>()
  const history = createHistory(config)
  let instructions = textOf(body.instructions)
  let hasBegun = false
  for (const item of typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : listOf(body.input)) {
    const { type, role, content } = item as JsonObject
    const isSystem = role === 'system' || role === 'developer'
    if (isSystem && !hasBegun) instructions = [instructions, textIn(content, missing)].filter(Boolean).join('\n\n')
    else if (isSystem) missing.add('late instructions')
    else if (role === 'user') history.user(textIn(content, missing))
    else if (role === 'assistant') history.part({ type: 'text', text: textIn(content, missing), native: item })
    else if (type === 'reasoning') history.part({ type: 'reasoning', text: '', native: item })
    else if (type === 'function_call') {
      const { call_id, name, arguments: text } = item as JsonObject
      history.call(textOf(call_id), textOf(name), textOf(text), item)
    } else if (type === 'function_call_output') {
      const { call_id, output } = item as JsonObject
      if (!history.result(textOf(call_id), textIn(output, missing), false)) missing.add('a result of a call elsewhere')
    } else history.part({ type: 'other', native: item })
    hasBegun ||= !isSystem
  }
  const tools = listOf(body.tools).flatMap((tool) => toolOf(tool, tool.parameters, missing))
  return { request: requestOf(instructions, tools, history.end()), config, missing: [...missing] }
}

function importAnthropic({ request: body }: RecordedRequest): Imported {
  const config: ModelConfig = { provider: 'anthropic', model: textOf(body.model), ...limitOf(body, 'max_tokens') }
  const missing = new Set<string>()
  const history = createHistory(config)
  for (const { role, content } of listOf(body.messages)) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
    if (role === 'system') missing.add('late instructions')
    for (const block of role === 'system' ? [] : (blocks as readonly JsonObject[])) {
      const { type, text } = block
      if (type === 'tool_use') history.call(textOf(block.id), textOf(block.name), JSON.stringify(block.input), block)
      else if (type === 'tool_result') {
        const said = textIn(block.content, missing)
        if (!history.result(textOf(block.tool_use_id), said, block.is_error === true))
          missing.add('a result of a call elsewhere')
      } else if (role === 'user' && type === 'text') history.user(textOf(text))
      else if (role === 'user') missing.add(`content ${textOf(type)}`)
      else if (type === 'text') history.part({ type: 'text', text: textOf(text), native: block })
      else if (textOf(type).endsWith('thinking')) history.part({ type: 'reasoning', text: '', native: block })
      else history.part({ type: 'other', native: block })
    }
  }
  const tools = listOf(body.tools).flatMap((tool) => toolOf(tool, tool.input_schema, missing))
  return { request: requestOf(textIn(body.system, missing), tools, history.end()), config, missing: [...missing] }
}

function importChat(recorded: RecordedRequest): Imported {
  const { request: body } = recorded
  const config = { ...configOf(recorded), ...limitOf(body, 'max_tokens', 'max_completion_tokens') }
  const why = unsupported(body)
  const missing = new Set(why === undefined ? [] : [why])
  const isSystem = ({ role }: JsonObject) => role === 'system' || role === 'developer'
  const messages = listOf(body.messages)
  const instructions = messages.filter(isSystem).map(({ content }) => textIn(content, new Set()))
  const history = toHistory({ ...body, messages: messages.filter((one) => !isSystem(one)) }, config)
  const tools = listOf(body.tools).flatMap(({ function: called }) => {
    return isJsonObject(called) ? toolOf(called, called.parameters, missing) : []
  })
  return { request: requestOf(instructions.join('\n\n'), tools, history), config, missing: [...missing] }
}

function importGemini({ request, url }: RecordedRequest): Imported {
  const body = record(camel(request))
  const model = /models\/([^/:]+):/.exec(url)?.[1] ?? ''
  const config = { provider: 'gemini', model, ...limitOf(record(body.generationConfig), 'maxOutputTokens') }
  const missing = new Set<string>()
  const { messages, unsupported: odd } = importContents(listOf(body.contents), config)
  for (const what of odd) missing.add(`content ${what}`)
  const tools = listOf(body.tools).flatMap(({ functionDeclarations, ...hosted }) => {
    for (const key of Object.keys(hosted)) missing.add(`tool ${key}`)
    return listOf(functionDeclarations).flatMap((one) => toolOf(one, one.parametersJsonSchema, missing))
  })
  const instructions = textIn(record(body.systemInstruction).parts, new Set())
  return { request: requestOf(instructions, tools, messages), config, missing: [...missing] }
}
