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
  /** As OpenAI: late instructions, tools that take a text, `allowed_tools`; no tools of its own, no field that it does not know. */
  readonly openAI?: boolean
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
      if (listOf(content).some(({ type }) => type !== 'text')) complain('a result is not text')
      continue
    }
    if (open.length > 0) complain(`tool_call_ids did not have response messages: ${open.join()}`)
    open = []
    if (role === 'system' || role === 'developer') {
      if (isBlank(content)) complain('a system message is blank')
      if (!rules.openAI && i > 0 && before !== 'system' && before !== 'developer')
        complain('a system message comes late')
    } else if (role === 'user') {
      if (isBlank(content)) complain('a user message is blank')
      for (const part of listOf(content)) for (const what of partComplaints(part, rules)) complain(what)
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
  if (messages.length === 0) found.push('there are no messages')
  if (rules.alternates && last !== 'user' && last !== 'tool')
    found.push('the last message is not of the user or a tool')
  if (rules.mistral && 'stream_options' in body) found.push('Extra inputs are not permitted: stream_options')
  if (rules.openAI && 'tools' in body && listOf(body.tools).length === 0) found.push('tools is empty')
  found.push(...listOf(body.tools).flatMap((tool) => toolComplaints(tool, rules)))
  return [...found, ...choiceComplaints(body, rules), ...settingComplaints(body, rules)]
}

function partComplaints(part: JsonObject, { mistral, openAI }: ChatRules): string[] {
  const { type, text, image_url, file, input_audio, document_url } = part
  const isURL = (value: Json | undefined) => /^(data:[\w+.-]+\/[\w+.-]+;base64,.|https?:)/.test(textOf(value))
  switch (type) {
    case 'text':
      return typeof text === 'string' && text !== '' ? [] : ['a text is empty']
    case 'image_url':
      return isURL(textOf(image_url) || record(image_url).url) ? [] : ['an image has no URL']
    case 'file': {
      const { file_data, file_id } = record(file)
      if (mistral) return ['a file']
      if (openAI && !file_id && !textOf(file_data).startsWith('data:')) return ['a file has no bytes']
      return file_id || isURL(file_data) ? [] : ['a file has no URL']
    }
    case 'input_audio':
      return /^(wav|mp3)$/.test(textOf(record(input_audio).format)) ? [] : ['audio has no format']
    case 'document_url':
      return mistral && isURL(document_url) ? [] : ['a document']
    case 'video_url':
      return openAI || mistral ? ['a video'] : []
    default:
      return [`content of type "${textOf(type)}"`]
  }
}

const nameOf = (tool: JsonObject): string => textOf(record(tool.function ?? tool.custom).name)

function choiceComplaints(body: JsonObject, { openAI }: ChatRules): string[] {
  const tools = listOf(body.tools)
  const { tool_choice: choice } = body
  if (choice === undefined || choice === null) return []
  if (tools.length === 0) return ["'tool_choice' is only allowed when 'tools' are specified"]
  if (typeof choice === 'string') return /^(none|auto|required|any)$/.test(choice) ? [] : [`tool_choice "${choice}"`]
  const { type, allowed_tools: allowed } = record(choice)
  const { mode, tools: names } = record(allowed)
  if (type === 'allowed_tools' && !openAI) return ['tool_choice allowed_tools']
  if (type === 'allowed_tools' && (listOf(names).length === 0 || !/^(auto|required)$/.test(textOf(mode))))
    return ['allowed_tools is empty or has no mode']
  const chosen = type === 'allowed_tools' ? listOf(names) : [record(choice)]
  return chosen.flatMap((one) => {
    const known = tools.some((tool) => tool.type === one.type && nameOf(tool) === nameOf(one) && nameOf(one) !== '')
    return known ? [] : [`tool_choice names "${nameOf(one)}", which is no tool of this request`]
  })
}

/** Fields that one of the strict servers answers with 400. */
const unknownTo = {
  openAI: ['top_k', 'random_seed', 'reasoning', 'reasoning_format', 'thinking', 'provider'],
  mistral: ['top_k', 'seed', 'service_tier', 'max_completion_tokens', 'reasoning', 'stream_options'],
}

function settingComplaints(body: JsonObject, { openAI, mistral }: ChatRules): string[] {
  const found: string[] = []
  const model = textOf(body.model)
  const unknown = [...(openAI ? unknownTo.openAI : []), ...(mistral ? unknownTo.mistral : [])]
  found.push(...unknown.filter((key) => key in body).map((key) => `Unrecognized request argument: ${key}`))
  if ('parallel_tool_calls' in body && listOf(body.tools).length === 0)
    found.push("'parallel_tool_calls' is only allowed when 'tools' are specified")
  if (openAI && /^(gpt-[5-9](?!.*-chat)|o\d)/.test(model)) {
    const isFree = body.reasoning_effort === 'none'
    for (const key of ['temperature', 'top_p']) if (key in body && !isFree) found.push(`Unsupported parameter: ${key}`)
    for (const key of ['max_tokens', 'stop']) if (key in body) found.push(`Unsupported parameter: ${key}`)
  } else if (openAI && 'reasoning_effort' in body) found.push('Unrecognized request argument: reasoning_effort')
  const { json_schema } = record(body.response_format)
  if (json_schema !== undefined) {
    const { name, schema } = record(json_schema)
    if (!/^[\w-]{1,64}$/.test(textOf(name))) found.push(`response_format name "${textOf(name)}"`)
    if (Object.keys(record(schema)).length === 0) found.push('response_format has no schema')
  }
  return found
}

function callComplaints(call: JsonObject, { mistral, openAI }: ChatRules): string[] {
  const found: string[] = []
  const id = textOf(call.id)
  if (call.type === 'custom' && openAI) {
    const { name, input } = record(call.custom)
    if (!/^[\w-]{1,64}$/.test(textOf(name))) found.push(`custom name "${textOf(name)}"`)
    if (typeof input !== 'string') found.push('the input of a custom call is no text')
    return found
  }
  const called = record(call.function)
  if (call.type !== 'function') found.push('a call has no type')
  if (!/^[^]{1,64}$/.test(id) || (mistral && !/^[a-zA-Z0-9]{9}$/.test(id))) found.push(`id "${id}"`)
  if (!/^[\w-]{1,64}$/.test(textOf(called.name))) found.push(`function name "${textOf(called.name)}"`)
  if (!isObjectText(called.arguments)) found.push('arguments are not the text of an object')
  return found
}

function toolComplaints(tool: JsonObject, { openAI, mistral }: ChatRules): string[] {
  if (tool.custom && openAI) return /^[\w-]{1,64}$/.test(nameOf(tool)) ? [] : [`tool name "${nameOf(tool)}"`]
  const isHosted = !tool.function || !/^(function|custom)$/.test(textOf(tool.type ?? 'function'))
  if (isHosted) return openAI || mistral || !textOf(tool.type) ? [`tool of type "${textOf(tool.type)}"`] : []
  const { name, parameters, strict } = record(tool.function)
  const schema = record(parameters)
  const banned = ['anyOf', 'oneOf', 'allOf', 'enum', 'not', '$ref'].filter((key) => key in schema)
  return [
    ...(/^[\w-]{1,64}$/.test(textOf(name)) ? [] : [`tool name "${textOf(name)}"`]),
    ...(schema.type === 'object' && 'properties' in schema ? [] : ['a schema is not of an object with properties']),
    ...banned.map((key) => `a schema has ${key} at its root`),
    ...(openAI && strict === true && schema.additionalProperties !== false
      ? ["strict: 'additionalProperties' must be false"]
      : []),
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
