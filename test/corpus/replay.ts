import { setImmediate } from 'node:timers/promises'
import type { JsonObject } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import { HandrailError } from '../../src/errors.js'
import { createAnthropicModel } from '../../src/models/anthropic/model.js'
import { createChatModel } from '../../src/models/chat/model.js'
import { loadGeminiModel } from '../../src/models/gemini/model.js'
import type { Model, ModelConfig, ModelDelta, ModelReply } from '../../src/models/model.js'
import { createOpenAIModel } from '../../src/models/openai/model.js'
import { toStream } from '../models/derived-stream.js'
import { toBody, type Family, type RecordedResponse } from './responses.js'

/** A response as it is served: all but Chat Completions only as a stream. */
export interface Served {
  readonly family: Family
  readonly status: number
  readonly contentType: string
  readonly body: string
  /** The answer of the family's model looks for calls of these in its text. */
  readonly tools: readonly ToolDefinition[]
}

export type Outcome =
  | { readonly reply: ModelReply; readonly deltas: readonly ModelDelta[] }
  | { readonly code: string; readonly retryable: boolean; readonly message: string }
  /** Anything but an error of ours. */
  | { readonly crash: string }

export function toServed(response: RecordedResponse, tools: readonly ToolDefinition[]): Served {
  const { family, status, isStream, body } = response
  const json = { family, status, tools, contentType: 'application/json', body }
  const stream = { ...json, contentType: 'text/event-stream' }
  if (isStream) return stream
  if (status !== 200 || family === 'chat') return json
  const answer = JSON.parse(body) as JsonObject
  return { ...stream, body: family === 'gemini' ? toBody(family, [answer]) : toStream(family, answer) }
}

export interface Delivery {
  /** The byte at which the piece that begins at a byte ends. Default: the whole body is one. */
  readonly endOf?: (at: number) => number
  /** Bytes until the connection ends, by itself or with a reset. */
  readonly cut?: { readonly at: number; readonly resets: boolean }
}

/** Puts a response through the SDK and the decoder of its family. */
export async function replay(served: Served, delivery: Delivery = {}): Promise<Outcome> {
  const deltas: ModelDelta[] = []
  try {
    const model = await modelOf(served, delivery)
    const reply = await model.generate(
      { instructions: '', tools: served.tools, messages: [{ role: 'user', text: 'Hi' }], cacheKey: 's' },
      { signal: new AbortController().signal, onDelta: (delta) => void deltas.push(delta) },
    )
    return { reply, deltas }
  } catch (error) {
    if (!HandrailError.is(error))
      return { crash: error instanceof Error ? (error.stack ?? error.message) : String(error) }
    return { code: error.code, retryable: error.retryable, message: error.message }
  }
}

const create: Readonly<Record<Family, (config: ModelConfig & { fetch: typeof fetch }) => Model | Promise<Model>>> = {
  openai: createOpenAIModel,
  chat: createChatModel,
  anthropic: createAnthropicModel,
  gemini: loadGeminiModel,
}

function modelOf(served: Served, delivery: Delivery): Model | Promise<Model> {
  return create[served.family]({
    provider: served.family,
    model: 'm-1',
    baseURL: 'https://server.example',
    apiKey: 'key-of-a-test',
    fetch: async () =>
      new Response(streamOf(served.body, delivery), {
        status: served.status,
        headers: { 'content-type': served.contentType, 'retry-after-ms': '1' },
      }),
  })
}

function streamOf(body: string, { endOf = () => Infinity, cut }: Delivery): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(body).subarray(0, cut?.at)
  let at = 0
  let pieces = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (at >= bytes.length) return cut?.resets ? controller.error(new TypeError('terminated')) : controller.close()
      // Timers and sockets have their turn, too.
      if (++pieces % 1000 === 0) await setImmediate()
      const end = Math.min(bytes.length, endOf(at))
      controller.enqueue(bytes.slice(at, end))
      at = end
    },
  })
}
