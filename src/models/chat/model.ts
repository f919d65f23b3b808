import { OpenAI } from 'openai'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.js'
import { HandrailError } from '../../errors.js'
import { absoluteUrl, placeholderKey, sdkRetries, sdkTimeout, watchedFetch } from '../connection.js'
import type { Model, ModelConfig } from '../model.js'
import { ReportedError, streamCut, toModelError } from '../model-error.js'
import { readReply } from '../read-reply.js'
import { createResender } from '../resend.js'
import { badReply } from '../wire.js'
import { chatAmendments } from './amendments.js'
import { chatCapabilities } from './capabilities.js'
import { createChatDecoder, streamEnd, toFacts } from './decode.js'
import { toChatRequest, type ChatBody } from './encode.js'

/**
 * A model of a server that speaks OpenAI's Chat Completions API. Load this file lazily: the SDK is large.
 * @throws {HandrailError} `model_bad_request` without a base URL: the SDK would send the key of another server to OpenAI.
 */
export function createChatModel(config: ModelConfig & { readonly fetch?: typeof fetch }): Model {
  if (!config.baseURL)
    throw new HandrailError(
      'model_bad_request',
      `Cannot ask model "${config.model}" of ${config.provider}: set its baseURL`,
    )
  const ask = watchedFetch(config)
  // What is not given is null, or the SDK looks for it in the environment.
  const client = new OpenAI({
    apiKey: config.apiKey || placeholderKey,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: absoluteUrl(config.baseURL),
    defaultHeaders: config.headers,
    fetch: async (url, init) => withReason(await ask(url, init)),
    timeout: sdkTimeout,
    maxRetries: sdkRetries,
    logLevel: 'off',
    // A worker of a page is where this runs; keys belong on a server, see docs/models.md.
    dangerouslyAllowBrowser: true,
  })
  const send = createResender(chatCapabilities(config), chatAmendments)
  const open = async (body: ChatBody, signal: AbortSignal) => {
    const { data, response } = await client.chat.completions.create(body, { signal }).withResponse()
    if (isInOnePiece(response.headers.get('content-type') ?? ''))
      return { data: whole(data, response, config), response: new Response() }
    return { data: ended(data, signal), response }
  }
  return {
    provider: config.provider,
    model: config.model,
    generate: (request, given) =>
      send((can) => {
        const { body, remarks } = toChatRequest(request, config, can)
        return {
          body,
          send: (options) =>
            readReply(
              {
                config,
                decoder: createChatDecoder(request.tools, remarks),
                open: () => open(body, options.signal),
                toError: (error, started) => toChatError(error, started, config),
              },
              options,
            ),
        }
      }, given),
  }
}

async function* ended(data: AsyncIterable<unknown>, signal: AbortSignal): AsyncGenerator<unknown> {
  yield* data
  // The SDK ends an aborted stream as if it were complete.
  if (!signal.aborted) yield streamEnd
}

/** Anything but a stream, and a page, which is what a wrong base URL answers. */
const isInOnePiece = (type: string): boolean => type !== '' && !/\b(event-stream|html)\b/i.test(type)

/** Some servers and gateways answer in one piece, whatever they were asked, or do not say that it is a stream. */
async function* whole(data: AsyncIterable<unknown>, response: Response, config: ModelConfig): AsyncGenerator<unknown> {
  const text = await response.clone().text()
  if (/^\s*(data|event|id|retry)?:/.test(text)) yield* data
  else yield toAnswer(text, config)
  yield streamEnd
}

function toAnswer(text: string, config: ModelConfig): JsonObject {
  let answer: Json
  try {
    answer = JSON.parse(text) as Json
  } catch {
    throw streamCut(config)
  }
  if (isJsonObject(answer) && ['choices', 'error', 'object'].some((key) => Object.hasOwn(answer, key))) return answer
  throw badReply('it is JSON without "choices"')
}

/** The SDK reads only the field "error" of a refused request; many servers say why in another. */
async function withReason(response: Response): Promise<Response> {
  if (response.ok || !/\bjson\b/i.test(response.headers.get('content-type') ?? '')) return response
  const text = await response.text()
  const { status, statusText, headers } = response
  return new Response(reasonOf(text), { status, statusText, headers })
}

function reasonOf(text: string): string {
  try {
    const answer = JSON.parse(text) as Json
    const body = Array.isArray(answer) ? (answer as readonly Json[])[0] : answer
    if (!isJsonObject(body) || isJsonObject(body.error)) return JSON.stringify(body)
    return JSON.stringify({ error: { ...body, message: body.error ?? body.message ?? body.detail ?? null } })
  } catch {
    return text
  }
}

function toChatError(error: unknown, started: boolean, config: ModelConfig): HandrailError {
  const isAnswer = error instanceof OpenAI.APIError && !(error instanceof OpenAI.APIConnectionError)
  if (!isAnswer || error.error === undefined) return toModelError(error, started, OpenAI, config)
  const facts = toFacts(error.error as Json)
  const told = new ReportedError({ ...facts, status: error.status ?? facts.status, headers: error.headers })
  const failure = toModelError(told, started, OpenAI, config)
  // The model wrote a call that its server could not read: the next time it may write another.
  return facts.code === 'tool_use_failed'
    ? new HandrailError('model_bad_reply', failure.message, { retryable: true })
    : failure
}
