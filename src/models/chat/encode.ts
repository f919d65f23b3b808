import type { OpenAI } from 'openai'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.js'
import type { KeyedCall, Message } from '../../core/transcript.js'
import { argumentsOf, checkHistory, isOwn, legalName, nativeOf, partsOf } from '../history.js'
import type { ModelConfig, ModelRequest } from '../model.js'
import { toRootSchema } from '../root-schema.js'
import { chatCapabilities, type ChatCapabilities } from './capabilities.js'
import { chatIds } from './ids.js'

type Body = OpenAI.Chat.ChatCompletionCreateParamsStreaming
type Sent = OpenAI.Chat.ChatCompletionMessageParam
type Ids = ReadonlyMap<string, string>
type AssistantTurn = Message & { role: 'assistant' }

/**
 * The body of a request to the Chat Completions API, with nothing in it that the server is not known to take.
 * @throws {HandrailError} `model_bad_request` when a call of the history has no result, or more than one.
 */
export function encodeChat(request: ModelRequest, config: ModelConfig, can = chatCapabilities(config)): Body {
  const { instructions, tools, messages, cacheKey } = request
  checkHistory(messages)
  const system: Sent[] = instructions.trim() === '' ? [] : [{ role: 'system', content: instructions }]
  return {
    model: config.model,
    messages: [...system, ...toMessages(messages, config, can)],
    stream: true,
    ...(can.streamOptions ? { stream_options: { include_usage: true } } : {}),
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool) }),
    ...(can.cacheKey ? { prompt_cache_key: cacheKey.slice(-64) } : {}),
    ...(config.maxOutputTokens === undefined ? {} : { [can.limit]: config.maxOutputTokens }),
  }
}

const toTool = ({ name, description, input }: ModelRequest['tools'][number]): OpenAI.Chat.ChatCompletionTool => ({
  type: 'function',
  // Some servers refuse an object without properties.
  function: { name, description, parameters: { properties: {}, ...toRootSchema(input) } },
})

/** Blank content is refused by some servers. */
const said = (text: string): string => (text.trim() === '' ? '(no text)' : text)

/** Roles alternate, as the templates of many models demand: what the user says in several messages is sent as one. */
function toMessages(messages: readonly Message[], config: ModelConfig, can: ChatCapabilities): Sent[] {
  const ids = chatIds(messages, config, can)
  const results = new Map(messages.flatMap((one) => (one.role === 'tool' ? [[one.call.key, one.text] as const] : [])))
  const sent: Sent[] = []
  for (const message of messages) {
    if (message.role === 'tool') continue
    const last = sent.at(-1)
    if (message.role === 'assistant') {
      const turn = toAssistant(message, config, can, ids)
      if (!turn) continue
      if (last?.role !== 'user' && last?.role !== 'tool') sent.push(goOn)
      sent.push(turn)
      for (const { key } of message.calls)
        sent.push({ role: 'tool', tool_call_id: ids.get(key)!, content: said(results.get(key) ?? '') })
    } else if (last?.role === 'user' && typeof last.content === 'string') {
      sent[sent.length - 1] = { role: 'user', content: `${last.content}\n\n${said(message.text)}` }
    } else {
      if (last?.role === 'tool' && !can.userAfterResult) sent.push({ role: 'assistant', content: 'OK.' })
      sent.push({ role: 'user', content: said(message.text) })
    }
  }
  if (sent.at(-1)?.role === 'assistant') sent.push(goOn)
  return sent
}

/** Where two turns of the model follow each other, and where a request would end in one. */
const goOn: Sent = { role: 'user', content: 'Go on.' }

/** The message, or undefined when there is nothing in it that can be sent. */
function toAssistant(message: AssistantTurn, config: ModelConfig, can: ChatCapabilities, ids: Ids): Sent | undefined {
  const own = isOwn(message.origin, config)
  const pairs = partsOf(message)
  const tool_calls = pairs.flatMap(({ part, call }) =>
    call ? [toCall(call, own ? nativeOf(part) : undefined, ids)] : [],
  )
  const natives = own ? pairs.flatMap(({ part, call }) => (call ? [] : [nativeOf(part) ?? {}])) : []
  const texts = pairs.flatMap(({ part }) =>
    (part.type === 'text' || part.type === 'refusal') && part.text.trim() !== '' ? [part.text] : [],
  )
  if (texts.length === 0 && tool_calls.length === 0) return undefined
  const sent = {
    role: 'assistant',
    content: natives.some(isContentPart) ? toContentParts(message) : texts.length > 0 ? texts.join('\n\n') : null,
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
    ...returnedFields(natives, tool_calls.length > 0, can),
  }
  return sent as Sent
}

/** A server that answered in a list of parts takes it back, with the thinking in it. */
function toContentParts({ parts }: AssistantTurn): JsonObject[] {
  return parts.flatMap((part) => {
    const native = nativeOf(part)
    if (part.type === 'text' || part.type === 'refusal')
      return part.text.trim() === '' ? [] : [native ?? { type: 'text', text: part.text }]
    return part.type !== 'call' && native && isContentPart(native) ? [native] : []
  })
}

const isContentPart = ({ type }: JsonObject): boolean => type === 'text' || type === 'thinking' || type === 'reference'

function returnedFields(natives: readonly JsonObject[], hasCalls: boolean, can: ChatCapabilities): JsonObject {
  const fields = Object.assign({}, ...natives.filter((native) => native.type === undefined)) as JsonObject
  const key = can.returned.find((name) => Object.hasOwn(fields, name))
  if (key !== undefined) return { [key]: fields[key]! }
  return can.demanded !== undefined && hasCalls ? { [can.demanded]: '' } : {}
}

function toCall(call: KeyedCall, native: JsonObject | undefined, ids: Ids): JsonObject {
  const extra = native?.extra_content
  return {
    id: ids.get(call.key)!,
    type: 'function',
    function: { name: legalName(call.toolName), arguments: argumentText(call) },
    ...(isJsonObject(extra) ? { extra_content: extra } : {}),
  }
}

/** Templates read the arguments, so they are an object even when the model wrote something else. */
const argumentText = (call: KeyedCall): string =>
  isJsonObject(call.input as Json) && call.inputText !== undefined ? call.inputText : JSON.stringify(argumentsOf(call))
