import type { Effort } from '../model.js'

/** What a model of the Messages API takes. What it does not, it answers with 400. */
export interface AnthropicCapabilities {
  /** A `tool_choice` that demands a call. */
  readonly forcedChoice: boolean
  /** `temperature`, `top_p` and `top_k`, in the versions of the API that have them. */
  readonly sampling: boolean
  readonly efforts: readonly Effort[]
  /** It thinks as much as the effort says when `thinking` is `adaptive`. */
  readonly adaptive: boolean
  /** The type of `thinking` for no effort; absent: it thinks always, or never. */
  readonly thinkingOff?: 'disabled' | 'between_tools'
  /** Programs of its own that call tools. */
  readonly programs: boolean
  readonly toolSearch: boolean
  /** Answers by a schema. */
  readonly answer: boolean
  /** `system` messages in the middle of a conversation. */
  readonly lateInstructions: boolean
  readonly documents: boolean
}

export interface AnthropicModels extends AnthropicCapabilities {
  /** Beginnings of the ids, without what the date adds. */
  readonly models: readonly string[]
}

const lowToHigh: readonly Effort[] = ['low', 'medium', 'high']

const claude3 = {
  forcedChoice: true,
  sampling: true,
  efforts: [],
  adaptive: false,
  programs: false,
  toolSearch: false,
  answer: false,
  lateInstructions: false,
  documents: false,
} as const
const claude37 = { ...claude3, thinkingOff: 'disabled', documents: true } as const
const claude45 = { ...claude37, toolSearch: true, answer: true } as const
const claude46 = { ...claude45, efforts: [...lowToHigh, 'max'], adaptive: true, programs: true } as const
const claude47 = { ...claude46, sampling: false, efforts: [...lowToHigh, 'xhigh', 'max'] } as const
const claude5 = { ...claude47, lateInstructions: true } as const
const newest = { ...claude5, forcedChoice: false, thinkingOff: undefined } as const

/** All that are known; of a newer one we expect what the last row says. */
export const anthropicModels: readonly AnthropicModels[] = [
  { models: ['claude-3-opus', 'claude-3-sonnet', 'claude-3-haiku'], ...claude3 },
  { models: ['claude-3-5-sonnet', 'claude-3-5-haiku'], ...claude3, documents: true },
  {
    models: ['claude-3-7-sonnet', 'claude-sonnet-4', 'claude-sonnet-4-0', 'claude-opus-4', 'claude-opus-4-0'],
    ...claude37,
  },
  { models: ['claude-opus-4-1'], ...claude37, answer: true },
  { models: ['claude-haiku-4-5'], ...claude45 },
  { models: ['claude-sonnet-4-5'], ...claude45, programs: true },
  { models: ['claude-opus-4-5'], ...claude45, programs: true, efforts: lowToHigh },
  { models: ['claude-sonnet-4-6', 'claude-opus-4-6'], ...claude46 },
  { models: ['claude-opus-4-7', 'claude-sonnet-5'], ...claude47 },
  { models: ['claude-opus-4-8', 'claude-opus-5'], ...claude5 },
  { models: ['claude-fable-5', 'claude-mythos-5'], ...claude5, thinkingOff: undefined },
  { models: ['claude-haiku-5-5'], ...claude5, programs: false },
  { models: ['claude-sonnet-5-5'], ...newest, thinkingOff: 'between_tools' },
  {
    models: [
      'claude-opus-5-5',
      'claude-fable-5-1',
      'claude-fable-5-2',
      'claude-mythos-5-1',
      'claude-mythos-5-2',
      'claude-mythos-preview',
    ],
    ...newest,
  },
]

/** A gateway may put a name before the id. `claude-opus-5-6` is none of `claude-opus-5`. */
export function anthropicCapabilities(model: string): AnthropicCapabilities {
  const id = /claude-.*$/.exec(model)?.[0] ?? model
  const isOf = (prefix: string) => id.startsWith(prefix) && !/^-?\d{1,2}(?!\d)/.test(id.slice(prefix.length))
  return anthropicModels.find(({ models }) => models.some(isOf)) ?? newest
}
