import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.js'
import { listOf, record, textOf } from './recorded-json.js'
import { schemaComplaints } from './root-schema-rules.js'

/**
 * Why the Messages API would answer a request with 400.
 * @param version of the API
 */
export function anthropicComplaints(body: JsonObject, version = '2026-10-21'): string[] {
  return [...historyComplaints(body), ...toolComplaints(body), ...settingComplaints(body, version)]
}

const type = (block: JsonObject | undefined): string => textOf(block?.type)
const isServers = (block: JsonObject): boolean => /._tool_use$/.test(type(block))
const isServerResult = (block: JsonObject | undefined): boolean => /._tool_result$/.test(type(block))
const callerOf = (block: JsonObject): string => {
  const caller = record(block.caller)
  return textOf(caller.type).startsWith('code_execution') ? textOf(caller.tool_id) : ''
}

/** What roles may hold. */
const allowed: Readonly<Record<string, RegExp>> = {
  user: /^(text|image|document|search_result|tool_result|container_upload)$/,
  system: /^(text|tool_addition|tool_removal)$/,
  assistant: /^(?!(image|document|tool_result|tool_addition)$)/,
}

function historyComplaints(body: JsonObject): string[] {
  const found: string[] = []
  const messages = listOf(body.messages)
  const answered = new Set<string>()
  const served = new Map<string, number>()
  const begun = new Set<string>()
  const deferred = new Set(listOf(body.tools).flatMap((tool) => (tool.defer_loading ? [textOf(tool.name)] : [])))
  let open: JsonObject[] = []
  let waits = new Set<string>()
  if (messages.length === 0) found.push('there are no messages')
  for (const [i, message] of messages.entries()) {
    const role = textOf(message.role)
    const blocks = listOf(message.content)
    const [before, after] = [messages[i - 1], messages[i + 1]]
    if (role === before?.role) found.push(`messages ${i - 1} and ${i} have the same role`)
    if (blocks.length === 0) found.push(`message ${i} is empty`)
    for (const block of blocks) {
      if (!allowed[role]?.test(type(block))) found.push(`message ${i} of role "${role}" has a block "${type(block)}"`)
      found.push(...blockComplaints(block, deferred))
    }
    if (role === 'system') {
      const follows = before?.role === 'user' || isServerResult(listOf(before?.content).at(-1))
      if (!follows || waits.size > 0) found.push(`system message ${i} is at the wrong place`)
      if (after && after.role !== 'assistant') found.push(`after system message ${i} comes no assistant`)
    }
    if (role === 'user') {
      const results = blocks.filter((block) => type(block) === 'tool_result')
      const ids = results.map(({ tool_use_id }) => textOf(tool_use_id))
      const missing = open.map(({ id }) => textOf(id)).filter((id) => !ids.includes(id))
      if (missing.length > 0)
        found.push(`tool_use ids were found without tool_result blocks immediately after: ${missing.join()}`)
      if (ids.some((id) => open.every((call) => call.id !== id)) || new Set(ids).size < ids.length)
        found.push(`message ${i} answers what was not asked, or twice`)
      if (blocks.slice(0, results.length).some((block) => type(block) !== 'tool_result'))
        found.push('results are not first')
      if (waits.size > 0 && results.length < blocks.length) found.push(`message ${i} has more than results`)
      for (const result of results) {
        const call = open.find(({ id }) => id === result.tool_use_id)
        if (call && callerOf(call) && contentTypes(result.content).some((one) => one !== 'text'))
          found.push('a program is given more than text')
        if (call && (call.toolset_name ?? null) !== (result.toolset_name ?? null))
          found.push('a result does not repeat the name of its toolset')
      }
      for (const id of ids) answered.add(id)
      open = []
    }
    if (role !== 'assistant') continue
    if (open.length > 0) found.push(`calls before message ${i} have no results`)
    open = blocks.filter((block) => type(block) === 'tool_use')
    const ids = open.map(({ id }) => textOf(id))
    if (new Set(ids).size < ids.length || ids.some((id) => answered.has(id))) found.push('a tool_use id is taken')
    if (type(blocks.at(-1)).endsWith('thinking')) found.push(`the final block of message ${i} is thinking`)
    for (const block of blocks) {
      const caller = callerOf(block)
      if (isServers(block)) begun.add(textOf(block.id))
      if (caller && !begun.has(caller)) found.push(`call "${textOf(block.id)}" is of a program that is not there`)
      if (isServers(block) || caller) served.set(caller || textOf(block.id), i)
      if (!isServerResult(block)) continue
      if (!served.delete(textOf(block.tool_use_id))) found.push(`a ${type(block)} is of no call`)
    }
    waits = new Set([...served].filter(([, at]) => at === i).map(([id]) => id))
    for (const [id, at] of served) if (at < i) found.push(`call "${id}" of the API has no result`)
  }
  if (open.length > 0) found.push('the last calls have no results')
  if (open.length === 0 && waits.size > 0 && pendingPrograms(messages) && !containerOf(body))
    found.push('a program waits, and its container is not named')
  found.push(...endComplaints(body, messages.at(-1), waits))
  return found
}

/** The last results are a program's. */
const pendingPrograms = (messages: readonly JsonObject[]): boolean =>
  listOf(messages.findLast(({ role }) => role === 'assistant')?.content).some((block) => callerOf(block) !== '')

const containerOf = ({ container }: JsonObject): string => textOf(container) || textOf(record(container).id)

const contentTypes = (content: Json | undefined): string[] =>
  typeof content === 'string' ? ['text'] : listOf(content).map(type)

/** Models from 4.6 on do not go on with what they did not say themselves. */
function endComplaints({ model }: JsonObject, last: JsonObject | undefined, waits: ReadonlySet<string>): string[] {
  if (last?.role !== 'assistant') return []
  const block = listOf(last.content).at(-1)
  const isPaused =
    waits.size > 0 || (block && (isServers(block) || isServerResult(block) || type(block) === 'compaction'))
  const mayBegin = /claude-(3|\w+-4-[0-5]\b|\w+-4$|\w+-4-\d{8})/.test(textOf(model))
  if (isPaused) return []
  if (!mayBegin) return ['the last message is the beginning of an answer']
  return /\s$/.test(textOf(block?.text)) ? ['the last message ends in white space'] : []
}

const resultTypes = /^(text|image|document|search_result|tool_reference|browser_state)$/
const imageTypes = /^image\/(jpeg|png|gif|webp)$/

function blockComplaints(block: JsonObject, deferred: ReadonlySet<string>): string[] {
  const found: string[] = []
  const source = record(block.source)
  switch (type(block)) {
    case 'text':
      if (typeof block.text === 'string' && block.text.trim() === '') found.push('a text block is blank')
      break
    case 'tool_use':
      if (!/^[a-zA-Z0-9_-]+$/.test(textOf(block.id))) found.push(`tool_use id "${textOf(block.id)}"`)
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(textOf(block.name))) found.push(`tool name "${textOf(block.name)}"`)
      if (!isJsonObject(block.input)) found.push('input is no object')
      break
    case 'thinking':
      if (!block.signature) found.push('a thinking block has no signature')
      break
    case 'redacted_thinking':
      if (!block.data) found.push('a redacted_thinking block has no data')
      break
    case 'image':
      if (source.type === 'base64' && !imageTypes.test(textOf(source.media_type)))
        found.push(`an image is of type "${textOf(source.media_type)}"`)
      if (!/^(base64|url|file)$/.test(textOf(source.type))) found.push('an image has no source')
      break
    case 'document':
      if (source.type === 'base64' && source.media_type !== 'application/pdf')
        found.push(`a document is of type "${textOf(source.media_type)}"`)
      if (source.type === 'text' && textOf(source.data).trim() === '') found.push('a document is blank')
      if (!/^(base64|url|file|text|content)$/.test(textOf(source.type))) found.push('a document has no source')
      break
    case 'tool_reference':
      if (!deferred.has(textOf(block.tool_name))) found.push(`"${textOf(block.tool_name)}" is no deferred tool`)
      break
    case 'tool_addition':
      if (!deferred.has(textOf(record(block.tool).name))) found.push('a tool is added that is not deferred')
      break
    case 'tool_result':
      for (const inside of typeof block.content === 'string' ? [] : listOf(block.content)) {
        if (!resultTypes.test(type(inside))) found.push(`a result has a block "${type(inside)}"`)
        found.push(...blockComplaints(inside, deferred))
      }
  }
  return found
}

const isCode = (tool: JsonObject): boolean => /^code_execution_(?!20250522)/.test(type(tool))
const callersOf = (tool: JsonObject): string[] =>
  Array.isArray(tool.allowed_callers) ? tool.allowed_callers.map(textOf) : ['direct']
const isProgrammed = (tool: JsonObject): boolean => callersOf(tool).some((caller) => caller !== 'direct')

function toolComplaints(body: JsonObject): string[] {
  const found: string[] = []
  const tools = listOf(body.tools)
  const names = tools.map(({ name }) => textOf(name)).filter(Boolean)
  if (new Set(names).size < names.length) found.push('two tools have one name')
  for (const tool of tools) {
    const { name, input_schema, defer_loading, cache_control } = tool
    if (input_schema !== undefined || !tool.type || tool.type === 'custom') {
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(textOf(name))) found.push(`a tool is named "${textOf(name)}"`)
      found.push(...schemaComplaints(record(input_schema)))
    }
    if (defer_loading && cache_control) found.push('a deferred tool is marked for the cache')
    if (isProgrammed(tool) && !tools.some(isCode)) found.push('programs may call tools, and there are no programs')
    if (isProgrammed(tool) && tool.strict === true) found.push('a strict tool may be called by programs')
    if (isProgrammed(tool) && JSON.stringify(input_schema ?? null).includes('"$ref":"#"'))
      found.push('programs may call a tool whose schema leads back to itself')
    if (callersOf(tool).length === 0) found.push('nobody may call a tool')
  }
  if (tools.length > 0 && tools.every(({ defer_loading }) => defer_loading)) found.push('all tools are deferred')
  if (tools.filter(({ strict }) => strict === true).length > 20) found.push('more than 20 tools are strict')
  return [...found, ...choiceComplaints(body, tools)]
}

function choiceComplaints({ model, tool_choice, thinking }: JsonObject, tools: readonly JsonObject[]): string[] {
  if (!isJsonObject(tool_choice)) return []
  const found: string[] = []
  const { type: kind, name, disable_parallel_tool_use } = tool_choice
  const isForced = kind === 'any' || kind === 'tool'
  if (tools.length === 0) found.push('there is a tool_choice and no tool')
  if (isForced && /claude-(sonnet-5-5|opus-5-5|(fable|mythos)-5-[12])/.test(textOf(model)))
    found.push('the model takes no demand for a call')
  if (isForced && record(thinking).type === 'enabled') found.push('a call is demanded beside a budget for thinking')
  if (disable_parallel_tool_use === true && tools.some(isProgrammed))
    found.push('parallel calls are off, and programs may call tools')
  if (kind !== 'tool') return found
  const chosen = tools.find((tool) => tool.name === name)
  if (!chosen || !callersOf(chosen).includes('direct') || isProgrammed(chosen) || chosen.defer_loading)
    found.push(`"${textOf(name)}" cannot be demanded`)
  return found
}

const hasAdaptive = /claude-(?!3|\w+-4-[0-5]\b|\w+-4$|\w+-4-\d{8})/
const alwaysThinks = /claude-(fable|mythos|sonnet-5-5|opus-5-5)/

function settingComplaints(body: JsonObject, version: string): string[] {
  const found: string[] = []
  const model = textOf(body.model)
  const { max_tokens, stop_sequences } = body
  if (!Number.isInteger(max_tokens)) found.push('max_tokens is required')
  const { type: kind, budget_tokens } = record(body.thinking)
  const { effort, format } = record(body.output_config)
  const isNew = version >= '2026-10-21' || /claude-(opus-4-[78]|[a-z]+-5)/.test(model)
  for (const key of ['temperature', 'top_p', 'top_k']) if (isNew && key in body) found.push(`${key} was removed`)
  if (kind === 'enabled' && !(Number(budget_tokens) >= 1024 && Number(budget_tokens) < Number(max_tokens)))
    found.push('the budget for thinking is below 1024, or not below max_tokens')
  if (kind === 'enabled' && /claude-(opus-4-[78]|\w+-5)/.test(model)) found.push('the model has no budget for thinking')
  if (kind === 'adaptive' && !hasAdaptive.test(model)) found.push('the model does not think by effort')
  if (kind === 'disabled' && alwaysThinks.test(model)) found.push('the model always thinks')
  if (kind === 'disabled' && /claude-(opus-5|haiku-5-5)/.test(model) && /^(xhigh|max)$/.test(textOf(effort)))
    found.push('the effort is too high for no thinking')
  if (kind === 'between_tools' && !model.includes('sonnet-5-5')) found.push('the model does not think between tools')
  if (effort !== undefined && !/^(low|medium|high|xhigh|max)$/.test(textOf(effort)))
    found.push(`the effort is "${textOf(effort)}"`)
  if (effort === 'xhigh' && /-4-[56]/.test(model)) found.push('the model has no effort xhigh')
  if (format !== undefined && (record(format).type !== 'json_schema' || !isJsonObject(record(format).schema)))
    found.push('the format is no schema')
  if (Array.isArray(stop_sequences) && stop_sequences.some((text) => textOf(text).trim() === ''))
    found.push('a stop sequence is blank')
  const contents = listOf(body.messages).flatMap(({ content }) => listOf(content))
  const marked = [...listOf(body.system), ...listOf(body.tools), ...contents].filter((block) => block.cache_control)
  if (marked.length > 4) found.push('more than 4 blocks are marked for the cache')
  if (marked.some((block) => type(block).endsWith('thinking'))) found.push('thinking is marked for the cache')
  if (marked.some(({ cache_control }) => !/^(5m|1h|)$/.test(textOf(record(cache_control).ttl))))
    found.push('a cache mark has another ttl')
  return found
}
