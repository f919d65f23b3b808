import { HandrailError, toFailure } from '../../errors.js'
import { absoluteUrl, placeholderKey } from '../connection.js'
import type { Model, ModelConfig } from '../model.js'
import { ReportedError, toModelError } from '../model-error.js'
import { readReply } from '../read-reply.js'
import { createGeminiDecoder } from './decode.js'
import { encodeGemini, geminiName } from './encode.js'
import { errorIn, toFacts } from './failure.js'
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
  const toError = (error: unknown, started: boolean) => {
    const known =
      error instanceof ApiError ? new ReportedError(toFacts(errorIn(error.message) ?? {}, error.status)) : error
    return toModelError(known, started, { APIError: ApiError, APIConnectionError: Unreachable }, config)
  }
  return {
    provider: config.provider,
    model: config.model,
    generate: async (request, options) => {
      const body = encodeGemini(request, config)
      const toolNames = new Map(request.tools.map(({ name }) => [geminiName(name), name]))
      const stop = new AbortController()
      const signal = AbortSignal.any([options.signal, stop.signal])
      const open = async () => {
        let response: Response | undefined
        const data = await client.models.generateContentStream({
          model: config.model,
          // The SDK copies what it knows of a part: all of the body goes past it, so that nothing is left out.
          contents: 'sent as extraBody',
          config: {
            abortSignal: signal,
            httpOptions: {
              extraBody: { ...body },
              fetch: async (url, init = {}) => {
                response = await sendRequest(url, init, { config, fetch: config.fetch ?? fetch, signal })
                return response
              },
            },
          },
        })
        return { data: closing(data, stop), response: response! }
      }
      return readReply({ config, decoder: createGeminiDecoder(toolNames), open, toError }, options)
    },
  }
}

/** The SDK leaves the connection open when its stream is not read to the end. */
async function* closing<Event>(data: AsyncIterable<Event>, stop: AbortController): AsyncGenerator<Event> {
  try {
    yield* data
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
