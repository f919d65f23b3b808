import type { OpenAI } from 'openai'
import type { JsonObject } from '../../core/json.js'
import type { KeyedCall, Message, Origin } from '../../core/transcript.js'
import { argumentsOf, checkHistory, isOwn, legalName, nativeOf, partsOf, wireIds, type PartOf } from '../history.js'
import type { ModelConfig, ModelRequest } from '../model.js'
import { toRootSchema } from '../root-schema.js'

type Body = OpenAI.Responses.ResponseCreateParamsStreaming
type Item = OpenAI.Responses.ResponseInputItem
type Ids = ReadonlyMap<string, string>

/** The longest cache key that the API takes. */
const cacheKeyCharacters = 64

/**
 * The body of a request to the Responses API. Nothing is stored there: all of the transcript is sent every time.
 * @throws {HandrailError} `model_bad_request` when a call of the history has no result, or more than one.
 */
export function encodeOpenAI(request: ModelRequest, config: ModelConfig): Body {
  const { instructions, tools, messages, cacheKey } = request
  checkHistory(messages)
  const ids = wireIds(messages, config)
  return {
    model: config.model,
    stream: true,
    store: false,
    input: messages.flatMap((message) => toItems(message, config, ids)),
    prompt_cache_key: cacheKey.slice(-cacheKeyCharacters),
    ...(instructions.trim() === '' ? {} : { instructions }),
    ...(reasons(config.model) ? { include: ['reasoning.encrypted_content'] } : {}),
    ...(tools.length === 0 ? {} : { tools: tools.map(toTool), parallel_tool_calls: true }),
    ...(config.maxOutputTokens === undefined ? {} : { max_output_tokens: config.maxOutputTokens }),
  }
}

/** Models without reasoning answer a request for it with 400. */
const reasons = (model: string): boolean => !/(^|\/)(gpt-[34]|chatgpt-)|-chat(-|$)/.test(model)

const toTool = ({ name, description, input }: ModelRequest['tools'][number]): OpenAI.Responses.FunctionTool => ({
  type: 'function',
  name,
  description,
  parameters: { ...toRootSchema(input) },
  strict: false,
})

function toItems(message: Message, self: Origin, ids: Ids): Item[] {
  switch (message.role) {
    case 'user':
    // News repeats what a tool returned: a developer message would give that more weight than the user has.
    case 'news':
    case 'note':
    case 'instructions':
      return [{ role: 'user', content: message.text }]
    case 'tool':
      return [{ type: 'function_call_output', call_id: ids.get(message.call.key)!, output: message.text }]
    case 'assistant': {
      const own = isOwn(message.origin, self)
      const items = partsOf(message).flatMap(({ part, call }) => toItem(part, call, own, ids))
      return own ? replayable(items) : items
    }
  }
}

function toItem(part: PartOf, call: KeyedCall | undefined, own: boolean, ids: Ids): Item[] {
  const native = own ? nativeOf(part) : undefined
  if (call) {
    const id = ids.get(call.key)!
    if (native) return [asItem(native.call_id === id ? native : { ...native, call_id: id })]
    return [{ type: 'function_call', call_id: id, name: legalName(call.toolName), arguments: argumentText(call) }]
  }
  if (native) return [asItem(native)]
  if ((part.type !== 'text' && part.type !== 'refusal') || part.text.trim() === '') return []
  return [{ role: 'assistant', content: part.text }]
}

const argumentText = (call: KeyedCall): string =>
  call.input !== undefined && call.inputText !== undefined ? call.inputText : JSON.stringify(argumentsOf(call))

const asItem = (native: JsonObject): Item => native as unknown as Item

/**
 * Reasoning without its encrypted content cannot be read again, nor can any without the item that it led to. Items refer to
 * the reasoning before them by their ids, so where one is left out, the ids of its message go, too.
 */
function replayable(items: readonly Item[]): Item[] {
  const readable = items.filter((item) => !isReasoning(item) || !!item.encrypted_content || !!item.content?.length)
  while (readable.length > 0 && isReasoning(readable.at(-1)!)) readable.pop()
  if (readable.filter(isReasoning).length === items.filter(isReasoning).length) return readable
  return readable.map((item) => {
    const { id: _, ...rest } = item as Item & { id?: string }
    return isReasoning(item) ? item : (rest as Item)
  })
}

const isReasoning = (item: Item): item is OpenAI.Responses.ResponseReasoningItem =>
  'type' in item && item.type === 'reasoning'
