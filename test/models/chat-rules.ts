import type { Json, JsonObject } from '../../src/core/json.js'
import { listOf, record, textOf } from './recorded-json.js'

/** What a server demands beyond what all do. */
export interface ChatRules {
  /** As Mistral: ids of nine letters and digits, no user after a result, no `stream_options`. */
  readonly mistral?: boolean
  /** As DeepSeek: a field of each message with calls. */
  readonly demanded?: string
  /** Roles alternate, as in the templates of many local models. */
  readonly alternates?: boolean
}

/** Why a server of the Chat Completions API would answer a request with 400; empty when it would not. */
export function chatComplaints(body: JsonObject, rules: ChatRules = {}): string[] {
  const found: string[] = []
  const seen = new Set<string>()
  let open: string[] = []
  const messages = listOf(body.messages)
  for (const [i, message] of messages.entries()) {
    const { role, content } = message
    const before = messages[i - 1]?.role
    const complain = (what: string) => void found.push(`message ${i}: ${what}`)
    if (role === 'tool') {
      const id = textOf(message.tool_call_id)
      if (!open.includes(id))
        complain(`role 'tool' must be a response to a preceding message with 'tool_calls', not "${id}"`)
      open = open.filter((one) => one !== id)
      if (isBlank(content)) complain('a result is blank')
      continue
    }
    if (open.length > 0) complain(`tool_call_ids did not have response messages: ${open.join()}`)
    open = []
    if (role === 'system' || role === 'developer') {
      if (i > 0 && before !== 'system' && before !== 'developer') complain('a system message comes late')
    } else if (role === 'user') {
      if (isBlank(content)) complain('a user message is blank')
      if (rules.alternates && before === 'user') complain('two user messages')
      if (rules.mistral && before === 'tool') complain("unexpected role 'user' after role 'tool'")
    } else if (role === 'assistant') {
      const calls = listOf(message.tool_calls)
      if (message.tool_calls && calls.length === 0 && !rules.mistral) complain("'tool_calls' is empty")
      if (isBlank(content) && calls.length === 0) complain('content or tool_calls must be set')
      if (content === '') complain('content is empty')
      if (rules.alternates && before !== 'user' && before !== 'tool') complain('no user message before')
      if (rules.demanded !== undefined && calls.length > 0 && typeof message[rules.demanded] !== 'string')
        complain(`${rules.demanded} must be passed back`)
      for (const call of calls) {
        const id = textOf(call.id)
        for (const what of callComplaints(call, rules)) complain(what)
        if (seen.has(id)) complain(`id "${id}" is taken`)
        seen.add(id)
        open.push(id)
      }
    } else complain(`role "${textOf(role)}"`)
  }
  if (open.length > 0) found.push(`tool_call_ids did not have response messages: ${open.join()}`)
  const last = messages.at(-1)?.role
  if (rules.alternates && last !== 'user' && last !== 'tool')
    found.push('the last message is not of the user or a tool')
  if (rules.mistral && 'stream_options' in body) found.push('Extra inputs are not permitted: stream_options')
  found.push(...listOf(body.tools).flatMap(toolComplaints))
  return found
}

function callComplaints(call: JsonObject, { mistral }: ChatRules): string[] {
  const found: string[] = []
  const id = textOf(call.id)
  const called = record(call.function)
  if (call.type !== 'function') found.push('a call has no type')
  if (!/^[^]{1,64}$/.test(id) || (mistral && !/^[a-zA-Z0-9]{9}$/.test(id))) found.push(`id "${id}"`)
  if (!/^[\w-]{1,64}$/.test(textOf(called.name))) found.push(`function name "${textOf(called.name)}"`)
  if (!isObjectText(called.arguments)) found.push('arguments are not the text of an object')
  return found
}

function toolComplaints(tool: JsonObject): string[] {
  const { name, parameters } = record(tool.function)
  const schema = record(parameters)
  const banned = ['anyOf', 'oneOf', 'allOf', 'enum', 'not', '$ref'].filter((key) => key in schema)
  return [
    ...(/^[\w-]{1,64}$/.test(textOf(name)) ? [] : [`tool name "${textOf(name)}"`]),
    ...(schema.type === 'object' && 'properties' in schema ? [] : ['a schema is not of an object with properties']),
    ...banned.map((key) => `a schema has ${key} at its root`),
  ]
}

const isBlank = (content: Json | undefined): boolean =>
  typeof content === 'string' ? content.trim() === '' : listOf(content).length === 0

function isObjectText(text: Json | undefined): boolean {
  try {
    const value = JSON.parse(textOf(text)) as Json
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
