import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.js'
import { listOf, record, textOf } from './recorded-json.js'
import { openAIToolComplaints } from './openai-tool-rules.js'

/** Why the Responses API would answer a request with 400; empty when it would not. */
export function openAIComplaints(body: JsonObject, url = 'https://api.openai.com/v1/responses'): string[] {
  const items = listOf(body.input)
  const isKept = typeof body.previous_response_id === 'string' || !!body.conversation
  return [
    ...settingComplaints(body),
    // Other servers that speak it have fields of their own.
    ...(/\bopenai\./.test(url) ? unknownFields(body) : []),
    ...openAIToolComplaints(body),
    ...(items.length === 0 && !isKept && !body.prompt && typeof body.input !== 'string' ? ['input is missing'] : []),
    ...pairingComplaints(items, isKept),
    ...items.flatMap((item, i) => itemComplaints(item, i)),
    ...reasoningComplaints(items),
    ...(/deepseek/.test(textOf(body.model)) ? interleaved(items) : []),
  ]
}

const efforts = /^(none|minimal|low|medium|high|xhigh|max)$/

/** By the table of the reference: which models take how they are sampled, and which can be told not to think. */
function settingComplaints(body: JsonObject): string[] {
  const found: string[] = []
  const model = textOf(body.model)
  const effort = record(body.reasoning).effort ?? undefined
  const samples = (body.temperature ?? undefined) !== undefined || (body.top_p ?? undefined) !== undefined
  if (effort !== undefined && !efforts.test(textOf(effort))) found.push(`reasoning.effort is ${JSON.stringify(effort)}`)
  if (/gpt-6(\.\d)?-astra/.test(model)) {
    if (samples) found.push('sampling is not supported with this model')
    if (effort === 'none' || effort === 'minimal') found.push(`effort "${effort}" is not supported with this model`)
  } else if (/gpt-(5\.[1-9]|6)(?!.*chat)/.test(model)) {
    // Until GPT-5.4 that is what a request without an effort is.
    const isOff = effort === 'none' || (effort === undefined && /gpt-5\.[1-4](?!.*(codex|pro))/.test(model))
    if (samples && !isOff) found.push('sampling is supported with effort none only')
    if (effort === 'minimal') found.push('effort "minimal" is not supported with this model')
  } else if (/^(gpt-5(?!.*-chat)|o[134])/.test(model) && samples)
    found.push('sampling is not supported with this model')
  if (model.startsWith('gpt-4') && effort !== undefined) found.push('reasoning is not supported with this model')
  if (/^gpt-[34]/.test(model) && JSON.stringify(body.include ?? null).includes('encrypted_content'))
    found.push('encrypted content is not supported')
  if (body.previous_response_id && body.conversation)
    found.push('previous_response_id and conversation exclude each other')
  if (textOf(body.prompt_cache_key).length > 64) found.push('prompt_cache_key is too long')
  if (typeof body.max_output_tokens === 'number' && body.max_output_tokens < 16)
    found.push('max_output_tokens is below 16')
  const { format } = record(body.text)
  const { type, name, schema } = record(format)
  if (type === 'json_schema' && (!/^[\w-]{1,64}$/.test(textOf(name)) || !isJsonObject(schema)))
    found.push('text.format has no name or schema')
  return found
}

const unknownFields = (body: JsonObject): string[] =>
  ['top_k', 'seed', 'stop', 'messages', 'max_tokens', 'reasoning_effort', 'response_format'].flatMap((key) =>
    key in body ? [`Unknown parameter: '${key}'`] : [],
  )

/** Each call has one answer of its kind, and no answer is without its call. What a server keeps may have calls that we do not see. */
function pairingComplaints(items: readonly JsonObject[], isKept: boolean): string[] {
  const found: string[] = []
  const open = new Map<string, JsonObject>()
  const seen = new Set<string>()
  const programs = new Set<string>()
  const searches = new Set<string>()
  const waiting = () => found.push(`No tool output found for function call ${[...open.keys()].join()}`)
  for (const item of items) {
    const type = textOf(item.type)
    const id = textOf(type.startsWith('mcp_approval_re') ? (item.approval_request_id ?? item.id) : item.call_id)
    const { type: by, caller_id } = record(item.caller)
    switch (type) {
      case 'program':
        programs.add(id)
        break
      case 'program_output':
        if (!programs.has(id) && !isKept) found.push(`No program found for output with call_id ${id}`)
        break
      case 'function_call':
      case 'custom_tool_call':
      case 'mcp_approval_request':
        if (!/^[^]{1,64}$/.test(id) || seen.has(id)) found.push(`call id "${id}" is blank, long or taken`)
        if (by === 'program' && !programs.has(textOf(caller_id))) found.push(`call ${id} is of no program`)
        open.set(id, item)
        seen.add(id)
        break
      case 'tool_search_call':
        // Answered as a function by some clients, and taken.
        if (item.execution === 'client') searches.add(id)
        break
      case 'function_call_output':
      case 'custom_tool_call_output':
      case 'mcp_approval_response': {
        const call = open.get(id)
        if (call && JSON.stringify(programOf(call)) !== JSON.stringify(programOf(item)))
          found.push(`the output of call ${id} has another caller`)
        if (call && type.replace(/_output|_response/, '') !== textOf(call.type).replace('_request', ''))
          found.push(`the output of call ${id} is of another kind`)
        if (!open.delete(id) && !isKept && !searches.delete(id))
          found.push(`No tool call found for function call output with call_id ${id}`)
        break
      }
      default:
        if (open.size > 0 && type !== 'message' && item.role !== 'user' && item.role !== 'developer') break
        if (open.size > 0 && (item.role === 'user' || item.role === 'developer')) waiting()
    }
  }
  if (open.size > 0) waiting()
  return found
}

const programOf = ({ caller }: JsonObject): Json => (record(caller).type === 'program' ? record(caller) : null)

function itemComplaints(item: JsonObject, i: number): string[] {
  const type = textOf(item.type) || 'message'
  const say = (what: string) => `input[${i}], a ${type}, ${what}`
  switch (type) {
    case 'message':
      return messageComplaints(item).map(say)
    case 'function_call':
    case 'custom_tool_call': {
      const text = type === 'function_call' ? item.arguments : item.input
      return [
        ...(/^[\w.-]{1,64}$/.test(textOf(item.name)) ? [] : [say(`has the name "${textOf(item.name)}"`)]),
        ...(item.namespace === undefined || /^[\w-]{1,64}$/.test(textOf(item.namespace))
          ? []
          : [say('has a bad namespace')]),
        ...(typeof text === 'string' ? [] : [say('has no text')]),
      ]
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return contentComplaints(item.output, /^input_(text|image|file)$/).map(say)
    case 'mcp_approval_response':
      return typeof item.approve === 'boolean' ? [] : [say('does not say whether it approves')]
    case 'mcp_approval_request':
    case 'mcp_call':
    case 'web_search_call':
    case 'file_search_call':
    case 'code_interpreter_call':
    case 'image_generation_call':
      return typeof item.id === 'string' && item.id !== '' ? [] : [say('has no id')]
    case 'program':
      return typeof item.fingerprint === 'string' ? [] : [say('has no fingerprint')]
    default:
      return []
  }
}

function messageComplaints({ role, content }: JsonObject): string[] {
  if (role === 'assistant') return contentComplaints(content, /^(output_text|refusal)$/)
  if (role === 'user') return contentComplaints(content, /^input_(text|image|file)$/)
  if (role !== 'developer' && role !== 'system') return [`has the role ${JSON.stringify(role)}`]
  return contentComplaints(content, /^input_text$/)
}

const documents = /^data:(text\/|application\/(pdf|json|xml|rtf|msword|vnd\.))/

function contentComplaints(content: Json | undefined, kinds: RegExp): string[] {
  if (typeof content === 'string') return []
  if (!Array.isArray(content)) return ['has no content']
  return listOf(content).flatMap((piece): string[] => {
    const { type, image_url, file_url, file_data, file_id, filename } = piece
    if (!kinds.test(textOf(type))) return [`has content of type ${JSON.stringify(type)}`]
    if (type === 'input_image')
      return file_id || /^(data:image\/(png|jpeg|gif|webp);base64,|https?:)/.test(textOf(image_url))
        ? []
        : ['has an image that is none']
    if (type !== 'input_file') return []
    const sources = [file_url, file_data, file_id].filter((one) => typeof one === 'string')
    if (sources.length !== 1) return ['has a file with no or several contents']
    return file_data !== undefined && (!filename || !documents.test(textOf(file_data))) ? ['unsupported_file'] : []
  })
}

function reasoningComplaints(items: readonly JsonObject[]): string[] {
  return items.flatMap((item, i) => {
    if (item.type !== 'reasoning') return []
    const found: string[] = []
    if (!item.encrypted_content && listOf(item.content).length === 0)
      found.push(`Item ${i} of type reasoning cannot be read`)
    const next = items[i + 1]
    const isOther = /_output$|_response$|^additional_tools$/.test(textOf(next?.type)) && next?.type !== 'program_output'
    if (!next || next.role === 'user' || next.role === 'developer' || isOther)
      found.push(`Item ${i} of type reasoning was provided without its required following item`)
    return found
  })
}

/** DeepSeek takes no words between the calls of a turn. */
function interleaved(items: readonly JsonObject[]): string[] {
  const open = new Set<string>()
  return items.flatMap((item) => {
    const id = textOf(item.call_id ?? item.approval_request_id ?? item.id)
    if (/^((function|custom_tool)_call|mcp_approval_request)$/.test(textOf(item.type))) open.add(id)
    else if (/^((function|custom_tool)_call_output|mcp_approval_response)$/.test(textOf(item.type))) open.delete(id)
    else if (open.size > 0) return [`No tool output found for tool call ${[...open][0]}`]
    return []
  })
}
