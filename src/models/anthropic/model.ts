import { Anthropic } from '@anthropic-ai/sdk'
import { absoluteUrl, placeholderKey, sdkRetries, sdkTimeout, watchedFetch } from '../connection.js'
import type { Model, ModelConfig } from '../model.js'
import { toModelError } from '../model-error.js'
import { readReply } from '../read-reply.js'
import { createResender } from '../resend.js'
import { createAnthropicDecoder } from './decode.js'
import { encodeAnthropicWith } from './encode.js'
import { amendments, firstWay } from './way.js'

/** A model of Anthropic's Messages API, or of a server that speaks it. Load this file lazily: the SDK is large. */
export function createAnthropicModel(config: ModelConfig & { readonly fetch?: typeof fetch }): Model {
  // What is not given is null, or the SDK looks for it in the environment.
  const client = new Anthropic({
    apiKey: config.apiKey || placeholderKey,
    authToken: null,
    webhookKey: null,
    baseURL: absoluteUrl(config.baseURL),
    defaultHeaders: config.headers,
    fetch: watchedFetch(config),
    timeout: sdkTimeout,
    maxRetries: sdkRetries,
    logLevel: 'off',
    // Always, though a worker does not ask for it: without it the SDK leaves out the header that CORS needs.
    dangerouslyAllowBrowser: true,
  })
  const send = createResender(firstWay(config.model), amendments)
  return {
    provider: config.provider,
    model: config.model,
    generate: (request, given) =>
      send((way) => {
        const { body, remarks, isWaiting, headers } = encodeAnthropicWith(request, config, way)
        return {
          body,
          send: (options) =>
            readReply(
              {
                config,
                decoder: createAnthropicDecoder({ remarks, isWaiting }),
                open: () => client.messages.create(body, { signal: options.signal, headers }).withResponse(),
                toError: (error, started) => toModelError(error, started, Anthropic, config),
              },
              options,
            ),
        }
      }, given),
  }
}
