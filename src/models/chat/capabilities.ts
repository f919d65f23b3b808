import type { ModelConfig } from '../model.js'

/** What a server of the Chat Completions API takes. They agree on little more than the shape of a message. */
export interface ChatCapabilities {
  /** The field that bounds a reply. */
  readonly limit: 'max_tokens' | 'max_completion_tokens'
  /** It takes `stream_options`, without which most report no usage. */
  readonly streamOptions: boolean
  /** It takes `prompt_cache_key`. */
  readonly cacheKey: boolean
  /** Fields of its own message that it takes back: the first of them that the message has is sent. */
  readonly returned: readonly string[]
  /** A field that each message with calls must have, also one that another model wrote. */
  readonly demanded?: string
  /** Ids of calls have nine letters and digits. */
  readonly shortIds: boolean
  /** A user may speak right after a result. */
  readonly userAfterResult: boolean
}

/** What every server takes, as far as known: many answer a field that they do not know with 400. */
const plain: ChatCapabilities = {
  limit: 'max_tokens',
  streamOptions: true,
  cacheKey: false,
  returned: [],
  shortIds: false,
  userAfterResult: true,
}

interface ChatServer extends Partial<ChatCapabilities> {
  readonly name: string
  readonly url?: RegExp
  readonly model?: RegExp
}

const thinks = { returned: ['reasoning_content'] }
const demandsThoughts = { ...thinks, demanded: 'reasoning_content' }
const mistral = { streamOptions: false, shortIds: true, userAfterResult: false }

/** Differences by the name of the model, then by the base URL. A later row wins. */
export const chatServers: readonly ChatServer[] = [
  {
    name: 'Mistral models',
    model: /(^|\/)(open-)?(mistral|mixtral|ministral|magistral|codestral|devstral|pixtral)/i,
    ...mistral,
  },
  { name: 'DeepSeek models', model: /^deepseek-(chat|reasoner|v\d)/i, ...demandsThoughts },
  { name: 'Kimi models', model: /^kimi-/i, ...demandsThoughts },
  { name: 'GLM models', model: /^glm-/i, ...thinks },
  {
    name: 'Local servers, Ollama',
    url: /^https?:\/\/(localhost|127\.|\[::1\]|10\.|192\.168\.|[\w-]+\.local\b|host\.docker\.internal|ollama\.com\b)/i,
    streamOptions: true,
    returned: ['reasoning_content', 'reasoning'],
  },
  { name: 'OpenAI', url: /^https?:\/\/api\.openai\.com\b/i, limit: 'max_completion_tokens', cacheKey: true },
  { name: 'Azure', url: /^https?:\/\/[\w-]+\.openai\.azure\.com\b/i, limit: 'max_completion_tokens' },
  { name: 'Gemini', url: /generativelanguage|\bgemini\b/i, returned: ['extra_content'] },
  { name: 'Mistral', url: /\bmistral\b/i, ...mistral },
  { name: 'DeepSeek', url: /\bdeepseek\b/i, ...demandsThoughts },
  { name: 'Moonshot', url: /\bmoonshot\b/i, ...demandsThoughts },
  { name: 'Z.ai', url: /\bz\.ai\b|\bbigmodel\b/i, ...thinks },
  { name: 'MiniMax', url: /\bminimaxi?\b/i, returned: ['reasoning_details', 'reasoning_content'] },
  { name: 'Snowflake', url: /\bsnowflake/i, returned: ['reasoning_details'] },
  {
    name: 'OpenRouter',
    url: /\bopenrouter\b/i,
    streamOptions: true,
    returned: ['reasoning_details', 'reasoning'],
    demanded: undefined,
  },
]

/** What the server takes, by what is known of it: a proxy may name the server behind it in its path. */
export function chatCapabilities({ baseURL = '', model }: ModelConfig): ChatCapabilities {
  const rows = chatServers.filter((row) => row.url?.test(baseURL) || row.model?.test(model))
  const { name: _, url: __, model: ___, ...can } = Object.assign({}, ...rows) as ChatServer
  return { ...plain, ...can }
}
