import type { AttachedFile } from '../../src/core/attached-file.js'
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.js'
import type { AnswerFormat, ToolChoice, ToolDefinition } from '../../src/core/tool-definition.js'
import type { Message } from '../../src/core/transcript.js'
import { anthropicCapabilities } from '../../src/models/anthropic/capabilities.js'
import type { Effort, HostedTool, ModelConfig } from '../../src/models/model.js'
import { listOf, record, textOf } from '../models/recorded-json.js'
import {
  createHistory,
  limitOf,
  requestOf,
  textIn,
  toolOf,
  type Imported,
  type RecordedRequest,
} from './import-pieces.js'
import { unmarked } from './normal-pieces.js'

export function importAnthropic({ request: body }: RecordedRequest): Imported {
  const missing = new Set<string>()
  const model = textOf(body.model)
  const { tools, config: toolConfig } = toolsIn(body, missing)
  const { answer, config: settings } = settingsIn(body, model)
  const config: ModelConfig = {
    provider: 'anthropic',
    model,
    ...limitOf(body, 'max_tokens'),
    ...settings,
    ...toolConfig,
  }
  const messages = withContainer(messagesIn(body, config, missing), body.container)
  const toolChoice = choiceIn(record(body.tool_choice))
  const request = {
    ...requestOf(textIn(body.system, missing), tools, messages),
    ...(toolChoice && { toolChoice }),
    ...(answer && { answer }),
  }
  return { request, config, missing: [...missing] }
}

/** Fields that have words of ours, or say only how it is delivered; all others are `extra`. */
const told = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'stream',
  'thinking',
  'output_config',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'service_tier',
  'cache_control',
])

function settingsIn(body: JsonObject, model: string): { answer?: AnswerFormat; config: Partial<ModelConfig> } {
  const { temperature, top_p, top_k, stop_sequences, service_tier, thinking } = body
  const { format, effort, ...output } = record(body.output_config)
  const { type, ...display } = record(thinking)
  // Our effort is also that the model thinks by it.
  const isThought = type === 'adaptive' && effort !== undefined
  const isOff = type !== undefined && type === anthropicCapabilities(model).thinkingOff && effort === undefined
  const rest: JsonObject = {
    ...Object.fromEntries(Object.entries(body).filter(([key]) => !told.has(key))),
    ...(isThought ? { thinking: display } : !isOff && thinking ? { thinking } : {}),
    ...(effort !== undefined && !isThought
      ? { output_config: { effort, ...output } }
      : Object.keys(output).length > 0 && { output_config: output }),
  }
  if (typeof rest.container === 'string' && listOf(body.messages).some(({ role }) => role === 'assistant'))
    delete (rest as Record<string, Json>).container
  const config = {
    ...(isThought && { effort: effort as Effort }),
    ...(isOff && { effort: 'none' as const }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof top_p === 'number' && { topP: top_p }),
    ...(typeof top_k === 'number' && { topK: top_k }),
    ...(Array.isArray(stop_sequences) && { stop: stop_sequences.map(textOf) }),
    ...(typeof service_tier === 'string' && { serviceTier: service_tier }),
    ...(Object.keys(rest).length > 0 && { extra: rest }),
    // All were recorded under it.
    headers: { 'anthropic-version': '2023-06-01' },
  }
  const schema = record(format).schema
  return { config, ...(isJsonObject(schema) && { answer: { name: 'answer', schema, strict: true } }) }
}

function toolsIn(body: JsonObject, missing: Set<string>): { tools: ToolDefinition[]; config: Partial<ModelConfig> } {
  const all = listOf(body.tools)
  const isOurs = ({ type, input_schema }: JsonObject) =>
    (type === undefined || type === null || type === 'custom') && isJsonObject(input_schema)
  const called = all.some(({ allowed_callers }) => JSON.stringify(allowed_callers ?? '').includes('code_execution'))
  const isDeferred = all.some((tool) => isOurs(tool) && tool.defer_loading)
  const isSearch = ({ type }: JsonObject) => textOf(type).startsWith('tool_search_tool_')
  const isAdded = ({ type }: JsonObject) =>
    (type === 'tool_search_tool_bm25_20251119' && isDeferred) || (type === 'code_execution_20260120' && called)
  const hosted = all.filter((tool) => !isOurs(tool) && !isAdded(tool))
  const searches = isDeferred && all.some(isSearch)
  const tools = all.filter(isOurs).flatMap((tool) => toolIn(tool, missing))
  // Without a search of the provider, a tool of the app tells the model of the others.
  const finder = isDeferred && !searches ? tools.findIndex(({ deferred }) => !deferred) : -1
  const config = {
    ...(called && { programs: true }),
    ...(searches && { toolSearch: true }),
    ...(hosted.length > 0 && { hostedTools: hosted.map(hostedIn) }),
    ...(record(body.tool_choice).disable_parallel_tool_use === true && { parallelCalls: false }),
  }
  return { tools: tools.map((tool, i) => (i === finder ? { ...tool, returnsTools: true } : tool)), config }
}

const hostedIn = (tool: JsonObject): HostedTool => ({ tool: unmarked(tool), risk: 'read' })

const toolFields = new Set(
  'type name description input_schema strict defer_loading allowed_callers cache_control'.split(' '),
)

function toolIn(tool: JsonObject, missing: Set<string>): ToolDefinition[] {
  const { strict, defer_loading, allowed_callers } = tool
  for (const [key, value] of Object.entries(tool))
    if (!toolFields.has(key) && value !== null) missing.add(`tools.${key}`)
  const callers = Array.isArray(allowed_callers)
    ? (['model', 'program'] as const).filter((caller) =>
        allowed_callers.some((one) => (one === 'direct') === (caller === 'model')),
      )
    : (['model'] as const)
  return toolOf(tool, tool.input_schema, missing).map((definition) => ({
    ...definition,
    callers,
    ...(typeof strict === 'boolean' && { strict }),
    ...(defer_loading === true && { deferred: true }),
  }))
}

function choiceIn({ type, name }: JsonObject): ToolChoice | undefined {
  if (type === 'any') return { mode: 'required' }
  if (type === 'tool') return { mode: 'required', tools: [textOf(name)] }
  return type === 'none' ? { mode: 'none' } : undefined
}

function messagesIn(body: JsonObject, config: ModelConfig, missing: Set<string>): readonly Message[] {
  const history = createHistory(config)
  for (const { role, content, ...more } of listOf(body.messages)) {
    if (role === 'system') for (const key of Object.keys(more)) missing.add(`late instructions with ${key}`)
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
    for (const block of blocks as readonly JsonObject[]) {
      const { type } = block
      const text = textOf(block.text)
      if (role === 'system' && type === 'text') history.say({ role: 'instructions', text })
      else if (role === 'system') {
        const name = textOf(record(block.tool).name)
        if (type !== 'tool_addition' || !history.extend({ tools: [name] }))
          missing.add(`late instructions of type ${textOf(type)}`)
      } else if (type === 'tool_use')
        history.call(textOf(block.id), textOf(block.name), JSON.stringify(block.input), block)
      else if (type === 'tool_result') {
        const { text: said, ...more } = resultIn(block.content, missing)
        if (!history.result(textOf(block.tool_use_id), said, block.is_error === true, more))
          missing.add('a result of a call elsewhere')
      } else if (role === 'user' && type === 'text') history.user(text)
      else if (role === 'user') {
        const file = fileIn(block)
        if (file) history.say({ role: 'user', text: '', files: [file] })
        else missing.add(`content ${textOf(type)}`)
      } else if (type === 'text') history.part({ type: 'text', text, native: block })
      else if (textOf(type).endsWith('thinking')) history.part({ type: 'reasoning', text: '', native: block })
      else history.part({ type: 'other', native: block })
    }
  }
  return history.end()
}

function resultIn(
  content: Json | undefined,
  missing: Set<string>,
): { text: string; files?: AttachedFile[]; tools?: string[] } {
  if (!Array.isArray(content)) return { text: textOf(content) }
  const blocks = listOf(content)
  const texts = blocks.filter(({ type }) => type === 'text')
  const tools = blocks.filter(({ type }) => type === 'tool_reference').map(({ tool_name }) => textOf(tool_name))
  const files: AttachedFile[] = []
  for (const block of blocks) {
    const file = fileIn(block)
    if (file) files.push(file)
    else if (block.type !== 'text' && block.type !== 'tool_reference') missing.add(`content ${textOf(block.type)}`)
  }
  const text = texts.map((block) => textOf(block.text)).join('\n')
  return {
    text: tools.length > 0 && texts.length === 0 ? JSON.stringify({ tools }) : text,
    ...(files.length > 0 && { files }),
    ...(tools.length > 0 && { tools }),
  }
}

function fileIn({ type, source, title, file_id }: JsonObject): AttachedFile | undefined {
  // A program reads what it was uploaded as.
  const known = { provider: 'anthropic', id: textOf(file_id) || textOf(record(source).file_id) }
  if (type === 'container_upload') return { mediaType: 'text/csv', ...known }
  if (type !== 'image' && type !== 'document') return undefined
  const { type: kind, media_type, data, url } = record(source)
  const named = typeof title === 'string' ? { name: title } : {}
  if (kind === 'url')
    return { mediaType: type === 'image' ? 'image/png' : 'application/pdf', url: textOf(url), ...named }
  if (kind === 'file') return { mediaType: type === 'image' ? 'image/png' : 'application/pdf', ...known, ...named }
  if (kind === 'base64') return { mediaType: textOf(media_type), data: textOf(data), ...named }
  if (kind !== 'text') return undefined
  return { mediaType: textOf(media_type), data: Buffer.from(textOf(data)).toString('base64'), ...named }
}

/** The provider named its container in the last message of the model. */
function withContainer(messages: readonly Message[], container: Json | undefined): readonly Message[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  return messages.map((message, i) =>
    i === last && message.role === 'assistant' && typeof container === 'string'
      ? { ...message, serverState: { container } }
      : message,
  )
}
