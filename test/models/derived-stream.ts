import type { JsonObject } from '../../src/core/json.js'
import { listOf, record, textOf } from './recorded-json.js'

/**
 * A recorded JSON answer as the event stream that the provider documents for it. DERIVED: its content is what was recorded,
 * how it is cut into events is not.
 */
export const toStream = (provider: 'openai' | 'anthropic', answer: JsonObject): string =>
  (provider === 'openai' ? openAIEvents(answer) : anthropicEvents(answer)).map(toSse).join('')

export const toSse = (event: JsonObject): string => `event: ${textOf(event.type)}\ndata: ${JSON.stringify(event)}\n\n`

const pieces = (text: string, size = 11): string[] => text.match(new RegExp(`[^]{1,${size}}`, 'gu')) ?? []

function openAIEvents(response: JsonObject): JsonObject[] {
  const started = { ...response, status: 'in_progress', output: [], usage: null, incomplete_details: null }
  const items = listOf(response.output).flatMap((item, output_index) => [
    { type: 'response.output_item.added', output_index, item: emptied(item) },
    ...openAIDeltas(item, output_index),
    { type: 'response.output_item.done', output_index, item },
  ])
  const created = { type: 'response.created', response: started }
  // One that runs in the background has not ended.
  const isOpen = /^(queued|in_progress|cancelled)$/.test(textOf(response.status))
  const end = response.status === 'failed' ? 'failed' : response.incomplete_details ? 'incomplete' : 'completed'
  const events = [created, ...items, ...(isOpen ? [] : [{ type: `response.${end}`, response }])]
  return events.map((event, sequence_number) => ({ ...event, sequence_number }))
}

function emptied(item: JsonObject): JsonObject {
  if (item.type === 'message') return { ...item, content: [], status: 'in_progress' }
  if (item.type === 'function_call') return { ...item, arguments: '', status: 'in_progress' }
  return item.type === 'reasoning' ? { ...item, summary: [], encrypted_content: 'partial' } : item
}

function openAIDeltas(item: JsonObject, output_index: number): JsonObject[] {
  const item_id = item.id ?? ''
  const at = { item_id, output_index }
  if (item.type === 'function_call') {
    const text = textOf(item.arguments)
    const deltas = pieces(text).map((delta) => ({ type: 'response.function_call_arguments.delta', ...at, delta }))
    return [...deltas, { type: 'response.function_call_arguments.done', ...at, arguments: text }]
  }
  if (item.type === 'reasoning')
    return listOf(item.summary).flatMap((part, summary_index) => [
      { type: 'response.reasoning_summary_part.added', ...at, summary_index, part: { ...part, text: '' } },
      ...pieces(textOf(part.text)).map((delta) => ({
        type: 'response.reasoning_summary_text.delta',
        ...at,
        summary_index,
        delta,
      })),
    ])
  if (item.type !== 'message') return []
  return listOf(item.content).flatMap((part, content_index) => [
    { type: 'response.content_part.added', ...at, content_index, part: { ...part, text: '' } },
    ...pieces(textOf(part.text)).map((delta) => ({
      type: 'response.output_text.delta',
      ...at,
      content_index,
      delta,
    })),
    { type: 'response.content_part.done', ...at, content_index, part },
  ])
}

function anthropicEvents(message: JsonObject): JsonObject[] {
  const { content, stop_reason = null, stop_sequence = null, stop_details = null, usage = null } = message
  const started = {
    ...message,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...record(usage), output_tokens: 1 },
  }
  return [
    { type: 'message_start', message: started },
    { type: 'ping' },
    ...listOf(content).flatMap((block, index) => [
      ...anthropicBlock(block).map((event) => ({ ...event, index })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence, stop_details }, usage },
    { type: 'message_stop' },
  ]
}

function anthropicBlock(block: JsonObject): JsonObject[] {
  const start = (content_block: JsonObject) => ({ type: 'content_block_start', content_block })
  const delta = (inner: JsonObject) => ({ type: 'content_block_delta', delta: inner })
  switch (block.type) {
    case 'text': {
      const text = pieces(textOf(block.text)).map((piece) => delta({ type: 'text_delta', text: piece }))
      const citations = listOf(block.citations).map((citation) => delta({ type: 'citations_delta', citation }))
      return [start({ ...block, text: '', ...(citations.length > 0 ? { citations: [] } : {}) }), ...citations, ...text]
    }
    case 'thinking': {
      const text = pieces(textOf(block.thinking)).map((thinking) => delta({ type: 'thinking_delta', thinking }))
      const signature = delta({ type: 'signature_delta', signature: block.signature ?? '' })
      return [start({ ...block, thinking: '', signature: '' }), ...text, signature]
    }
    case 'tool_use':
    case 'server_tool_use': {
      const json = Object.keys(record(block.input)).length === 0 ? [''] : pieces(JSON.stringify(block.input))
      return [
        start({ ...block, input: {} }),
        ...json.map((partial_json) => delta({ type: 'input_json_delta', partial_json })),
      ]
    }
    default:
      return [start(block)]
  }
}
