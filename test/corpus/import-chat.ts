import type { Json, JsonObject } from '../../src/core/json.js'
import type { AnswerFormat, ToolChoice, ToolDefinition } from '../../src/core/tool-definition.js'
import type { ModelConfig } from '../../src/models/model.js'
import { configOf, toHistory, unsaid } from '../models/chat-canonical.js'
import { listOf, record, textOf } from '../models/recorded-json.js'
import { limitOf, textIn, type Imported, type RecordedRequest } from './import-pieces.js'

/** Fields that have a word of ours, or that are about the delivery of the answer. */
const told =
  'model messages tools tool_choice max_tokens max_completion_tokens temperature top_p top_k seed random_seed stop service_tier reasoning_effort reasoning parallel_tool_calls prompt_cache_key response_format stream stream_options n false functions function_call'.split(
    ' ',
  )

export function importChat(recorded: RecordedRequest): Imported {
  const { request: body } = recorded
  const messages = listOf(body.messages)
  const isSystem = ({ role }: JsonObject) => role === 'system' || role === 'developer'
  const start = messages.findIndex((message) => !isSystem(message))
  const system = messages.slice(0, start < 0 ? messages.length : start)
  const tools = listOf(body.tools)
  const hosted = tools.filter(
    ({ type = 'function', ...tool }) => !/^(function|custom)$/.test(textOf(type)) || !(tool.function || tool.custom),
  )
  const { options, extra } = settingsOf(body)
  const config: ModelConfig = {
    ...configOf(recorded),
    ...limitOf(body, 'max_tokens', 'max_completion_tokens'),
    ...options,
    ...(hosted.length > 0 ? { hostedTools: hosted.map((tool) => ({ tool, risk: 'read' as const })) } : {}),
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  }
  const toolChoice = toolChoiceOf(body.tool_choice)
  const answer = answerOf(record(body.response_format))
  return {
    request: {
      instructions: system.map(({ content }) => textIn(content, new Set())).join('\n\n'),
      tools: tools.filter((tool) => !hosted.includes(tool)).map(toTool),
      messages: toHistory(body, config),
      cacheKey: textOf(body.prompt_cache_key) || 'session',
      ...(toolChoice && { toolChoice }),
      ...(answer && { answer }),
    },
    config,
    missing: [
      ...new Set([
        ...unsaid(body),
        ...(body.n === undefined || body.n === null || body.n === 1 ? [] : ['several answers']),
        ...(body.functions === undefined ? [] : ['functions that are no tools']),
      ]),
    ],
  }
}

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

function settingsOf(body: JsonObject): { readonly options: Partial<ModelConfig>; readonly extra: JsonObject } {
  const { reasoning_effort, reasoning, stop, response_format: format } = body
  const { effort: inside, ...beside } = record(reasoning)
  const effort = efforts.find((one) => one === (reasoning_effort ?? inside))
  const given: Record<string, Json | undefined> = {
    effort,
    temperature: body.temperature,
    topP: body.top_p,
    topK: body.top_k,
    seed: body.seed ?? body.random_seed,
    stop: typeof stop === 'string' ? [stop] : stop,
    serviceTier: body.service_tier,
    parallelCalls: body.parallel_tool_calls,
  }
  const options = Object.entries(given).filter(([, value]) => value !== undefined && value !== null)
  const rest = Object.entries(body).filter(([name, value]) => !told.includes(name) && value !== null)
  return {
    options: Object.fromEntries(options) as Partial<ModelConfig>,
    extra: {
      ...Object.fromEntries(rest),
      ...(Object.keys(beside).length > 0 ? { reasoning: beside } : {}),
      ...(effort === undefined && reasoning_effort ? { reasoning_effort } : {}),
      ...(format && !record(record(format).json_schema).schema ? { response_format: format } : {}),
    },
  }
}

function toTool({ function: called, custom }: JsonObject): ToolDefinition {
  const {
    name,
    description,
    parameters = { type: 'object', properties: {} },
    strict,
    format,
  } = record(called ?? custom)
  const { grammar } = record(format)
  return {
    name: textOf(name),
    description: textOf(description),
    input: custom ? { type: 'string' } : record(parameters),
    risk: 'read',
    ...(grammar ? { grammar: grammar as unknown as ToolDefinition['grammar'] } : {}),
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
}

function toolChoiceOf(choice: Json | undefined): ToolChoice | undefined {
  const { function: called, custom, allowed_tools: allowed } = record(choice)
  const nameOf = (one: JsonObject) => textOf(record(one.function ?? one.custom).name)
  if (called || custom) return { mode: 'required', tools: [nameOf(record(choice))] }
  if (allowed) {
    const { mode, tools } = record(allowed)
    return { mode: mode === 'required' ? mode : 'auto', tools: listOf(tools).map(nameOf) }
  }
  if (choice === 'none') return { mode: 'none' }
  return choice === 'required' || choice === 'any' ? { mode: 'required' } : undefined
}

function answerOf({ json_schema }: JsonObject): AnswerFormat | undefined {
  const { name, description, schema, strict } = record(json_schema)
  if (!schema) return undefined
  return {
    name: textOf(name),
    schema: record(schema),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
}
