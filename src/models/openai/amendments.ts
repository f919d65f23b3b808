import type { ModelConfig } from '../model.js'
import { refused, type Amendment } from '../resend.js'
import type { OpenAICapabilities } from './capabilities.js'

type One = Amendment<OpenAICapabilities>

const without = (
  what: string,
  lost: Partial<OpenAICapabilities>,
  isRefused: One['isRefused'],
  isPassing = false,
): One => ({
  what,
  isRefused,
  without: (can) => ({ ...can, ...lost }),
  isPassing,
})

/** What a server may refuse though the table has it, or has no row for its model. */
export const openAIAmendments = ({ effort }: ModelConfig): readonly One[] => [
  // Kept for thirty days, and not at all where the organisation forbids it.
  without(
    'previous_response_id',
    { stored: false },
    ({ code, message }) =>
      code === 'previous_response_not_found' || /previous[ _]response.*(not found|zero data retention)/i.test(message),
    true,
  ),
  without('previous_response_id', { stored: false }, refused(/previous_response_id/)),
  without(
    'reasoning',
    { reasoningBack: false },
    ({ message }) => /without its required|encrypted content .*(could not|cannot|not be)/i.test(message),
    true,
  ),
  without('sampling', { sampling: 'never' }, refused(/\b(temperature|top_p)\b/)),
  {
    what: 'reasoning.effort',
    isRefused: refused(/reasoning[._ ]effort/i),
    without: (can) => ({ ...can, efforts: can.efforts.filter((one) => one !== effort) }),
  },
  without('include', { reasoning: false }, refused(/encrypted[_ ]content|\binclude\b/i)),
  without('allowed_tools', { allowedTools: false }, refused(/allowed_tools/)),
  without('tool_choice', { forcedChoice: false, allowedTools: false }, refused(/tool_choice/)),
  without(
    'strict',
    { strict: false },
    (facts) =>
      facts.code === 'invalid_function_parameters' || badSchema.test(facts.message) || refused(/\bstrict\b/)(facts),
  ),
  without('parallel_tool_calls', { parallelCalls: false }, refused(/parallel_tool_calls/)),
  without('prompt_cache_key', { cacheKey: false }, refused(/prompt_cache_key/)),
  without('text.format', { schemas: false }, refused(/json_schema|text\.format/)),
  without('custom tools', { textTools: false }, refused(/\bcustom\b/i)),
  without('namespaces', { namespaces: false }, refused(/\bnamespace/i)),
  without('tool_search', { toolSearch: false }, refused(/tool_search|defer_loading/)),
  without('programmatic_tool_calling', { programs: false }, refused(/programmatic|allowed_callers|output_schema/)),
  without('prompt cache options', { longCache: 'none' }, refused(/prompt_cache_(options|retention)/)),
  without('images', { images: false }, refused(/\bimages?\b|input_image/i), true),
  without('files', { documents: false }, refused(/\bfiles?\b|input_file/i), true),
]

const badSchema = /^invalid schema for|schema\b.*(too complex|not supported|unsupported)|unsupported.*\bschema/i
