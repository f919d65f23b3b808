import type { FinishReason } from '../../core/events.js'
import type { JsonObject } from '../../core/json.js'
import type { Usage } from '../../core/usage.js'
import type { ModelDelta, ModelReply, ReplyPart } from '../model.js'
import { ReportedError } from '../model-error.js'
import type { Decoder } from '../read-reply.js'
import { countAt, eventObject, indexAt, inner, objectAt, objectsAt, stringAt, textAt, toUsage } from '../wire.js'

/** Reads one stream of the Responses API. Only a finished item counts: what comes before it is for showing. */
export function createOpenAIDecoder(): Decoder {
  const items = new Map<number, JsonObject>()
  const toolNames = new Map<number, string>()
  let reply: ModelReply | undefined

  const delta = (
    type: 'text' | 'reasoning' | 'call',
    event: JsonObject,
    text = textAt(event, 'delta'),
  ): ModelDelta[] => {
    const index = indexAt(event, 'output_index', textAt(event, 'type'))
    if (type !== 'call') return text ? [{ type, index, text }] : []
    return [{ type, index, toolName: toolNames.get(index) ?? '', text }]
  }

  return {
    reply: () => reply,
    push(given) {
      const event = eventObject(given)
      switch (event.type) {
        case 'response.output_item.added': {
          const item = objectAt(event, 'item', event.type)
          if (item.type !== 'function_call') return []
          toolNames.set(indexAt(event, 'output_index', event.type), textAt(item, 'name'))
          return delta('call', event, textAt(item, 'arguments'))
        }
        case 'response.output_item.done':
          items.set(indexAt(event, 'output_index', event.type), objectAt(event, 'item', event.type))
          return []
        case 'response.output_text.delta':
        case 'response.refusal.delta':
          return delta('text', event)
        case 'response.reasoning_summary_text.delta':
        case 'response.reasoning_text.delta':
          return delta('reasoning', event)
        case 'response.reasoning_summary_part.added':
          return event.summary_index === 0 ? [] : delta('reasoning', event, '\n\n')
        case 'response.function_call_arguments.delta':
          return delta('call', event)
        case 'response.completed':
        case 'response.incomplete':
          reply = toReply(objectAt(event, 'response', event.type), items, event.type === 'response.incomplete')
          return []
        case 'response.failed':
          throw failure(inner(objectAt(event, 'response', event.type), 'error') ?? {})
        case 'error':
          throw failure(inner(event, 'error') ?? event)
        default:
          return []
      }
    },
  }
}

const failure = (error: JsonObject): ReportedError =>
  new ReportedError({
    code: textAt(error, 'code') || undefined,
    type: textAt(error, 'type') || undefined,
    message: textAt(error, 'message') || 'it gave no reason',
  })

function toReply(response: JsonObject, done: ReadonlyMap<number, JsonObject>, isIncomplete: boolean): ModelReply {
  const inOrder = [...done].toSorted(([a], [b]) => a - b).map(([, item]) => item)
  const items = inOrder.length > 0 ? inOrder : objectsAt(response, 'output')
  const usage = usageOf(inner(response, 'usage'))
  if (isIncomplete) {
    const reason = textAt(inner(response, 'incomplete_details'), 'reason')
    const isCut = reason === 'max_output_tokens'
    const kept = items.filter(({ type, status }) => type !== 'function_call' || (isCut && status === 'completed'))
    return { parts: kept.map(toPart), finish: incomplete[reason] ?? 'other', usage }
  }
  const parts = items.map(toPart)
  return { parts, finish: finishOf(parts, items), usage }
}

const incomplete: Readonly<Record<string, FinishReason>> = {
  __proto__: null as never,
  max_output_tokens: 'length',
  content_filter: 'content-filter',
}

function finishOf(parts: readonly ReplyPart[], items: readonly JsonObject[]): FinishReason {
  const has = (type: ReplyPart['type']) => parts.some((part) => part.type === type)
  if (has('call')) return 'calls'
  if (has('refusal')) return 'refusal'
  // A hosted program that ended without a message: the answer comes when the transcript is sent again.
  return !has('text') && items.at(-1)?.type === 'program_output' ? 'resend' : 'stop'
}

function toPart(item: JsonObject): ReplyPart {
  switch (item.type) {
    case 'message': {
      const content = objectsAt(item, 'content')
      const isRefusal = content.some(({ type }) => type === 'refusal')
      const text = content.map((piece) => textAt(piece, piece.type === 'refusal' ? 'refusal' : 'text')).join('')
      return { type: isRefusal ? 'refusal' : 'text', text, native: item }
    }
    case 'reasoning': {
      const pieces = objectsAt(item, 'summary').length > 0 ? objectsAt(item, 'summary') : objectsAt(item, 'content')
      return { type: 'reasoning', text: pieces.map((piece) => textAt(piece, 'text')).join('\n\n'), native: item }
    }
    case 'function_call': {
      const toolName = stringAt(item, 'name', 'a function call')
      const inputText = stringAt(item, 'arguments', 'a function call')
      const wireId = textAt(item, 'call_id') || undefined
      return { type: 'call', toolName, inputText: inputText.trim() === '' ? '{}' : inputText, wireId, native: item }
    }
    default:
      return { type: 'other', native: item }
  }
}

const usageOf = (usage: JsonObject | undefined): Usage | undefined =>
  toUsage({
    input: countAt(usage, 'input_tokens'),
    output: countAt(usage, 'output_tokens'),
    cacheRead: countAt(inner(usage, 'input_tokens_details'), 'cached_tokens'),
    cacheWrite: countAt(inner(usage, 'input_tokens_details'), 'cache_write_tokens'),
    reasoning: countAt(inner(usage, 'output_tokens_details'), 'reasoning_tokens'),
  })
