import { OpenAI } from 'openai'
import { absoluteUrl, placeholderKey, sdkRetries, sdkTimeout, watchedFetch } from '../connection.js'
import type { Model, ModelConfig } from '../model.js'
import { toModelError } from '../model-error.js'
import { readReply } from '../read-reply.js'
import { createResender } from '../resend.js'
import { openAIAmendments } from './amendments.js'
import { openAICapabilities } from './capabilities.js'
import { isStored } from './conversation.js'
import { createOpenAIDecoder } from './decode.js'
import { encodeOpenAI, remarksOnOpenAI } from './encode.js'

/** A model of OpenAI's Responses API, or of a server that speaks it. Load this file lazily: the SDK is large. */
export function createOpenAIModel(config: ModelConfig & { readonly fetch?: typeof fetch }): Model {
  // What is not given is null, or the SDK looks for it in the environment.
  const client = new OpenAI({
    apiKey: config.apiKey || placeholderKey,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: absoluteUrl(config.baseURL),
    defaultHeaders: config.headers,
    fetch: watchedFetch(config),
    timeout: sdkTimeout,
    maxRetries: sdkRetries,
    logLevel: 'off',
    // A worker of a page is where this runs; keys belong on a server, see docs/models.md.
    dangerouslyAllowBrowser: true,
  })
  const send = createResender(openAICapabilities(config.model), openAIAmendments(config))
  return {
    provider: config.provider,
    model: config.model,
    generate: (request, given) =>
      send((can) => {
        const body = encodeOpenAI(request, config, can)
        const remarks = remarksOnOpenAI(request, config, can)
        return {
          body,
          send: (options) =>
            readReply(
              {
                config,
                decoder: createOpenAIDecoder({ tools: request.tools, stored: isStored(config), remarks }),
                open: () => client.responses.create(body, { signal: options.signal }).withResponse(),
                toError: (error, started) => toModelError(error, started, OpenAI, config),
              },
              options,
            ),
        }
      }, given),
  }
}
