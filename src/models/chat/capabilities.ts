import type { ModelConfig } from '../model.js'

/** What a server of the Chat Completions API takes. They agree on little more than the shape of a message. */
export interface ChatCapabilities {
  /** The field that bounds a reply. */
  readonly limit: 'max_tokens' | 'max_completion_tokens'
  /** It takes `stream_options`, without which most report no usage. */
  readonly streamOptions: boolean
  /** It takes `prompt_cache_key`. */
  readonly cacheKey: boolean
  /** It caches only what is marked with `cache_control`. */
  readonly cacheMarks: boolean
  /** Fields of its own message that it takes back: the first of them that the message has is sent. */
  readonly returned: readonly string[]
  /** A field that each message with calls must have, also one that another model wrote. */
  readonly demanded?: string
  /** Ids of calls have nine letters and digits. */
  readonly shortIds: boolean
  /** A user may speak right after a result. */
  readonly userAfterResult: boolean
  /** Instructions may come in the middle of a conversation. */
  readonly lateInstructions: boolean
  /** Its word for a call that must be. */
  readonly required?: 'required' | 'any'
  /** What `tool_choice` may name: nothing, one tool, or also some of them (`allowed_tools`). */
  readonly chosen: 'nothing' | 'one' | 'some'
  readonly parallel: boolean
  /** It takes `strict` in a tool. */
  readonly strict: boolean
  /** It has tools that take a text. */
  readonly textTools: boolean
  /** The field that says how much the model thinks. */
  readonly effort?: 'reasoning_effort' | 'reasoning'
  /** It takes `temperature` and `top_p`: always, never, or where the effort is `none`. */
  readonly sampling: 'always' | 'never' | 'without effort'
  readonly topK: boolean
  readonly seed?: 'seed' | 'random_seed'
  readonly stop: boolean
  readonly serviceTier: boolean
  /** It takes `response_format` with a schema: always, never, or where there are no tools, which the model would not call. */
  readonly answer: 'always' | 'never' | 'without tools'
  /** Images in what the user says: also by their URL, or only their bytes. */
  readonly images: 'any' | 'bytes' | 'none'
  /** The part that holds a PDF, by its bytes, or also by its URL. */
  readonly files?: 'file' | 'file, any' | 'document_url'
  readonly audio: boolean
  readonly video: boolean
}

/**
 * What every server takes, as far as known: many answer a field that they do not know with 400. Some of it no server of a small
 * model takes; but it is only sent when asked for, and what they answer says so.
 */
const plain: ChatCapabilities = {
  limit: 'max_tokens',
  streamOptions: true,
  cacheKey: false,
  cacheMarks: false,
  returned: [],
  shortIds: false,
  userAfterResult: true,
  lateInstructions: false,
  required: 'required',
  chosen: 'one',
  parallel: false,
  strict: false,
  textTools: false,
  sampling: 'always',
  topK: false,
  stop: true,
  serviceTier: false,
  answer: 'never',
  images: 'any',
  audio: false,
  video: false,
}

export interface ChatServer extends Partial<ChatCapabilities> {
  readonly name: string
  readonly url?: RegExp
  readonly model?: RegExp
}

const thinks = { returned: ['reasoning_content'] }
const demandsThoughts = { ...thinks, demanded: 'reasoning_content' }
const mistral = { streamOptions: false, shortIds: true, userAfterResult: false } as const
const likeOpenAI = {
  limit: 'max_completion_tokens',
  lateInstructions: true,
  chosen: 'some',
  parallel: true,
  strict: true,
  seed: 'seed',
  serviceTier: true,
  answer: 'always',
  files: 'file',
  audio: true,
} as const
const local =
  /^https?:\/\/(localhost|127\.|\[::1\]|10\.|192\.168\.|[\w-]+\.local\b|host\.docker\.internal|ollama\.com\b)/i
const ollama = /^https?:\/\/([^/]+:11434\b|([\w-]+\.)*ollama\.com\b)|\/ollama\b/i

/** Differences by the name of the model and by the base URL; a row with both is of that model there. A later row wins. */
export const chatServers: readonly ChatServer[] = [
  { name: 'OpenAI models', model: /^(gpt-\d|chatgpt|o\d)/i, ...likeOpenAI },
  {
    name: 'Mistral models',
    model: /(^|\/)(open-)?(mistral|mixtral|ministral|magistral|codestral|devstral|pixtral)/i,
    ...mistral,
  },
  { name: 'DeepSeek models', model: /^deepseek-(chat|reasoner|v\d)/i, ...demandsThoughts, images: 'none' },
  { name: 'Kimi models', model: /^kimi-/i, ...demandsThoughts },
  { name: 'GLM models', model: /^glm-/i, ...thinks, images: 'none' },
  { name: 'GLM models that see', model: /^glm-[\d.]+v/i, images: 'any' },
  {
    name: 'Local servers, Ollama',
    url: local,
    streamOptions: true,
    returned: ['reasoning_content', 'reasoning'],
    effort: 'reasoning_effort',
    topK: true,
    seed: 'seed',
    strict: true,
    parallel: true,
    answer: 'without tools',
  },
  {
    name: 'Ollama',
    url: ollama,
    required: undefined,
    chosen: 'nothing',
    topK: false,
    parallel: false,
    images: 'bytes',
  },
  { name: 'LM Studio', url: /^https?:\/\/[^/]+:1234\b|\/lm-?studio\b/i, chosen: 'nothing', images: 'bytes' },
  { name: 'OpenAI', url: /^https?:\/\/api\.openai\.com\b/i, ...likeOpenAI, cacheKey: true },
  { name: 'Azure', url: /^https?:\/\/[\w-]+\.(openai|services\.ai)\.azure\.com\b/i, ...likeOpenAI, audio: false },
  {
    name: 'Gemini',
    url: /generativelanguage|\bgemini\b/i,
    returned: ['extra_content'],
    effort: 'reasoning_effort',
    answer: 'without tools',
  },
  {
    name: 'Mistral',
    url: /\bmistral\b/i,
    ...mistral,
    cacheKey: true,
    required: 'any',
    parallel: true,
    strict: true,
    seed: 'random_seed',
    answer: 'without tools',
    files: 'document_url',
  },
  { name: 'Mistral that thinks', url: /\bmistral\b/i, model: /mistral-(small|medium)/i, effort: 'reasoning_effort' },
  { name: 'DeepSeek', url: /\bdeepseek\b/i, ...demandsThoughts, strict: true, images: 'none' },
  { name: 'Moonshot', url: /\bmoonshot\b/i, ...demandsThoughts, answer: 'without tools' },
  { name: 'Z.ai', url: /\bz\.ai\b|\bbigmodel\b/i, ...thinks, required: undefined, chosen: 'nothing' },
  { name: 'Z.ai, from GLM 5 on', url: /\bz\.ai\b|\bbigmodel\b/i, model: /^glm-[5-9]/i, effort: 'reasoning_effort' },
  { name: 'MiniMax', url: /\bminimaxi?\b/i, returned: ['reasoning_details', 'reasoning_content'], images: 'none' },
  {
    name: 'Snowflake',
    url: /\bsnowflake/i,
    returned: ['reasoning_details'],
    effort: 'reasoning',
    answer: 'without tools',
  },
  {
    name: 'Groq',
    url: /\bgroq\b/i,
    limit: 'max_completion_tokens',
    parallel: true,
    seed: 'seed',
    serviceTier: true,
  },
  { name: 'Groq that thinks', url: /\bgroq\b/i, model: /gpt-oss|qwen/i, effort: 'reasoning_effort' },
  {
    name: 'Cerebras',
    url: /\bcerebras\b/i,
    limit: 'max_completion_tokens',
    parallel: true,
    strict: true,
    seed: 'seed',
    serviceTier: true,
    answer: 'without tools',
    images: 'none',
  },
  { name: 'Cerebras that thinks', url: /\bcerebras\b/i, model: /gpt-oss|glm/i, effort: 'reasoning_effort' },
  {
    name: 'xAI',
    url: /\bx\.ai\b|\bxai\b/i,
    limit: 'max_completion_tokens',
    lateInstructions: true,
    parallel: true,
    strict: true,
    seed: 'seed',
    answer: 'without tools',
  },
  { name: 'xAI that thinks', url: /\bx\.ai\b|\bxai\b/i, model: /^grok-(3-mini|[4-9])/i, stop: false },
  { name: 'Grok 3 mini', model: /^grok-3-mini/i, effort: 'reasoning_effort' },
  { name: 'Hugging Face', url: /\bhuggingface\b/i, seed: 'seed', answer: 'without tools' },
  {
    name: 'Together, Fireworks',
    url: /\b(together|fireworks)\b/i,
    effort: 'reasoning_effort',
    topK: true,
    seed: 'seed',
    answer: 'without tools',
  },
  {
    name: 'OpenRouter',
    url: /\bopenrouter\b/i,
    streamOptions: true,
    returned: ['reasoning_details', 'reasoning'],
    demanded: undefined,
    effort: 'reasoning',
    topK: true,
    seed: 'seed',
    parallel: true,
    strict: true,
    answer: 'always',
    images: 'any',
    files: 'file, any',
    audio: true,
    video: true,
  },
  { name: 'OpenRouter, Claude', url: /\bopenrouter\b/i, model: /^~?anthropic\//i, cacheMarks: true },
  {
    name: 'OpenAI models that think',
    model: /^(gpt-[5-9](?!.*-chat)|o\d)/i,
    limit: 'max_completion_tokens',
    effort: 'reasoning_effort',
    sampling: 'without effort',
    stop: false,
  },
  { name: 'OpenAI models that always think', model: /^(gpt-5($|-(?!chat))|gpt-6[\d.]*-astra|o\d)/i, sampling: 'never' },
  { name: 'OpenAI, o models', model: /^o\d/i, parallel: false },
  { name: 'OpenAI, from GPT-5 on', url: /^https?:\/\/api\.openai\.com\b/i, model: /^gpt-[5-9]/i, textTools: true },
]

/** What the server takes, by what is known of it: a proxy may name the server behind it in its path. */
export function chatCapabilities({ baseURL = '', model }: ModelConfig): ChatCapabilities {
  const rows = chatServers.filter((row) => (row.url?.test(baseURL) ?? true) && (row.model?.test(model) ?? true))
  const { name: _, url: __, model: ___, ...can } = Object.assign({}, ...rows) as ChatServer
  return { ...plain, ...can }
}
