import { HandrailError } from '../../index.js'

/** What is used here of the browser's `LanguageModel`, as its specification has it. */
export interface LanguageModelStatic {
  availability(options: LanguageModelCoreOptions): Promise<Availability>
  create(options: LanguageModelCreateOptions): Promise<LanguageModelSession>
}

/** `downloadable`, `downloading`: it can be had, but `create` waits for the download, and may want a person's click. */
export type Availability = 'unavailable' | 'downloadable' | 'downloading' | 'available'

export type SamplingMode = 'most-predictable' | 'predictable' | 'balanced' | 'creative' | 'most-creative'

export interface LanguageModelCoreOptions {
  readonly samplingMode?: SamplingMode
  readonly expectedInputs?: readonly Expected[]
  readonly expectedOutputs?: readonly Expected[]
}
interface Expected {
  readonly type: 'text'
  readonly languages: readonly string[]
}

export interface LanguageModelCreateOptions extends LanguageModelCoreOptions {
  readonly initialPrompts?: readonly Prompt[]
  readonly signal?: AbortSignal
  readonly monitor?: (monitor: EventTarget) => void
}

export interface Prompt {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

export interface PromptOptions {
  readonly responseConstraint: object
  /** The schema is not told to the model beside the prompt: the system prompt says it once. */
  readonly omitResponseConstraintInput: true
  readonly signal: AbortSignal
}

export interface LanguageModelSession extends EventTarget {
  readonly contextUsage: number
  readonly contextWindow: number
  /** Older versions have other names for it. */
  measureContextUsage?(input: readonly Prompt[], options: PromptOptions): Promise<number>
  promptStreaming(input: readonly Prompt[], options: PromptOptions): ReadableStream<string>
  destroy(): void
}

/** @throws {HandrailError} `model_unavailable` where there is none: a worker, another browser, a page over http. */
export function languageModel(): LanguageModelStatic {
  const { LanguageModel } = globalThis as { LanguageModel?: LanguageModelStatic }
  if (LanguageModel) return LanguageModel
  throw new HandrailError(
    'model_unavailable',
    'This page has no LanguageModel: use a desktop Chrome from 148 on, over https or localhost, or another model',
  )
}
