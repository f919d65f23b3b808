import type { Json, JsonObject } from '../../src/core/json.js'
import { toStream } from './derived-stream.js'

/** Of our own writing: what each provider would send for the same reply. */
export interface Said {
  readonly reasoning?: string
  readonly text?: string
  readonly call?: { readonly name: string; readonly input: JsonObject }
}

export interface Wire {
  /** What comes before the path of the API. */
  readonly base: string
  /** One event each, as text. */
  readonly events: (said: Said) => string[]
  /** How many of the last events may be missing from a stream that ended by itself, so that the reply is whole all the same. */
  readonly spare: number
  /** The body of a refusal. `name`: the provider's own for it. */
  refusal(status: number, message: string, name?: string): JsonObject
  /** A failure as an event of a stream that has begun. */
  failure(name: string, message: string): string
}

const sse = (data: Json) => `data: ${JSON.stringify(data)}\n\n`
const eventsIn = (stream: string) => stream.split(/(?<=\n\n)/)
const pieces = (text: string) => text.match(/[^]{1,4}/gu) ?? []

function openAI({ reasoning, text, call }: Said): string[] {
  const output: JsonObject[] = []
  if (reasoning)
    output.push({
      type: 'reasoning',
      id: 'rs_1',
      encrypted_content: 'ZW5jcnlwdGVk',
      summary: [{ type: 'summary_text', text: reasoning }],
    })
  if (text) {
    const content = [{ type: 'output_text', text, annotations: [] }]
    output.push({ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content })
  }
  if (call) {
    const { name, input } = call
    const rest = { name, arguments: JSON.stringify(input), status: 'completed' }
    output.push({ type: 'function_call', id: 'fc_1', call_id: 'call_1', ...rest })
  }
  const usage = { input_tokens: 7, output_tokens: 5, total_tokens: 12 }
  return eventsIn(toStream('openai', { id: 'resp_1', object: 'response', status: 'completed', output, usage }))
}

function anthropic({ reasoning, text, call }: Said): string[] {
  const content: JsonObject[] = []
  if (reasoning) content.push({ type: 'thinking', thinking: reasoning, signature: 'c2lnbmVk' })
  if (text) content.push({ type: 'text', text })
  if (call) content.push({ type: 'tool_use', id: 'toolu_1', name: call.name, input: call.input })
  const stop_reason = call ? 'tool_use' : 'end_turn'
  const usage = { input_tokens: 7, output_tokens: 5 }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm-1', content, stop_reason, usage }
  return eventsIn(toStream('anthropic', message))
}

function chat({ reasoning, text, call }: Said): string[] {
  const chunk = (delta: JsonObject, finish_reason: string | null = null) =>
    sse({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })
  const events = [chunk({ role: 'assistant', content: '' })]
  for (const reasoning_content of pieces(reasoning ?? '')) events.push(chunk({ reasoning_content }))
  for (const content of pieces(text ?? '')) events.push(chunk({ content }))
  if (call) {
    const part = (more: JsonObject) => chunk({ tool_calls: [{ index: 0, ...more }] })
    events.push(part({ id: 'call_1', type: 'function', function: { name: call.name, arguments: '' } }))
    for (const piece of pieces(JSON.stringify(call.input))) events.push(part({ function: { arguments: piece } }))
  }
  const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 }
  return [...events, chunk({}, call ? 'tool_calls' : 'stop'), sse({ choices: [], usage }), 'data: [DONE]\n\n']
}

function gemini({ reasoning, text, call }: Said): string[] {
  const chunk = (parts: JsonObject[], more: JsonObject = {}) =>
    sse({ candidates: [{ content: { role: 'model', parts }, index: 0, ...more }], usageMetadata })
  const usageMetadata = { promptTokenCount: 7, candidatesTokenCount: 5, totalTokenCount: 12 }
  return [
    ...pieces(reasoning ?? '').map((piece) => chunk([{ text: piece, thought: true }])),
    ...pieces(text ?? '').map((piece) => chunk([{ text: piece }])),
    ...(call ? [chunk([{ functionCall: { name: call.name, args: call.input }, thoughtSignature: 'c2ln' }])] : []),
    chunk([{ text: '' }], { finishReason: 'STOP' }),
  ]
}

const codes: Readonly<Record<string, number>> = {
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
}

export type Provider = 'openai' | 'openai-compatible' | 'anthropic' | 'gemini'

export const wires: Readonly<Record<Provider, Wire>> = {
  openai: {
    base: '/v1',
    events: openAI,
    spare: 0,
    refusal: (_, message, name) => ({ error: { message, type: name ?? 'some_error', code: name ?? null } }),
    failure: (code, message) => sse({ type: 'error', code, message }),
  },
  'openai-compatible': {
    base: '/v1',
    events: chat,
    spare: 2,
    refusal: (_, message, name) => ({ error: { message, type: name ?? 'some_error', code: name ?? null } }),
    failure: (type, message) => sse({ error: { type, message } }),
  },
  anthropic: {
    base: '',
    events: anthropic,
    spare: 0,
    refusal: (_, message, name) => ({ type: 'error', error: { type: name ?? 'some_error', message } }),
    failure: (type, message) => `event: error\n${sse({ type: 'error', error: { type, message } })}`,
  },
  gemini: {
    base: '/v1',
    events: gemini,
    spare: 0,
    refusal: (code, message, status) => ({ error: { code, message, status: status ?? 'SOME_STATUS' } }),
    failure: (status, message) => sse({ error: { code: codes[status] ?? 400, status, message } }),
  },
}

export const providers = Object.keys(wires) as Provider[]
