import type { Json, JsonObject } from '../../src/core/json.js'

export const record = (value: Json | undefined): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}

/** The objects of a list; nothing for what is no list. */
export const listOf = (value: Json | undefined): JsonObject[] =>
  Array.isArray(value) ? value.map((item) => record(item)) : []

export const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** The data of each event of a stream. */
export const eventsOf = (sse: string): JsonObject[] =>
  sse
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:') && !line.includes('[DONE]'))
    .map((line) => JSON.parse(line.slice(5)) as JsonObject)

/** What a reply or a history comes to, whichever provider wrote it: all that must survive a round trip. */
export type Fact =
  | { readonly user: string }
  | { readonly text: string }
  | { readonly reasoning: Json }
  | CallFact
  | { readonly result: string; readonly text: string; readonly isError?: boolean }

export interface CallFact {
  readonly call: string
  readonly name: string
  readonly input: Json
}

export interface Answer {
  readonly facts: readonly Fact[]
  /** All the text that the model wrote for the user. */
  readonly text: string
  /** Output items or content blocks, as the provider made them. */
  readonly items: readonly JsonObject[]
  readonly usage: { readonly input?: number; readonly output?: number }
  /** The provider's own word for how it ended. */
  readonly end: string
}

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text || '{}') as Json
  } catch {
    return text
  }
}

const number = (value: Json | undefined): number | undefined => (typeof value === 'number' ? value : undefined)

const plainText = (content: Json | undefined): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map((piece) => textOf(piece.text) || textOf(piece.refusal))
        .join('')

/** Pictures and files leave no text. */
const userFact = (user: string): Fact[] => (user === '' ? [] : [{ user }])

/** Facts of items of the Responses API, from an answer or a request. What only the server understands is left out. */
export function openAIFacts(items: readonly JsonObject[]): Fact[] {
  return items.flatMap((item): Fact[] => {
    switch (textOf(item.type)) {
      case 'function_call':
        return [{ call: textOf(item.call_id), name: calledIn(item), input: parsed(textOf(item.arguments)) }]
      case 'custom_tool_call':
        return [
          {
            call: textOf(item.call_id),
            name: calledIn(item),
            input: item.input === '' ? '' : parsed(textOf(item.input)),
          },
        ]
      case 'mcp_approval_request': {
        const name = `${textOf(item.server_label)}.${textOf(item.name)}`
        return [{ call: textOf(item.id), name, input: parsed(textOf(item.arguments)) }]
      }
      case 'function_call_output':
      case 'custom_tool_call_output':
        return [{ result: textOf(item.call_id), text: plainText(item.output) }]
      case 'mcp_approval_response':
        return [{ result: textOf(item.approval_request_id), text: item.approve ? 'approved' : textOf(item.reason) }]
    }
    if (item.type === 'reasoning') {
      const { encrypted_content = null, summary = [] } = item
      return [{ reasoning: { encrypted_content, summary } }]
    }
    if (item.role === 'user') return userFact(plainText(item.content))
    if (item.role !== 'assistant') return []
    const text = plainText(item.content)
    return text.trim() === '' ? [] : [{ text }]
  })
}

/** A tool that is in no namespace may be called in one of its own name. */
const calledIn = ({ name, namespace }: JsonObject): string =>
  !namespace || namespace === name ? textOf(name) : `${textOf(namespace)}__${textOf(name)}`

/** Facts of messages of the Messages API. */
export function anthropicFacts(messages: readonly JsonObject[]): Fact[] {
  return messages.flatMap(({ role, content }) => {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
    return blocks.flatMap((block): Fact[] => {
      switch (block.type) {
        case 'text':
          if (role === 'user') return userFact(textOf(block.text))
          return textOf(block.text).trim() === '' ? [] : [{ text: textOf(block.text) }]
        case 'tool_use':
          return [{ call: textOf(block.id), name: textOf(block.name), input: block.input ?? null }]
        case 'tool_result':
          return [
            { result: textOf(block.tool_use_id), text: plainText(block.content), isError: block.is_error === true },
          ]
        case 'thinking':
          return [{ reasoning: { thinking: block.thinking ?? null, signature: block.signature ?? null } }]
        case 'redacted_thinking':
          return [{ reasoning: { data: block.data ?? null } }]
        default:
          return []
      }
    })
  })
}

export function openAIAnswer(response: JsonObject, items = listOf(response.output)): Answer {
  const usage = record(response.usage)
  return {
    facts: openAIFacts(items),
    text: items.map(({ type, content }) => (type === 'message' ? plainText(content) : '')).join(''),
    items,
    usage: { input: number(usage.input_tokens), output: number(usage.output_tokens) },
    end: textOf(record(response.incomplete_details).reason) || textOf(response.status) || 'completed',
  }
}

export function anthropicAnswer(message: JsonObject): Answer {
  const usage = record(message.usage)
  const cached = (number(usage.cache_read_input_tokens) ?? 0) + (number(usage.cache_creation_input_tokens) ?? 0)
  const input = number(usage.input_tokens)
  return {
    facts: anthropicFacts([{ role: 'assistant', content: message.content ?? null }]),
    text: listOf(message.content)
      .map(({ type, text }) => (type === 'text' ? textOf(text) : ''))
      .join(''),
    items: listOf(message.content),
    usage: { input: input === undefined ? undefined : input + cached, output: number(usage.output_tokens) },
    end: textOf(message.stop_reason),
  }
}

export function openAIStreamAnswer(events: readonly JsonObject[]): Answer {
  const last = record(
    events.findLast(({ type }) => /^response\.(completed|incomplete|failed)$/.test(textOf(type)))?.response,
  )
  const done = events
    .filter(({ type }) => type === 'response.output_item.done')
    .toSorted((a, b) => Number(a.output_index) - Number(b.output_index))
  return openAIAnswer(
    last,
    done.map(({ item }) => record(item)),
  )
}

export function anthropicStreamAnswer(events: readonly JsonObject[]): Answer {
  const from = events.findLastIndex(({ type }) => type === 'message_start')
  const mine = events.slice(from)
  const ends = mine.filter(({ type }) => type === 'message_delta')
  const content = mine.filter(({ type }) => type === 'content_block_start').map((start) => blockOf(start, mine))
  const counts = [record(record(mine[0]?.message).usage), ...ends.map(({ usage }) => record(usage))]
  const usage = Object.fromEntries(
    counts.flatMap((count) => Object.entries(count).filter(([, value]) => value !== null)),
  )
  const stop = ends.map(({ delta }) => record(delta).stop_reason ?? null).findLast((reason) => reason !== null)
  return anthropicAnswer({ content, usage, stop_reason: stop ?? null })
}

function blockOf({ index, content_block }: JsonObject, events: readonly JsonObject[]): JsonObject {
  const deltas = events.filter((event) => event.type === 'content_block_delta' && event.index === index)
  const join = (key: string) => deltas.map(({ delta }) => textOf(record(delta)[key])).join('')
  const block: Record<string, Json> = { ...record(content_block) }
  const citations = deltas.flatMap(({ delta }) =>
    record(delta).citation === undefined ? [] : [record(delta).citation!],
  )
  if (block.type === 'text') block.text = textOf(block.text) + join('text')
  if (block.type === 'thinking') block.thinking = textOf(block.thinking) + join('thinking')
  if (block.type === 'thinking' && join('signature')) block.signature = join('signature')
  if (citations.length > 0) block.citations = citations
  if (textOf(block.type).endsWith('tool_use') && join('partial_json')) block.input = parsed(join('partial_json'))
  // Its delta has all of it.
  if (block.type === 'compaction')
    for (const { delta } of deltas) Object.assign(block, { ...record(delta), type: 'compaction' })
  return block
}
