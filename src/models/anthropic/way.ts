import { refused, type Amendment } from '../resend.js'
import { anthropicCapabilities, type AnthropicCapabilities } from './capabilities.js'

/** How requests to a model are encoded: what it takes, as far as known, and what else goes along. */
export interface Way {
  readonly can: AnthropicCapabilities
  readonly strict: boolean
  /** Its thinking goes back. */
  readonly thinking: boolean
  /** The container of its programs is used again. */
  readonly container: boolean
}

export const firstWay = (model: string): Way => ({
  can: anthropicCapabilities(model),
  strict: true,
  thinking: true,
  container: true,
})

const without = (less: Partial<AnthropicCapabilities>) => (way: Way) => ({ ...way, can: { ...way.can, ...less } })

/** What a model may refuse that we did not know of. */
export const amendments: readonly Amendment<Way>[] = [
  {
    what: 'thinking of the history',
    isRefused: ({ message }) => /signature\W.*thinking|thinking.*\bsignature|bound to a different/i.test(message),
    without: (way) => ({ ...way, thinking: false }),
    isPassing: true,
  },
  {
    what: 'container',
    isRefused: ({ message }) => /\bcontainer\b.*(expired|not found|does not exist|invalid|no longer)/i.test(message),
    without: (way) => ({ ...way, container: false }),
    isPassing: true,
  },
  {
    what: 'tool_choice',
    isRefused: refused(/tool_choice|tool choice|forces? tool use/i),
    without: without({ forcedChoice: false }),
  },
  { what: 'role "system"', isRefused: refused(/role '?"?system/i), without: without({ lateInstructions: false }) },
  {
    what: 'temperature, top_p, top_k',
    isRefused: refused(/temperature|top_p|top_k/),
    without: without({ sampling: false }),
  },
  {
    what: 'output_config.format',
    isRefused: refused(/output_config(?!\.effort)|output_format|structured output/i),
    without: without({ answer: false }),
  },
  {
    what: 'output_config.effort',
    isRefused: refused(/effort|output_config(?!\.format)/i),
    without: without({ efforts: [], adaptive: false }),
  },
  {
    what: 'thinking',
    isRefused: refused(/thinking/i),
    without: without({ adaptive: false, thinkingOff: undefined }),
  },
  {
    what: 'strict',
    isRefused: (facts) =>
      refused(/\bstrict\b/)(facts) || /schema is too complex|recursive definitions in schema/i.test(facts.message),
    without: (way) => ({ ...way, strict: false, can: { ...way.can, answer: false } }),
  },
  {
    what: 'tool search',
    isRefused: refused(/tool_search_tool|defer_loading/),
    without: without({ toolSearch: false }),
  },
  {
    what: 'programs',
    isRefused: refused(/code_execution|allowed_callers|programmatic/i),
    without: without({ programs: false }),
  },
  { what: 'documents', isRefused: refused(/document|pdf/i), without: without({ documents: false }) },
]
