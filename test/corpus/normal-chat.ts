import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.js'
import { asOne, essence } from '../models/chat-canonical.js'
import { listOf, record } from '../models/recorded-json.js'
import { bare, isSystem, textsIn, toolOf } from './normal-pieces.js'

export function normalChat({
  max_completion_tokens: limit = null,
  messages: given = null,
  n = null,
  false: misread,
  stop = null,
  ...body
}: JsonObject): JsonObject {
  const messages = listOf(given)
  const start = messages.findIndex((message) => !isSystem(message))
  const [system, rest] = start < 0 ? [messages, []] : [messages.slice(0, start), messages.slice(start)]
  // Where a recording went through YAML, the key `n` has become `false`.
  const count = misread ?? n
  const said = rest
    .filter(({ content }) => content !== 'Go on.')
    .map((message) => ({
      ...essence(message),
      role: isSystem(message) ? 'system' : (message.role ?? null),
    }))
  return {
    ...body,
    n: count === 1 ? null : count,
    max_tokens: body.max_tokens ?? limit,
    stop: typeof stop === 'string' ? [stop] : stop,
    messages: asOne(numbered(said.map(blank))),
    instructions: system.map(({ content }) => textsIn(content)).join('\n\n'),
    tools: listOf(body.tools)
      .toSorted((a, b) => Number(isOurs(a)) - Number(isOurs(b)))
      .map(normalTool),
  }
}

/** Of the app, whose place among those of the server says nothing. */
const isOurs = (tool: JsonObject): boolean => isJsonObject(tool.function) || isJsonObject(tool.custom)

function normalTool(tool: JsonObject): JsonObject {
  const { function: called, custom, ...hosted } = tool
  if ((tool.type ?? 'function') !== 'function' && tool.type !== 'custom') return tool
  if (isJsonObject(called)) return toolOf({ parameters: {}, ...called, type: 'function' }, 'parameters')
  if (!isJsonObject(custom)) return hosted
  const { format, ...rest } = custom
  return { custom: bare({ ...rest, format: record(format).type === 'text' ? null : (format ?? null) }) }
}

/** What is said for nothing. */
const blank = ({ text, calls, ...message }: JsonObject): JsonObject => ({
  ...message,
  text: text === '(no text)' ? '' : (text ?? null),
  calls: listOf(calls).map(({ function: called, ...call }) => {
    const { arguments: args, ...rest } = record(called)
    // Some servers take them as an object.
    const text = isJsonObject(args) ? JSON.stringify(args) : args
    return called ? { ...call, function: { ...rest, arguments: text === '' ? '{}' : (text ?? null) } } : call
  }),
})

/** Ids by the order in which they come: where two calls have one, or one that a server does not take, we choose another. */
function numbered(messages: readonly JsonObject[]): JsonObject[] {
  const numbers = new Map<Json | undefined, number[]>()
  let count = 0
  const numberOf = (id: Json | undefined) => {
    numbers.set(id, [...(numbers.get(id) ?? []), count])
    return count++
  }
  // Where two calls have one id, their results come in the order of the calls.
  const answered = (id: Json | undefined) => {
    const open = numbers.get(id) ?? []
    return (open.length > 1 ? open.shift() : open[0]) ?? null
  }
  return messages.map((message) => ({
    ...message,
    calls: listOf(message.calls).map((call) => ({ ...call, id: numberOf(call.id) })),
    ...(message.tool_call_id === undefined ? {} : { tool_call_id: answered(message.tool_call_id) }),
  }))
}
