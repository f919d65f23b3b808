import type { Remark } from '../../core/events.js'
import type { JsonObject } from '../../core/json.js'
import type { ToolDefinition } from '../../core/tool-definition.js'
import type { ModelDelta, ModelReply } from '../model.js'
import type { Decoder } from '../read-reply.js'
import { createRemarks } from '../told.js'
import { eventObject, indexAt, objectAt, textAt } from '../wire.js'
import { toFailed, toReply } from './ending.js'
import { isKnownEvent } from './known-events.js'
import { toolNameIn } from './parts.js'

/** Of an unknown event in a log. */
const mostCharacters = 4_000

interface Asked {
  /** Of the request: their names tell namespaces and wrappers apart from names. */
  readonly tools?: readonly ToolDefinition[]
  /** The provider was asked to keep the response. Default false. */
  readonly stored?: boolean
  /** On the request. */
  readonly remarks?: readonly Remark[]
}

/** Reads one stream of the Responses API. Only a finished item counts: what comes before it is for showing. */
export function createOpenAIDecoder({ tools = [], stored = false, remarks = [] }: Asked = {}): Decoder {
  const names = new Set(tools.map(({ name }) => name))
  const items = new Map<number, JsonObject>()
  const toolNames = new Map<number, string>()
  const notes = createRemarks(remarks)
  let reply: ModelReply | undefined

  const done = () => [...items].toSorted(([a], [b]) => a - b).map(([, item]) => item)
  const end = (ended: ModelReply) => {
    for (const remark of ended.remarks ?? []) notes.note(remark)
    reply = { ...ended, ...notes.all() }
    return []
  }
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
          if (item.type !== 'function_call' && item.type !== 'custom_tool_call') return []
          if (typeof item.name === 'string')
            toolNames.set(indexAt(event, 'output_index', event.type), toolNameIn(item, names))
          return delta('call', event, textAt(item, item.type === 'function_call' ? 'arguments' : 'input'))
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
        case 'response.custom_tool_call_input.delta':
          return delta('call', event)
        case 'response.completed':
        case 'response.incomplete':
        case 'response.failed':
        case 'response.cancelled': {
          const response = objectAt(event, 'response', event.type)
          const status = event.type.slice('response.'.length)
          return end(toReply({ ...response, status: response.status ?? status }, done(), names, stored))
        }
        case 'error':
          return end(toFailed(event, done(), names))
        default:
          if (!isKnownEvent(event.type)) notes.unknown(shortened(event))
          return []
      }
    },
  }
}

const shortened = (event: JsonObject & { readonly type: string }): JsonObject =>
  JSON.stringify(event).length > mostCharacters ? { type: event.type } : event
