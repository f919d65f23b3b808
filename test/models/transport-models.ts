import { createAnthropicModel } from '../../src/models/anthropic/model.js'
import { createChatModel } from '../../src/models/chat/model.js'
import { loadGeminiModel } from '../../src/models/gemini/model.js'
import type { Model, ModelConfig, ModelDelta, ModelReply, ModelRequest } from '../../src/models/model.js'
import { createOpenAIModel } from '../../src/models/openai/model.js'
import type { HandrailError } from '../../src/errors.js'
import { wires, type Provider } from './transport-streams.js'

type Config = Partial<ModelConfig> & { readonly fetch?: typeof fetch }

const loaders: Readonly<Record<Provider, (config: ModelConfig & Config) => Model | Promise<Model>>> = {
  openai: createOpenAIModel,
  'openai-compatible': createChatModel,
  anthropic: createAnthropicModel,
  gemini: loadGeminiModel,
}

export const loadModel = async (provider: Provider, url: string, more: Config = {}): Promise<Model> =>
  loaders[provider]({
    provider,
    model: 'm-1',
    baseURL: `${url}${wires[provider].base}`,
    apiKey: 'sk-test-123456',
    ...more,
  })

export const hello: ModelRequest = {
  instructions: '',
  tools: [],
  messages: [{ role: 'user', text: 'Hi' }],
  cacheKey: 'session',
}

interface Asking {
  readonly request?: ModelRequest
  readonly signal?: AbortSignal
  readonly onDelta?: (delta: ModelDelta) => void
}

export const ask = (model: Model, { request = hello, signal, onDelta = () => {} }: Asking = {}): Promise<ModelReply> =>
  model.generate(request, { signal: signal ?? new AbortController().signal, onDelta })

export const failureOf = (asked: Promise<unknown>): Promise<HandrailError> =>
  asked.then(
    () => Promise.reject(new Error('It did not fail')),
    (error: HandrailError) => error,
  )

export const streamOf = (body: BodyInit): Response =>
  new Response(body, { headers: { 'content-type': 'text/event-stream' } })
