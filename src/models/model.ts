import type { FinishReason, Remark } from '../core/events.js'
import type { Json, JsonObject } from '../core/json.js'
import type { AnswerFormat, ToolChoice, ToolDefinition } from '../core/tool-definition.js'
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
  /** Absent: `auto`, of all tools. Of another than those it names, a call may come anyway: the gate refuses it. */
  readonly toolChoice?: ToolChoice
  /** What the last message must be. That calls come first is no fault. */
  readonly answer?: AnswerFormat
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
  /** What the provider keeps, by which the next request refers to it: comes back in the assistant's message. */
  readonly serverState?: Json
  readonly remarks?: readonly Remark[]
}

/** `native` is the provider's own object, complete and verbatim. */
export type ReplyPart =
  | { readonly type: 'text' | 'reasoning' | 'refusal'; readonly text: string; readonly native?: Json }
  | {
      readonly type: 'call'
      readonly toolName: string
      /** The argument text as the model wrote it. */
      readonly inputText: string
      /** `inputText` is the input itself, and no JSON: of a tool that takes one text. */
      readonly isText?: boolean
      /** The provider's id, when it gave one. */
      readonly wireId?: string
      /** A program that the provider runs asks for it. */
      readonly caller?: 'program'
      /** The provider runs it, once a person has approved. */
      readonly executor?: 'provider'
      readonly native?: Json
    }
  | { readonly type: 'other'; readonly native: Json }

/** How much a model thinks. A model takes some of them; what one does not is refused by its provider. */
export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** A tool that the provider has and runs: web search, code execution, remote MCP. Recorded, and not gated. */
export interface HostedTool {
  /** The provider's own definition, sent as it is. */
  readonly tool: JsonObject
  /** `read`: it changes nothing. `ask`: the provider asks before each call, and a person answers; only remote MCP of OpenAI can. */
  readonly risk: 'read' | 'ask'
}

/** Where a model is and how it is asked, as plain data. Keys belong on a server; see `dangerouslyAllowKeyInPage` of `createAgent`. */
export interface ModelConfig {
  readonly provider: string
  readonly model: string
  readonly baseURL?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly apiKey?: string
  /** Milliseconds that the provider may be silent, before the first byte and between two. Default 120,000. */
  readonly timeout?: number
  /** Tokens that one reply may have, thinking included. */
  readonly maxOutputTokens?: number
  readonly effort?: Effort
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly seed?: number
  /** Texts that end a reply. */
  readonly stop?: readonly string[]
  /** Whether one reply may have several calls. Default true. */
  readonly parallelCalls?: boolean
  /** How long the provider should keep the beginning of the transcript, where it can be told. Default `short`. */
  readonly cache?: 'off' | 'short' | 'long'
  /** The provider keeps the conversation, and is sent only what is new. Of OpenAI Responses. Default false. */
  readonly stored?: boolean
  /** The provider runs programs that the model writes, which may call the tools that never ask a person. Default false. */
  readonly programs?: boolean
  /** The provider searches the deferred tools. Default false: a script does, or they are not deferred. */
  readonly toolSearch?: boolean
  /** As the provider names it. */
  readonly serviceTier?: string
  readonly hostedTools?: readonly HostedTool[]
  /** Fields of the request's body that have no option here, by the provider's names. Objects are merged, the rest is replaced. */
  readonly extra?: JsonObject
}
