import type { ModelConfig } from '../model.js'

/** What a model of `generateContent` takes. */
export interface GeminiCapabilities {
  /** How it is told how much to think. */
  readonly thinking: 'level' | 'budget' | 'nothing'
  /** The least that it thinks: a level, or tokens. */
  readonly least: 'minimal' | 'low' | number
  /** Tokens that it thinks at most, where it is told a budget. */
  readonly most: number
  /** Calls that need not be, but fit their schemas: `VALIDATED`, which may also name some of the functions. */
  readonly validated: boolean
  /** An answer by a schema beside tools. */
  readonly answerWithTools: boolean
  /** Functions beside tools that Google runs. */
  readonly mixed: boolean
  /** The calls of tools that Google runs may be asked for, and must be where functions stand beside them. */
  readonly invocations: boolean
  /** Files in the result of a call. */
  readonly resultFiles: boolean
  /** The first call of each turn has a signature. */
  readonly signatures: boolean
}

/** How a request is encoded: what the model takes, and what it refused. */
export interface GeminiWay extends GeminiCapabilities {
  /** It refused the signatures of the history: no part has its own, and each call the word for none. */
  readonly isUnsigned?: boolean
}

/** Of every model from Gemini 3 on, and of those that we do not know. */
const plain: GeminiCapabilities = {
  thinking: 'level',
  least: 'low',
  most: 0,
  validated: true,
  answerWithTools: true,
  mixed: true,
  invocations: true,
  resultFiles: true,
  signatures: true,
}

export interface GeminiModel extends Partial<GeminiCapabilities> {
  readonly name: string
  /** Of the last part of the model's name. */
  readonly model?: RegExp
  readonly url?: RegExp
}

const older = { answerWithTools: false, mixed: false, resultFiles: false, signatures: false } as const
const thoughtless = { ...older, thinking: 'nothing', validated: false } as const

/** Differences by the name of the model and by the base URL. A later row wins. */
export const geminiModels: readonly GeminiModel[] = [
  { name: 'Gemini 3 to 3.6', model: /^gemini-3(\.[0-6])?(-|$)/, least: 'minimal' },
  { name: 'Gemini 2.5', model: /^gemini-2\.5/, ...older, thinking: 'budget', least: 0, most: 24_576 },
  { name: 'Gemini 2.5 Pro', model: /^gemini-2\.5-pro/, least: 128, most: 32_768 },
  { name: 'Gemini 1 to 2.0', model: /^gemini-(1|2\.0)/, ...thoughtless },
  { name: 'Gemma, LearnLM', model: /^(gemma|learnlm)/, ...thoughtless },
  { name: 'Vertex AI', url: /\baiplatform\b/, invocations: false },
]

export function geminiCapabilities({ model, baseURL = '' }: ModelConfig): GeminiCapabilities {
  const last = model.slice(model.lastIndexOf('/') + 1)
  const rows = geminiModels.filter((row) => (row.model?.test(last) ?? true) && (row.url?.test(baseURL) ?? true))
  const { name: _, model: __, url: ___, ...can } = Object.assign({}, ...rows) as GeminiModel
  return { ...plain, ...can }
}
