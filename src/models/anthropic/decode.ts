import type { FinishReason, Remark } from '../../core/events.js'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.js'
import type { ModelDelta, ModelReply, ReplyPart } from '../model.js'
import { ReportedError } from '../model-error.js'
import type { Decoder } from '../read-reply.js'
import { createRemarks } from '../told.js'
import { countAt, eventObject, indexAt, inner, objectAt, objectsAt, stringAt, textAt, toUsage } from '../wire.js'

interface Block {
  native: JsonObject
  /** Argument text so far. */
  json: string
  stopped: boolean
}

interface Progress {
  readonly blocks: Map<number, Block>
  readonly remarks: ReturnType<typeof createRemarks>
  /** Fields of `usage`; a later event replaces an earlier one, null leaves it. */
  readonly usage: Map<string, Json>
  stop: string
  details?: JsonObject
  container: string
}

interface Asked {
  /** On the request, for the reply. */
  readonly remarks?: readonly Remark[]
  /** Not all was said: see `encodeAnthropicWith`. */
  readonly isWaiting?: boolean
}

/** Reads one stream of the Messages API. A block is complete when it has been stopped. */
export function createAnthropicDecoder(asked: Asked = {}): Decoder {
  let progress = nothing(asked)
  let reply: ModelReply | undefined
  return {
    reply: () => reply,
    push(given) {
      const event = eventObject(given)
      switch (event.type) {
        case 'message_start':
          // A gateway that tries again in mid-stream starts a second message.
          progress = nothing(asked)
          note(progress, objectAt(event, 'message', event.type))
          return []
        case 'content_block_start':
          return start(progress, indexAt(event, 'index', event.type), objectAt(event, 'content_block', event.type))
        case 'content_block_delta':
          return extend(progress, event, indexAt(event, 'index', event.type), objectAt(event, 'delta', event.type))
        case 'content_block_stop': {
          const block = progress.blocks.get(indexAt(event, 'index', event.type))
          if (block) block.stopped = true
          return []
        }
        case 'message_delta':
          note(progress, { ...event, ...inner(event, 'delta') })
          return []
        case 'message_stop':
          reply = toReply(progress, asked)
          return []
        case 'error': {
          const error = inner(event, 'error')
          const message = textAt(error, 'message') || 'it gave no reason'
          throw new ReportedError({ type: textAt(error, 'type') || undefined, message })
        }
        case 'ping':
          return []
        default:
          progress.remarks.unknown(event)
          return []
      }
    },
  }
}

const nothing = ({ remarks }: Asked): Progress => ({
  blocks: new Map(),
  remarks: createRemarks(remarks),
  usage: new Map(),
  stop: '',
  container: '',
})

/** What a message says of itself, at its beginning or its end. */
function note(progress: Progress, message: JsonObject): void {
  const { usage, remarks } = progress
  for (const [key, value] of Object.entries(inner(message, 'usage') ?? {})) if (value !== null) usage.set(key, value)
  progress.stop = textAt(message, 'stop_reason') || progress.stop
  progress.details = inner(message, 'stop_details') ?? progress.details
  progress.container = textAt(inner(message, 'container'), 'id') || progress.container
  for (const detail of objectsAt(message, 'input_transformations'))
    remarks.note({ code: detail.type === 'thinking_dropped' ? 'reasoning_dropped' : 'input_transformed', detail })
  for (const detail of objectsAt(inner(message, 'context_management') ?? {}, 'applied_edits'))
    remarks.note({ code: 'context_edited', detail })
  const diagnostics = inner(message, 'diagnostics')
  if (diagnostics) remarks.note({ code: 'diagnostics', detail: diagnostics })
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

function extend({ blocks, remarks }: Progress, event: JsonObject, index: number, delta: JsonObject): ModelDelta[] {
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
    case 'compaction_delta': {
      // It has the whole of the block.
      const { type: _, ...whole } = delta
      block.native = { ...native, ...whole }
      return []
    }
    default:
      remarks.unknown(event)
      return []
  }
}

const finishes: Readonly<Record<string, FinishReason>> = {
  __proto__: null as never,
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'other',
  max_tokens: 'length',
  model_context_window_exceeded: 'context',
  pause_turn: 'resend',
  compaction: 'resend',
  refusal: 'refusal',
}

function toReply(progress: Progress, { isWaiting = false }: Asked): ModelReply {
  const { blocks, usage, stop, details, container, remarks } = progress
  const finish = finishes[stop] ?? 'other'
  const rest = {
    usage: usageOf(usage),
    ...(container !== '' && { serverState: { container } }),
    ...remarks.all(),
  }
  const inOrder = [...blocks].toSorted(([a], [b]) => a - b).map(([, block]) => block)
  if (finish === 'refusal') return { parts: [refusal(inOrder, details)], finish, ...rest }
  // The last call of a reply that was cut is cut itself, though it may parse.
  if ((finish === 'length' || finish === 'context') && isCall(inOrder.at(-1))) inOrder.pop()
  const parts = inOrder.filter((block) => block.stopped || !isCall(block)).map(toPart)
  const lies = finish === 'stop' || finish === 'other'
  if (lies && parts.some(({ type }) => type === 'call')) return { parts, finish: 'calls', ...rest }
  return { parts, finish: finish === 'stop' && isWaiting ? 'resend' : finish, ...rest }
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
        ...(textAt(inner(native, 'caller'), 'type').startsWith('code_execution') && { caller: 'program' as const }),
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
