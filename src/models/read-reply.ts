import { isJsonObject, type Json, type JsonObject } from '../core/json.js'
import type { GenerateOptions, ModelConfig, ModelDelta, ModelReply } from './model.js'
import { aborted, noStream, streamCut } from './model-error.js'

/** Makes a reply of the events of one stream. Does no I/O. */
export interface Decoder {
  /**
   * Takes the next event, which may be anything.
   * @throws {ReportedError} when the event reports a failure.
   * @throws {HandrailError} `model_bad_reply` when the event is not what the provider documents.
   */
  push(event: unknown): readonly ModelDelta[]
  /** Takes the end of the stream, for a provider that has no last event. Throws as `push` does. */
  end?(): void
  /** The reply, once the provider has ended it. */
  reply(): ModelReply | undefined
}

interface Exchange {
  readonly config: ModelConfig
  readonly decoder: Decoder
  open(): Promise<{ readonly data: AsyncIterable<unknown>; readonly response: Response }>
  toError(error: unknown, started: boolean): Error
}

/** One request and its stream, to the reply. What the one who listens throws is thrown as it is. */
export async function readReply(exchange: Exchange, { signal, onDelta }: GenerateOptions): Promise<ModelReply> {
  const { config, decoder } = exchange
  let started = false
  let mistake: { readonly error: unknown } | undefined
  const show = (delta: ModelDelta) => {
    try {
      onDelta(delta)
    } catch (error) {
      mistake = { error }
      throw error
    }
  }
  try {
    const { data, response } = await exchange.open()
    started = true
    await checkType(response, exchange)
    for await (const event of data) {
      if (signal.aborted) break
      for (const delta of decoder.push(event)) show(delta)
      if (decoder.reply()) break
    }
    // An SDK may end an aborted stream as if it were complete.
    if (!decoder.reply() && !signal.aborted) decoder.end?.()
  } catch (error) {
    if (mistake) throw mistake.error
    throw signal.aborted ? aborted(config) : exchange.toError(error, started)
  }
  const reply = decoder.reply()
  if (reply) return reply
  throw signal.aborted ? aborted(config) : streamCut(config)
}

/** A wrong base URL often answers 200 with a page, and a gateway with an error, which is told as one in a stream. */
async function checkType(response: Response, { config, decoder }: Exchange): Promise<void> {
  const type = response.headers.get('content-type')
  if (!type || /^\s*text\/event-stream\b/i.test(type)) return
  if (/\bjson\b/i.test(type)) {
    const error = errorIn(await response.text())
    if (error) decoder.push(error)
  } else await response.body?.cancel()
  throw noStream(type, config)
}

function errorIn(text: string): JsonObject | undefined {
  try {
    const answer = JSON.parse(text) as Json
    return isJsonObject(answer) && isJsonObject(answer.error) ? { type: 'error', ...answer } : undefined
  } catch {
    return undefined
  }
}
