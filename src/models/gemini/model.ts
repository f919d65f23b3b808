import type { GenerateContentResponse } from '@google/genai/web'
import type { JsonObject } from '../../core/json.js'
import { HandrailError, toFailure } from '../../errors.js'
import { absoluteUrl, placeholderKey, watchedFetch } from '../connection.js'
import type { Model, ModelConfig } from '../model.js'
import { ReportedError, toModelError } from '../model-error.js'
import { readReply } from '../read-reply.js'
import { createResender } from '../resend.js'
import { geminiAmendments } from './amendments.js'
import { geminiCapabilities, type GeminiWay } from './capabilities.js'
import { createGeminiDecoder } from './decode.js'
import { toGeminiRequest, type GeminiBody } from './encode.js'
import { errorIn, toFacts } from './failure.js'
import { geminiName } from './names.js'
import { sendRequest, Unreachable } from './request.js'

const defaultBaseURL = 'https://generativelanguage.googleapis.com/v1'

/**
 * A model of Gemini's `generateContent`, or of a server that speaks it. Loads the SDK, which an app has to install.
 * @throws {HandrailError} `provider_missing` when it is not there.
 */
export async function loadGeminiModel(config: ModelConfig & { readonly fetch?: typeof fetch }): Promise<Model> {
  const { GoogleGenAI, ApiError } = await loadSdk()
  const client = new GoogleGenAI({
    apiKey: config.apiKey || placeholderKey,
    // The version is part of the base URL.
    httpOptions: {
      baseUrl: absoluteUrl(config.baseURL) ?? defaultBaseURL,
      apiVersion: '',
      headers: { ...config.headers },
    },
  })
  const watched = watchedFetch(config)
  const toError = (error: unknown, started: boolean) => {
    const known =
      error instanceof ApiError ? new ReportedError(toFacts(errorIn(error.message) ?? {}, error.status)) : error
    return toModelError(known, started, { APIError: ApiError, APIConnectionError: Unreachable }, config)
  }
  const open = async (body: GeminiBody, outer: AbortSignal) => {
    const stop = new AbortController()
    const signal = AbortSignal.any([outer, stop.signal])
    let response: Response | undefined
    const ask = (more: JsonObject) =>
      client.models.generateContentStream({
        model: config.model,
        // The SDK copies what it knows of a part: all of the body goes past it, so that nothing is left out.
        contents: 'sent as extraBody',
        config: {
          // Its own would also go on after a broken connection, and repeat what it has given.
          automaticContinuation: false,
          abortSignal: signal,
          httpOptions: {
            extraBody: { ...body, ...more },
            fetch: async (url, init = {}) => {
              response = await sendRequest(url, { ...init, signal }, config, watched)
              return response
            },
          },
        },
      })
    const first = await ask({})
    return { data: allOf(first, ask, stop), response: response! }
  }
  const send = createResender<GeminiWay>(geminiCapabilities(config), geminiAmendments)
  return {
    provider: config.provider,
    model: config.model,
    generate: (request, given) =>
      send((can) => {
        const { body, remarks } = toGeminiRequest(request, config, can)
        const toolNames = new Map(request.tools.map(({ name }) => [geminiName(name), name]))
        return {
          body,
          send: (options) =>
            readReply(
              {
                config,
                decoder: createGeminiDecoder(toolNames, remarks),
                open: () => open(body, options.signal),
                toError,
              },
              options,
            ),
        }
      }, given),
  }
}

type Chunks = AsyncIterable<GenerateContentResponse>

/**
 * The chunks of an answer, which may come in several goes: a long one pauses with a token, by which it goes on. The SDK leaves the
 * connection open when its stream is not read to the end.
 */
async function* allOf(
  first: Chunks,
  ask: (more: JsonObject) => Promise<Chunks>,
  stop: AbortController,
): AsyncGenerator<GenerateContentResponse> {
  try {
    let token: string | undefined
    for (let stream: Chunks | undefined = first; stream;) {
      const chunks: Chunks = stream
      const before: string | undefined = token
      let isPaused = false
      for await (const chunk of chunks) {
        const { finishReason, continuationToken } = chunk.candidates?.[0] ?? {}
        isPaused ||= (finishReason as string | undefined) === 'CONTINUATION'
        token = continuationToken ?? token
        yield chunk
      }
      stream = isPaused && token && token !== before ? await ask({ continuationToken: token }) : undefined
    }
  } finally {
    stop.abort()
  }
}

async function loadSdk() {
  // A bundler takes a missing package for an error, unless it is imported within a try.
  try {
    return await import('@google/genai/web')
  } catch (error) {
    const why = toFailure(error).message
    throw new HandrailError(
      'provider_missing',
      `Provider "gemini" needs the package "@google/genai", version 3.3.0: ${why}`,
    )
  }
}
