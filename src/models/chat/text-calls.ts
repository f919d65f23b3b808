import { isJsonObject, type Json, type JsonObject } from '../../core/json.js'
import type { ToolDefinition } from '../../core/tool-definition.js'
import { readOn, startOfJson } from './json-end.js'
import { nextOpener, startOfText } from './openers.js'

/** A call that a model wrote into its text, because its server did not know its format. */
export interface TextCall {
  readonly toolName: string
  readonly inputText: string
  /** As the model wrote it, with its tags. */
  readonly written: string
}

/** Beginnings that lead to no call, each of which may be read to the end of the text. */
const mostTries = 32

type Tools = ReadonlyMap<string, ToolDefinition>
interface Span {
  readonly calls: readonly Omit<TextCall, 'written'>[]
  readonly end: number
}

/** The calls of tools that exist, and the text without them. What is no such call stays text. */
export function readTextCalls(
  text: string,
  tools: readonly ToolDefinition[],
): { readonly text: string; readonly calls: readonly TextCall[] } {
  const known = new Map(tools.map((tool) => [tool.name, tool]))
  const calls: TextCall[] = []
  const at = startOfText()
  let rest = ''
  let from = 0
  let tries = 0
  for (let start = nextOpener(text, at); start !== undefined && tries < mostTries; start = nextOpener(text, at)) {
    const span = spanAt(text, start, known)
    if (!span) tries++
    else {
      const written = text.slice(start, span.end)
      calls.push(...span.calls.map((call) => ({ ...call, written })))
      rest += text.slice(from, start)
      from = span.end
    }
    at.index = span?.end ?? start + 1
  }
  return { text: rest + text.slice(from), calls }
}

const forms: readonly (readonly [open: string, closes: readonly string[]])[] = [
  ['<tool_call>', ['</tool_call>']],
  ['<tools>', ['</tools>']],
  ['[TOOL_REQUEST]', ['[END_TOOL_REQUEST]']],
  ['<|python_tag|>', ['<|eom_id|>', '<|eot_id|>']],
  ['[TOOL_CALLS]', ['</s>']],
]

function spanAt(text: string, start: number, tools: Tools): Span | undefined {
  const [open, closes] = forms.find(([tag]) => text.startsWith(tag, start)) ?? ['', ['</tool_call>']]
  const body = afterSpace(text, start + open.length)
  const span = text.startsWith('<function=', body) ? tagged(text, body, tools) : json(text, body, closes, tools)
  if (!span) return undefined
  const close = closes.find((tag) => text.startsWith(tag, afterSpace(text, span.end)))
  return close ? { ...span, end: afterSpace(text, span.end) + close.length } : span
}

function afterSpace(text: string, from: number): number {
  let at = from
  while (/[\s;,]/.test(text.charAt(at))) at++
  return at
}

function json(text: string, from: number, closes: readonly string[], tools: Tools): Span | undefined {
  const calls: Span['calls'][number][] = []
  let end = from
  const isValue = (at: number) => /[{[]/.test(text.charAt(at)) && !closes.some((tag) => text.startsWith(tag, at))
  for (let at = from; isValue(at); at = afterSpace(text, end)) {
    end = readOn(startOfJson(), text, at)
    const found = toCalls(parsed(text.slice(at, end)), tools)
    if (!found) return undefined
    calls.push(...found)
  }
  return calls.length > 0 ? { calls, end } : undefined
}

function toCalls(value: Json | undefined, tools: Tools): Span['calls'] | undefined {
  const all = (Array.isArray(value) ? value : [value]).map((one: Json | undefined) => {
    const call = isJsonObject(one) && isJsonObject(one.function) ? one.function : one
    if (!isJsonObject(call) || typeof call.name !== 'string' || !tools.has(call.name)) return undefined
    const given = call.arguments ?? call.parameters ?? {}
    const input = typeof given === 'string' ? parsed(given || '{}') : given
    return isJsonObject(input) ? { toolName: call.name, inputText: JSON.stringify(input) } : undefined
  })
  return all.every((call) => call !== undefined) ? all : undefined
}

const functionTag = /<function=([^<>\s]+)>/y
const parameterTag = /\s*<parameter=([^<>\s]+)>\n?([^]*?)\n?<\/parameter>/y
const functionEnd = /\s*<\/function>/y

/** Values stand between the tags as they are, so only the schema says what they mean. */
function tagged(text: string, from: number, tools: Tools): Span | undefined {
  const match = (pattern: RegExp, at: number) => {
    pattern.lastIndex = at
    return pattern.exec(text)
  }
  const [tag, toolName = ''] = match(functionTag, from) ?? []
  const tool = tools.get(toolName)
  if (!tag || !tool) return undefined
  const fields: [string, Json][] = []
  let end = from + tag.length
  for (let one = match(parameterTag, end); one; one = match(parameterTag, end)) {
    const [all, name = '', value = ''] = one
    const properties = isJsonObject(tool.input.properties) ? tool.input.properties : {}
    fields.push([name, toValue(value, Object.hasOwn(properties, name) ? properties[name] : undefined)])
    end += all.length
  }
  const [closing] = match(functionEnd, end) ?? []
  if (!closing) return undefined
  return { calls: [{ toolName, inputText: JSON.stringify(Object.fromEntries(fields)) }], end: end + closing.length }
}

function toValue(text: string, schema: Json | undefined): Json {
  const types = isJsonObject(schema) ? typesOf(schema) : []
  if (types.includes('string')) return types.includes('null') && text.trim() === 'null' ? null : text
  const value = parsed(text)
  return value === undefined ? text : value
}

function typesOf(schema: JsonObject): readonly Json[] {
  const branches = [schema.anyOf, schema.oneOf].flatMap((list) =>
    Array.isArray(list) ? list.filter(isJsonObject) : [],
  )
  const values = [schema.const, ...(Array.isArray(schema.enum) ? (schema.enum as Json[]) : [])]
  const own = Array.isArray(schema.type) ? (schema.type as Json[]) : schema.type === undefined ? [] : [schema.type]
  return [...own, ...values.map((value) => typeof value), ...branches.flatMap(typesOf)]
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
