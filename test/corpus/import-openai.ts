import type { Outcome } from '../../src/core/events.js'
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.js'
import type { AnswerFormat, Caller, ToolChoice, ToolDefinition } from '../../src/core/tool-definition.js'
import type { Message } from '../../src/core/transcript.js'
import type { Effort, HostedTool, ModelConfig } from '../../src/models/model.js'
import { openAICapabilities } from '../../src/models/openai/capabilities.js'
import { isClientRun } from '../../src/models/openai/hosted.js'
import { toolNameIn } from '../../src/models/openai/parts.js'
import { listOf, record, textOf } from '../models/recorded-json.js'
import { settled } from '../models/settled.js'
import { limitOf, requestOf, textIn, type Imported, type RecordedRequest } from './import-pieces.js'
import { isText } from './normal-pieces.js'
import { contentIn, createOpenAIHistory, type Content } from './openai-history.js'

export function importOpenAI({ request: body }: RecordedRequest): Imported {
  const missing = new Set<string>()
  const tools = toolsIn(body, missing)
  const config: ModelConfig = { ...settingsIn(body), ...tools.config }
  const history = historyIn(body, config, tools.definitions, missing)
  const [toolChoice, answer] = [choiceIn(body.tool_choice), answerIn(body)]
  const request = {
    ...requestOf(history.instructions, history.tools, history.messages),
    ...(toolChoice && { toolChoice }),
    ...(answer && { answer }),
  }
  return { request, config, missing: [...missing] }
}

/** Fields that have a word of ours, or that only tell how the reply is delivered and kept. */
const told =
  /^(model|input|instructions|tools|tool_choice|temperature|top_p|max_output_tokens|service_tier|stream|stream_options|store|include|prompt_cache_key|parallel_tool_calls|previous_response_id)$/

const efforts = /^(none|minimal|low|medium|high|xhigh|max)$/

function settingsIn(body: JsonObject): ModelConfig {
  const { temperature, top_p, service_tier, parallel_tool_calls, prompt_cache_options: cache } = body
  const { effort, ...reasoning } = record(body.reasoning)
  const { format, ...text } = record(body.text)
  const isLong = isJsonObject(cache) && cache.ttl === '12h' && Object.keys(cache).length === 1
  const rest = Object.fromEntries(Object.entries(body).filter(([key, value]) => !told.test(key) && value !== null))
  const isWord = efforts.test(textOf(effort))
  const extra: JsonObject = {
    ...rest,
    reasoning: isWord || effort === undefined ? reasoning : { ...reasoning, effort },
    text: record(format).type === 'json_schema' ? text : record(body.text),
    ...(isLong && { prompt_cache_options: {} }),
    ...(isJsonObject(body.tool_choice) &&
      !choiceIn(body.tool_choice) &&
      !isOfClient(body) && { tool_choice: body.tool_choice }),
  }
  const isKept = typeof body.previous_response_id === 'string' || (body.conversation ?? null) !== null
  const said = Object.entries(extra).filter(([, value]) => !isJsonObject(value) || Object.keys(value).length > 0)
  return {
    provider: 'openai',
    model: textOf(body.model),
    ...limitOf(body, 'max_output_tokens'),
    ...(isWord && { effort: effort as Effort }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof top_p === 'number' && { topP: top_p }),
    ...(typeof service_tier === 'string' && { serviceTier: service_tier }),
    ...(parallel_tool_calls === false && { parallelCalls: false }),
    ...(isLong && { cache: 'long' as const }),
    ...(isKept && { stored: true }),
    ...(said.length > 0 && { extra: Object.fromEntries(said) }),
  }
}

/** Whether what is chosen is a tool that we have no word for. */
const isOfClient = ({ tool_choice, tools }: JsonObject): boolean =>
  listOf(tools).some((tool) => tool.type === record(tool_choice).type && isClientRun(tool))

function answerIn(body: JsonObject): AnswerFormat | undefined {
  const { type, name, schema, description, strict } = record(record(body.text).format)
  if (type !== 'json_schema') return undefined
  return {
    name: textOf(name),
    schema: record(schema),
    ...(typeof description === 'string' && { description }),
    ...(typeof strict === 'boolean' && { strict }),
  }
}

/** A choice of what only the provider has is `extra`. */
function choiceIn(choice: Json | undefined): ToolChoice | undefined {
  if (choice === 'none' || choice === 'required') return { mode: choice }
  if (!isJsonObject(choice)) return undefined
  if (choice.type !== 'allowed_tools')
    return isNamed(choice) ? { mode: 'required', tools: [nameIn(choice)] } : undefined
  const entries = listOf(choice.tools)
  const mode = choice.mode === 'required' ? 'required' : 'auto'
  return entries.every(isNamed) ? { mode, tools: entries.map(nameIn) } : undefined
}

const isNamed = ({ type, name }: JsonObject): boolean =>
  /^(function|custom|mcp)$/.test(textOf(type)) && typeof name === 'string'

const nameIn = ({ name, server_label: label }: JsonObject): string =>
  typeof label === 'string' ? `${label}.${textOf(name)}` : textOf(name)

function toolsIn(body: JsonObject, missing: Set<string>) {
  const all = listOf(body.tools)
  const definitions = all.flatMap((tool) => definitionsOf(tool, missing))
  const isOwn = ({ type }: JsonObject) => /^(function|custom|namespace)$/.test(textOf(type))
  const searches = definitions.some(({ deferred }) => deferred)
  const isWord = ({ type, execution }: JsonObject) =>
    type === 'programmatic_tool_calling' || (type === 'tool_search' && execution !== 'client' && searches)
  const others = all.filter((tool) => !isOwn(tool) && !isWord(tool))
  for (const tool of others) if (isClientRun(tool)) missing.add(`tool ${textOf(tool.type)} of the client`)
  const hosted = others.filter((tool) => !isClientRun(tool)).map(hostedOf)
  const config: Partial<ModelConfig> = {
    ...(all.some(({ type }) => type === 'tool_search') && searches && { toolSearch: true }),
    ...(all.some(({ type }) => type === 'programmatic_tool_calling') && { programs: true }),
    ...(hosted.length > 0 && { hostedTools: hosted }),
  }
  return { definitions, config }
}

/** Without a word on it, the API asks before it calls a remote server. */
const hostedOf = (tool: JsonObject): HostedTool => {
  const asks = tool.type === 'mcp' && (tool.require_approval ?? 'always') === 'always'
  return { tool, risk: asks ? 'ask' : 'read' }
}

function definitionsOf(tool: JsonObject, missing: Set<string>, space?: JsonObject): ToolDefinition[] {
  const { type, format, parameters, strict, output_schema: output } = tool
  if (type === 'namespace') return listOf(tool.tools).flatMap((inside) => definitionsOf(inside, missing, tool))
  if (type !== 'function' && type !== 'custom') return []
  if (tool.async === true) missing.add('an async tool')
  const grammar = record(format)
  return [
    {
      name: space ? `${textOf(space.name)}__${textOf(tool.name)}` : textOf(tool.name),
      description: textOf(tool.description),
      input: type === 'custom' ? { type: 'string' } : isJsonObject(parameters) ? parameters : { type: 'object' },
      risk: 'read',
      ...(isJsonObject(output) && { output }),
      ...(space && { namespace: textOf(space.description) }),
      ...(strict === true && { strict }),
      ...(tool.defer_loading === true && { deferred: true }),
      ...(grammar.type === 'grammar' && {
        grammar: {
          syntax: grammar.syntax === 'regex' ? 'regex' : 'lark',
          definition: textOf(grammar.definition),
        },
      }),
      callers: callersOf(tool),
    },
  ]
}

function callersOf({ allowed_callers: callers }: JsonObject): Caller[] {
  if (!Array.isArray(callers)) return ['model']
  return [
    ...(callers.includes('direct') ? ['model' as const] : []),
    ...(callers.includes('programmatic') ? ['program' as const] : []),
  ]
}

/** The conversation in our own words. */
function historyIn(
  body: JsonObject,
  config: ModelConfig,
  tools: readonly ToolDefinition[],
  missing: Set<string>,
): { instructions: string; messages: readonly Message[]; tools: readonly ToolDefinition[] } {
  const names = new Set(tools.map(({ name }) => name))
  const history = createOpenAIHistory(config)
  const added: ToolDefinition[] = []
  const tellers = new Set<string>()
  const texts = [textOf(body.instructions)]
  const items = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : listOf(body.input)
  const kept = keptIn(body)
  if (kept) history.kept(kept, openIn(items))
  const start = kept ? 0 : items.findIndex((item) => !isInstructions(item))
  for (const { content } of items.slice(0, start)) texts.push(textIn(content, missing))
  for (const item of items.slice(start)) {
    const result = (id: Json | undefined, content: Content, outcome: Outcome) =>
      history.result(textOf(id), content, outcome, missing)
    if (isInstructions(item)) history.say({ role: 'instructions', text: textIn(item.content, missing) })
    else if (item.role === 'user')
      for (const content of saidIn(item.content)) history.say({ role: 'user', ...contentIn(content, missing) })
    else if (item.role === 'assistant')
      history.part({ type: 'text', text: textIn(item.content, new Set()), native: item })
    else
      switch (textOf(item.type)) {
        case 'reasoning':
          history.part({ type: 'reasoning', text: '', native: item })
          break
        case 'function_call':
        case 'custom_tool_call':
          history.call(item, toolNameIn(item, names))
          break
        case 'mcp_approval_request':
          history.call(item, `${textOf(item.server_label)}.${textOf(item.name)}`)
          break
        case 'function_call_output':
        case 'custom_tool_call_output':
          result(item.call_id, contentIn(item.output, missing), 'ok')
          break
        case 'mcp_approval_response':
          result(item.approval_request_id, { text: textOf(item.reason) }, item.approve === true ? 'ok' : 'denied')
          break
        default: {
          const definitions = item.type === 'additional_tools' ? addedBy(item, config, missing) : []
          const teller = definitions.length > 0 ? history.tell(definitions.map(({ name }) => name)) : undefined
          if (teller === undefined) history.part({ type: 'other', native: item })
          else {
            tellers.add(teller)
            added.push(...definitions)
          }
        }
      }
  }
  const told = tools.map((tool) => (tellers.has(tool.name) ? { ...tool, returnsTools: true } : tool))
  return {
    instructions: texts.filter(Boolean).join('\n\n'),
    messages: settled(history.end()),
    tools: [...told, ...added],
  }
}

/** The pieces of what the user says, of which each is one message of ours: text, and the files after it. */
function saidIn(content: Json | undefined): Json[] {
  const said: JsonObject[][] = []
  for (const piece of listOf(content)) {
    const isNext = isText([piece]) && said.at(-1)?.some((before) => !isText([before]))
    if (isNext || said.length === 0) said.push([piece])
    else said.at(-1)!.push(piece)
  }
  return said.length > 1 ? said : [content ?? null]
}

export const isInstructions = ({ type = 'message', role }: JsonObject): boolean =>
  type === 'message' && (role === 'system' || role === 'developer')

/** Tools that a model is told of later, which is our word where its provider does not search the others. */
const addedBy = (item: JsonObject, config: ModelConfig, missing: Set<string>): ToolDefinition[] =>
  openAICapabilities(config.model).addedTools && !config.toolSearch
    ? listOf(item.tools).flatMap((tool) =>
        definitionsOf(tool, missing).map((definition) => ({ ...definition, deferred: true })),
      )
    : []

/** The name by which the server knows what came before. */
function keptIn({ previous_response_id: responseId, conversation: named }: JsonObject): Json | undefined {
  const conversation = isJsonObject(named) ? named.id : named
  if (typeof responseId === 'string') return { responseId }
  return typeof conversation === 'string' ? { responseId: 'resp_1', conversation } : undefined
}

/** The calls that are answered here and were made before. */
function openIn(items: readonly JsonObject[]): JsonObject[] {
  const made = new Set(items.flatMap(({ call_id, type }) => (textOf(type).endsWith('call') ? [call_id] : [])))
  return items.flatMap((item): JsonObject[] => {
    const { type, call_id = null, approval_request_id = null, caller } = item
    if (type === 'mcp_approval_response') return [{ type: 'mcp_approval_request', id: approval_request_id }]
    if (!/^(function|custom_tool)_call_output$/.test(textOf(type)) || made.has(call_id)) return []
    return [{ type: textOf(type).replace('_output', ''), call_id, ...(caller && { caller }) }]
  })
}
