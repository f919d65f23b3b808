import type { FinishReason } from '../core/events.js'
import type { Json } from '../core/json.js'
import type { ToolDefinition } from '../core/tool-definition.js'
import type { Message } from '../core/transcript.js'
import type { Usage } from '../core/usage.js'

/**
 * The contract of a model: something that answers a transcript, by streaming if it can. It only asks for calls; what becomes
 * of them is decided elsewhere.
 */
export interface Model {
  readonly provider: string
  readonly model: string
  /**
   * @throws {HandrailError} `code` says what went wrong (`model_auth`, `model_rate_limit`, `model_unavailable`,
   * `model_bad_request`, `model_stream_cut`, `model_bad_reply`, `model_aborted`), `retryable` whether the same request may succeed later.
   */
  generate(request: ModelRequest, options: GenerateOptions): Promise<ModelReply>
}

export interface ModelRequest {
  readonly instructions: string
  readonly tools: readonly ToolDefinition[]
  readonly messages: readonly Message[]
  /** Stable for a session: what a provider may use to find its prompt cache again. */
  readonly cacheKey: string
}

export interface GenerateOptions {
  readonly signal: AbortSignal
  readonly onDelta: (delta: ModelDelta) => void
}

/** Pieces of a reply as they come. For showing only: nothing is decided by one. `index` counts the parts of the reply. */
export type ModelDelta =
  | { readonly type: 'text'; readonly index: number; readonly text: string }
  | { readonly type: 'reasoning'; readonly index: number; readonly text: string }
  | { readonly type: 'call'; readonly index: number; readonly toolName: string; readonly text: string }

export interface ModelReply {
  /** In the provider's order. */
  readonly parts: readonly ReplyPart[]
  /** The provider's word, which may lie: calls are run when there are calls. */
  readonly finish: FinishReason
  readonly usage?: Usage
}

/** `native` is the provider's own object, complete and verbatim. */
export type ReplyPart =
  | { readonly type: 'text' | 'reasoning' | 'refusal'; readonly text: string; readonly native?: Json }
  | {
      readonly type: 'call'
      readonly toolName: string
      /** The argument text as the model wrote it. */
      readonly inputText: string
      /** The provider's id, when it gave one. */
      readonly wireId?: string
      readonly native?: Json
    }
  | { readonly type: 'other'; readonly native: Json }

/** Where a model is, as plain data. Keys belong on a server; see `dangerouslyAllowKeyInPage` of `createAgent`. */
export interface ModelConfig {
  readonly provider: string
  readonly model: string
  readonly baseURL?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly apiKey?: string
  /** Tokens that one reply may have. */
  readonly maxOutputTokens?: number
}
