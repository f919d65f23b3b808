import type { ModelConfig } from '../model.js'
import { amendmentOf, refused, type Amendment } from '../resend.js'
import type { OpenAICapabilities } from './capabilities.js'

type One = Amendment<OpenAICapabilities>

const without = amendmentOf<OpenAICapabilities>()

/** What a server may refuse though the table has it, or has no row for its model. */
export const openAIAmendments = ({ effort }: ModelConfig): readonly One[] => [
  // Kept for thirty days, and not at all where the organisation forbids it.
  without(
    'previous_response_id',
    ({ code, message }) =>
      code === 'previous_response_not_found' || /previous[ _]response.*(not found|zero data retention)/i.test(message),
    { stored: false },
    true,
  ),
  without('previous_response_id', refused(/previous_response_id/), { stored: false }),
  without(
    'reasoning',
    ({ message }) => /without its required|encrypted content .*(could not|cannot|not be)/i.test(message),
    { reasoningBack: false },
    true,
  ),
  without('sampling', refused(/\b(temperature|top_p)\b/), { sampling: 'never' }),
  {
    what: 'reasoning.effort',
    isRefused: refused(/reasoning[._ ]effort/i),
    without: (can) => ({ ...can, efforts: can.efforts.filter((one) => one !== effort) }),
  },
  without('include', refused(/encrypted[_ ]content|\binclude\b/i), { reasoning: false }),
  without('allowed_tools', refused(/allowed_tools/), { allowedTools: false }),
  without('tool_choice', refused(/tool_choice/), { forcedChoice: false, allowedTools: false }),
  without(
    'strict',
    (facts) =>
      facts.code === 'invalid_function_parameters' || badSchema.test(facts.message) || refused(/\bstrict\b/)(facts),
    { strict: false },
  ),
  without('parallel_tool_calls', refused(/parallel_tool_calls/), { parallelCalls: false }),
  without('prompt_cache_key', refused(/prompt_cache_key/), { cacheKey: false }),
  without('text.format', refused(/json_schema|text\.format/), { schemas: false }),
  without('custom tools', refused(/\bcustom\b/i), { textTools: false }),
  without('namespaces', refused(/\bnamespace/i), { namespaces: false }),
  without('tool_search', refused(/tool_search|defer_loading/), { toolSearch: false }),
  without('programmatic_tool_calling', refused(/programmatic|allowed_callers|output_schema/), { programs: false }),
  without('prompt cache options', refused(/prompt_cache_(options|retention)/), { longCache: 'none' }),
  without('images', refused(/\bimages?\b|input_image/i), { images: false }, true),
  without('files', refused(/\bfiles?\b|input_file/i), { documents: false }, true),
]

const badSchema = /^invalid schema for|schema\b.*(too complex|not supported|unsupported)|unsupported.*\bschema/i
