import { isJsonObject, type JsonObject } from '../../src/core/json.js'
import { listOf, record, textOf } from './recorded-json.js'
import { schemaComplaints } from './root-schema-rules.js'

/** What the Responses API refuses of tools, and of a choice of them. */
export function openAIToolComplaints(body: JsonObject): string[] {
  const tools = listOf(body.tools)
  const later = listOf(body.input).flatMap(({ type, tools: added }) =>
    type === 'additional_tools' ? listOf(added) : [],
  )
  const flat = [...tools, ...later].flatMap((tool) => (tool.type === 'namespace' ? listOf(tool.tools) : [tool]))
  const has = (type: string) => tools.some((tool) => tool.type === type)
  const isProgrammatic = ({ allowed_callers: callers }: JsonObject) =>
    Array.isArray(callers) && callers.includes('programmatic')
  const found = [...tools, ...later].flatMap((tool) => toolComplaints(tool))
  const names = tools.flatMap(({ type, name }) => (type === 'function' || type === 'custom' ? [textOf(name)] : []))
  if (new Set(names).size < names.length) found.push('two tools have one name')
  if (flat.some(({ defer_loading }) => defer_loading) && !has('tool_search'))
    found.push('a tool is deferred without tool_search')
  if (has('programmatic_tool_calling') !== flat.some(isProgrammatic))
    found.push('programmatic_tool_calling and a tool for programs are there without the other')
  if (tools.length === 0 && body.parallel_tool_calls !== undefined) found.push('parallel_tool_calls without tools')
  return [...found, ...choiceComplaints(body, tools)]
}

function toolComplaints(tool: JsonObject, isInside = false): string[] {
  const { type, name, parameters, description, server_label } = tool
  const callers = tool.allowed_callers
  const found: string[] = []
  const say = (what: string) => void found.push(`tool ${textOf(type)} "${textOf(name)}" ${what}`)
  if (/^(function|custom|namespace)$/.test(textOf(type)) && !/^[\w-]{1,64}$/.test(textOf(name))) say('has a bad name')
  if (callers !== undefined && (!Array.isArray(callers) || callers.length === 0)) say('has no callers')
  switch (type) {
    case 'function':
      found.push(...schemaComplaints(record(parameters)))
      if (tool.strict === true) found.push(...strictComplaints(record(parameters)))
      break
    case 'custom': {
      const { type: kind, syntax, definition } = record(tool.format)
      const isText = tool.format === undefined || kind === 'text'
      const isGrammar = kind === 'grammar' && /^(lark|regex)$/.test(textOf(syntax)) && typeof definition === 'string'
      if (!isText && !isGrammar) say('has a bad format')
      for (const key of ['strict', 'parameters', 'output_schema']) if (key in tool) say(`has ${key}`)
      break
    }
    case 'namespace': {
      const inside = listOf(tool.tools)
      if (isInside) say('is in a namespace')
      if (textOf(description).trim() === '') say('has no description')
      if (inside.length === 0 || new Set(inside.map((one) => one.name)).size < inside.length)
        say('has no tools, or twice the same')
      if (!inside.every((one) => one.type === 'function' || one.type === 'custom')) say('has a tool that is none')
      found.push(...inside.flatMap((one) => toolComplaints(one, true)))
      break
    }
    case 'mcp':
      if (textOf(server_label) === '' || !(tool.server_url ?? tool.connector_id ?? tool.tunnel_id)) say('has no server')
      break
    default:
      if (textOf(type) === '') say('has no type')
  }
  return found
}

/** Every property is required and no other is allowed. */
function strictComplaints(schema: JsonObject): string[] {
  const found: string[] = []
  const { properties, required } = schema
  if (schema.type === 'object' || isJsonObject(properties)) {
    const names = Object.keys(record(properties))
    if (schema.additionalProperties !== false) found.push('a strict schema allows other properties')
    if (names.some((name) => !Array.isArray(required) || !required.includes(name)))
      found.push('a strict schema has a property that is not required')
  }
  const inner = [...Object.values(record(properties)), schema.items, ...listOf(schema.anyOf)]
  return [...found, ...inner.filter(isJsonObject).flatMap(strictComplaints)]
}

function choiceComplaints({ tool_choice: choice }: JsonObject, tools: readonly JsonObject[]): string[] {
  if (choice === undefined || choice === null || choice === 'auto' || choice === 'none') return []
  if (tools.length === 0) return ['tool_choice without tools']
  if (choice === 'required') return []
  const entries = record(choice).type === 'allowed_tools' ? listOf(record(choice).tools) : [record(choice)]
  if (entries.length === 0) return ['allowed_tools is empty']
  return entries.flatMap((entry) => {
    const tool = tools.find(
      ({ type, name, server_label }) =>
        type === entry.type &&
        (name ?? null) === (type === 'mcp' ? null : (entry.name ?? null)) &&
        (server_label ?? null) === (entry.server_label ?? null),
    )
    if (!tool) return [`Tool choice ${JSON.stringify(entry)} is not among the tools`]
    return tool.defer_loading || tool.type === 'tool_search' ? ['a deferred tool is chosen'] : []
  })
}
