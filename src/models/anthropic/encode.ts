import type { Anthropic } from '@anthropic-ai/sdk'
import type { JsonObject } from '../../core/json.js'
import type { KeyedCall, Message } from '../../core/transcript.js'
import { argumentsOf, checkHistory, isOwn, legalName, nativeOf, partsOf, wireIds, type PartOf } from '../history.js'
import type { ModelConfig, ModelRequest } from '../model.js'
import { toRootSchema } from '../root-schema.js'

type Body = Anthropic.MessageCreateParamsStreaming
type Block = Anthropic.ContentBlockParam
type Ids = ReadonlyMap<string, string>
interface Turn {
  role: 'user' | 'assistant'
  content: Block[]
}

/** Tokens of a reply when the configuration does not say: the API demands a number, and thinking counts. */
export const defaultMaxTokens = 16_000

const cached = { cache_control: { type: 'ephemeral' } } as const

/**
 * The body of a request to the Messages API. Two places are marked for its cache: the end of what never changes in a session,
 * and the end of the transcript, which only grows.
 * @throws {HandrailError} `model_bad_request` when a call of the history has no result, or more than one.
 */
export function encodeAnthropic(request: ModelRequest, config: ModelConfig): Body {
  const { instructions, tools, messages } = request
  checkHistory(messages)
  const hasInstructions = instructions.trim() !== ''
  const wireTools = tools.map(toTool)
  const lastTool = wireTools.at(-1)
  if (lastTool && !hasInstructions) Object.assign(lastTool, cached)
  return {
    model: config.model,
    stream: true,
    max_tokens: config.maxOutputTokens ?? defaultMaxTokens,
    messages: markLast(toTurns(messages, config)),
    ...(hasInstructions ? { system: [{ type: 'text', text: instructions, ...cached }] } : {}),
    ...(lastTool ? { tools: wireTools } : {}),
  }
}

const toTool = ({ name, description, input }: ModelRequest['tools'][number]): Anthropic.Tool => ({
  name,
  description,
  input_schema: toRootSchema(input) as Anthropic.Tool.InputSchema,
})

/** Roles alternate: results, news and the user's words that follow each other are one turn, with the results first. */
function toTurns(messages: readonly Message[], config: ModelConfig): Turn[] {
  const ids = wireIds(messages, config)
  const turns: Turn[] = []
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const blocks = message.role === 'assistant' ? assistantBlocks(message, config, ids) : [userBlock(message, ids)]
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    else if (blocks.length > 0) turns.push({ role, content: blocks })
  }
  return turns
}

function userBlock(message: Exclude<Message, { role: 'assistant' }>, ids: Ids): Block {
  // Blank text is a 400.
  if (message.role !== 'tool') return { type: 'text', text: message.text.trim() === '' ? '(no text)' : message.text }
  return {
    type: 'tool_result',
    tool_use_id: ids.get(message.call.key)!,
    is_error: message.outcome !== 'ok',
    ...(message.text.trim() === '' ? {} : { content: message.text }),
  }
}

function assistantBlocks(message: Message & { role: 'assistant' }, config: ModelConfig, ids: Ids): Block[] {
  const own = isOwn(message.origin, config)
  const refusedHere = message.origin.provider === config.provider
  const blocks = partsOf(message)
    .filter(({ part }) => !(part.type === 'refusal' && refusedHere))
    .flatMap(({ part, call }) => toBlock(part, call, own, ids))
  // A turn may not end in thinking: the call that it led to was cut.
  while (blocks.length > 0 && /^(redacted_)?thinking$/.test(blocks.at(-1)!.type)) blocks.pop()
  return blocks
}

function toBlock(part: PartOf, call: KeyedCall | undefined, own: boolean, ids: Ids): Block[] {
  const native = own ? nativeOf(part) : undefined
  if (call) {
    const id = ids.get(call.key)!
    if (native) return [asBlock(native.id === id ? native : { ...native, id })]
    return [{ type: 'tool_use', id, name: legalName(call.toolName), input: argumentsOf(call) }]
  }
  const isText = part.type === 'text' || part.type === 'refusal'
  if (isText && part.text.trim() === '') return []
  if (native) return [asBlock(native)]
  return isText ? [{ type: 'text', text: part.text }] : []
}

const asBlock = (native: JsonObject): Block => native as unknown as Block

/** Only a turn of the user is marked: what the model wrote goes back as it was. */
function markLast(turns: readonly Turn[]): Turn[] {
  const last = turns.at(-1)
  if (last?.role !== 'user') return [...turns]
  const marked = { ...last.content.at(-1)!, ...cached } as Block
  return [...turns.slice(0, -1), { ...last, content: [...last.content.slice(0, -1), marked] }]
}
