import type { FinishReason } from '../../core/events.js'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.js'
import type { ModelDelta, ModelReply, ReplyPart } from '../model.js'
import { ReportedError } from '../model-error.js'
import type { Decoder } from '../read-reply.js'
import { countAt, eventObject, indexAt, inner, objectAt, stringAt, textAt, toUsage } from '../wire.js'

interface Block {
  native: JsonObject
  /** Argument text so far. */
  json: string
  stopped: boolean
}

interface Progress {
  readonly blocks: Map<number, Block>
  /** Fields of `usage`; a later event replaces an earlier one, null leaves it. */
  readonly usage: Map<string, Json>
  stop: string
  details?: JsonObject
}

/** Reads one stream of the Messages API. A block is complete when it has been stopped. */
export function createAnthropicDecoder(): Decoder {
  let progress = nothing()
  let reply: ModelReply | undefined
  return {
    reply: () => reply,
    push(given) {
      const event = eventObject(given)
      switch (event.type) {
        case 'message_start':
          // A gateway that tries again in mid-stream starts a second message.
          progress = nothing()
          note(progress, inner(objectAt(event, 'message', event.type), 'usage'))
          return []
        case 'content_block_start':
          return start(progress, indexAt(event, 'index', event.type), objectAt(event, 'content_block', event.type))
        case 'content_block_delta':
          return extend(progress, indexAt(event, 'index', event.type), objectAt(event, 'delta', event.type))
        case 'content_block_stop': {
          const block = progress.blocks.get(indexAt(event, 'index', event.type))
          if (block) block.stopped = true
          return []
        }
        case 'message_delta': {
          const delta = inner(event, 'delta')
          progress.stop = textAt(delta, 'stop_reason') || progress.stop
          progress.details = inner(delta, 'stop_details') ?? progress.details
          note(progress, inner(event, 'usage'))
          return []
        }
        case 'message_stop':
          reply = toReply(progress)
          return []
        case 'error': {
          const error = inner(event, 'error')
          const message = textAt(error, 'message') || 'it gave no reason'
          throw new ReportedError({ type: textAt(error, 'type') || undefined, message })
        }
        default:
          return []
      }
    },
  }
}

const nothing = (): Progress => ({ blocks: new Map(), usage: new Map(), stop: '' })

function note({ usage }: Progress, more: JsonObject | undefined): void {
  for (const [key, value] of Object.entries(more ?? {})) if (value !== null) usage.set(key, value)
}

function start({ blocks }: Progress, index: number, native: JsonObject): ModelDelta[] {
  stringAt(native, 'type', 'a content block')
  blocks.set(index, { native, json: '', stopped: false })
  if (native.type === 'tool_use') return [{ type: 'call', index, toolName: textAt(native, 'name'), text: '' }]
  return shown(
    index,
    native.type === 'thinking' ? 'reasoning' : 'text',
    textAt(native, native.type === 'thinking' ? 'thinking' : 'text'),
  )
}

const shown = (index: number, type: 'text' | 'reasoning', text: string): ModelDelta[] =>
  text ? [{ type, index, text }] : []

function extend({ blocks }: Progress, index: number, delta: JsonObject): ModelDelta[] {
  const block = blocks.get(index)
  if (!block) return []
  const { native } = block
  switch (delta.type) {
    case 'text_delta':
      block.native = { ...native, text: textAt(native, 'text') + textAt(delta, 'text') }
      return shown(index, 'text', textAt(delta, 'text'))
    case 'thinking_delta':
      block.native = { ...native, thinking: textAt(native, 'thinking') + textAt(delta, 'thinking') }
      return shown(index, 'reasoning', textAt(delta, 'thinking'))
    case 'signature_delta':
      block.native = { ...native, signature: textAt(delta, 'signature') }
      return []
    case 'citations_delta': {
      const before = Array.isArray(native.citations) ? native.citations : []
      block.native = { ...native, citations: [...before, delta.citation ?? null] }
      return []
    }
    case 'input_json_delta': {
      const text = textAt(delta, 'partial_json')
      block.json += text
      return native.type === 'tool_use' && text ? [{ type: 'call', index, toolName: textAt(native, 'name'), text }] : []
    }
    default:
      return []
  }
}

const finishes: Readonly<Record<string, FinishReason>> = {
  __proto__: null as never,
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'other',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  pause_turn: 'resend',
  compaction: 'resend',
  refusal: 'refusal',
}

function toReply({ blocks, usage, stop, details }: Progress): ModelReply {
  const finish = finishes[stop] ?? 'other'
  const inOrder = [...blocks].toSorted(([a], [b]) => a - b).map(([, block]) => block)
  if (finish === 'refusal') return { parts: [refusal(inOrder, details)], finish, usage: usageOf(usage) }
  // The last call of a reply that was cut is cut itself, though it may parse.
  if (finish === 'length' && isCall(inOrder.at(-1))) inOrder.pop()
  const parts = inOrder.filter((block) => block.stopped || !isCall(block)).map(toPart)
  const lies = finish === 'stop' || finish === 'other'
  return { parts, finish: lies && parts.some(({ type }) => type === 'call') ? 'calls' : finish, usage: usageOf(usage) }
}

const isCall = (block: Block | undefined): boolean => textAt(block?.native, 'type').endsWith('tool_use')

/** A refused turn must not be sent again, so only what was shown of it is kept. */
function refusal(blocks: readonly Block[], details: JsonObject | undefined): ReplyPart {
  const said = blocks.filter(({ native }) => native.type === 'text').map(({ native }) => textAt(native, 'text'))
  const why = textAt(details, 'explanation') || 'The model refused to answer.'
  return { type: 'refusal', text: [said.join(''), why].filter((text) => text !== '').join('\n\n') }
}

function toPart({ native, json }: Block): ReplyPart {
  switch (native.type) {
    case 'text':
      return { type: 'text', text: textAt(native, 'text'), native }
    case 'thinking':
      return { type: 'reasoning', text: textAt(native, 'thinking'), native }
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', native }
    case 'tool_use': {
      const input = inputOf(native, json)
      const inputText = json.trim() === '' ? JSON.stringify(input) : json
      const toolName = stringAt(native, 'name', 'a tool_use block')
      return {
        type: 'call',
        toolName,
        inputText,
        wireId: textAt(native, 'id') || undefined,
        native: { ...native, input },
      }
    }
    default:
      return {
        type: 'other',
        native: isCall({ native, json, stopped: true }) ? { ...native, input: inputOf(native, json) } : native,
      }
  }
}

/** The API takes back only an object; what does not parse goes back as text in one. */
function inputOf(native: JsonObject, json: string): JsonObject {
  if (json.trim() === '') return inner(native, 'input') ?? {}
  try {
    const value = JSON.parse(json) as Json
    return isJsonObject(value) ? value : { INVALID_JSON: json }
  } catch {
    return { INVALID_JSON: json }
  }
}

function usageOf(fields: ReadonlyMap<string, Json>): ModelReply['usage'] {
  const usage = Object.fromEntries(fields)
  const [fresh, cacheRead, cacheWrite] = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'].map(
    (key) => countAt(usage, key),
  )
  return toUsage({
    input: fresh === undefined ? undefined : fresh + (cacheRead ?? 0) + (cacheWrite ?? 0),
    output: countAt(usage, 'output_tokens'),
    cacheRead,
    cacheWrite,
    reasoning: countAt(inner(usage, 'output_tokens_details'), 'thinking_tokens'),
  })
}
