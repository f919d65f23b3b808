import type { Json, JsonObject } from '../../src/core/json.js'
import type { ModelReply } from '../../src/models/model.js'
import { eventsOf, listOf, record, textOf } from './recorded-json.js'

/** What a message comes to, as the server told it. */
export interface Told {
  readonly text: string
  readonly thoughts: string
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: Json }[]
  readonly input?: Json
}

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text === '' ? '{}' : text) as Json
  } catch {
    return text
  }
}
const contentOf = (content: Json | undefined): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map(({ text }) => textOf(text))
        .join('')
const thoughtsOf = (message: JsonObject): string =>
  textOf(message.reasoning_content) ||
  textOf(message.reasoning) ||
  [...listOf(message.reasoning_details), ...listOf(message.content).flatMap(({ thinking }) => listOf(thinking))]
    .map(({ text, summary }) => textOf(text) || textOf(summary))
    .join('')

/** Thoughts that a server left in its content stand in tags. */
function untagged(content: string, thoughts: string): Pick<Told, 'text' | 'thoughts'> {
  const [, inTags, text = content] = /^\s*<think>([^]*?)(?:<\/think>\s*|$)([^]*)$/.exec(content) ?? []
  return { text, thoughts: thoughts + (inTags ?? '') }
}

/** The name and the input in the pieces of a call. That of a tool that takes a text is no JSON. */
function inputOf(pieces: readonly JsonObject[]): { readonly name: string; readonly input: Json } {
  const isText = pieces.some(({ type }) => type === 'custom')
  const called = pieces.map((piece) => record(isText ? piece.custom : piece.function))
  const text = called.map((one) => textOf(isText ? one.input : one.arguments)).join('')
  return { name: called.map(({ name }) => textOf(name)).join(''), input: isText ? text : parsed(text) }
}

export function toldBy(answer: JsonObject): Told {
  const message = record(listOf(answer.choices)[0]?.message)
  return {
    ...untagged(contentOf(message.content) || textOf(message.refusal), thoughtsOf(message)),
    calls: listOf(message.tool_calls).map((call) => ({ id: textOf(call.id), ...inputOf([call]) })),
    input: record(answer.usage).prompt_tokens,
  }
}

export function heard({ parts, usage }: ModelReply): Told {
  const text = (...types: string[]) =>
    parts.map((part) => ('text' in part && types.includes(part.type) ? part.text : '')).join('')
  return {
    text: text('text', 'refusal'),
    thoughts: text('reasoning'),
    calls: parts.flatMap((part) =>
      part.type === 'call'
        ? [
            {
              id: part.wireId ?? '',
              name: part.toolName,
              input: part.isText ? part.inputText : parsed(part.inputText),
            },
          ]
        : [],
    ),
    input: usage?.input,
  }
}

/** The chunks put together as simply as can be: true for streams that number their calls. */
export function joined({ body }: { readonly body: string }): Told {
  const chunks = eventsOf(body)
  const deltas = chunks.map(({ choices }) => record(listOf(choices)[0]?.delta))
  const pieces = deltas.flatMap((delta) => listOf(delta.tool_calls))
  const calls = new Map<Json, JsonObject[]>()
  for (const piece of pieces) calls.set(piece.index ?? 0, [...(calls.get(piece.index ?? 0) ?? []), piece])
  const usages = chunks.map(({ usage, x_groq }) => record(usage ?? record(x_groq).usage).prompt_tokens)
  return {
    ...untagged(deltas.map(({ content }) => contentOf(content)).join(''), deltas.map(thoughtsOf).join('')),
    calls: [...calls.values()].map((list) => ({ id: textOf(list[0]?.id), ...inputOf(list) })),
    input: usages.findLast((count) => count !== undefined),
  }
}
