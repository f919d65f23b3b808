import { amendmentOf, refused, type Amendment } from '../resend.js'
import type { ChatCapabilities } from './capabilities.js'

type One = Amendment<ChatCapabilities>

const without = amendmentOf<ChatCapabilities>()

const says =
  (words: RegExp): One['isRefused'] =>
  ({ message }) =>
    words.test(message)

/** What a server may refuse though its row has it, or where it has none. The first that changes the request is tried. */
export const chatAmendments: readonly One[] = [
  without('stream_options', refused(/stream_options/), { streamOptions: false }),
  without('max_tokens', refused(/\bmax_tokens\b/), { limit: 'max_completion_tokens' }),
  without('max_completion_tokens', refused(/max_completion_tokens/), { limit: 'max_tokens' }),
  without('prompt_cache_key', refused(/prompt_cache_key/), { cacheKey: false }),
  without('cache_control', refused(/cache_control/), { cacheMarks: false }),
  without('allowed_tools', refused(/allowed_tools/), { chosen: 'one' }),
  without('tool_choice', refused(/tool[_ ]choice/i), { required: undefined, chosen: 'nothing' }),
  without('parallel_tool_calls', refused(/parallel/i), { parallel: false }),
  without('custom tools', refused(/\bcustom\b/i), { textTools: false }),
  without('response_format', refused(/response_format|json_schema|json mode|structured output/i), { answer: 'never' }),
  without('strict', (facts) => refused(/\bstrict\b/)(facts) || badSchema(facts), { strict: false }),
  without('reasoning of the history', refused(/reasoning_(content|details)|\bmessages?\b.*\breasoning\b/i), {
    returned: [],
    demanded: undefined,
  }),
  without('reasoning effort', refused(/reasoning|\bthink(ing)?\b|\beffort\b/i), { effort: undefined }),
  without('temperature, top_p', refused(/\btemperature\b|\btop_p\b/i), { sampling: 'never' }),
  without('top_k', refused(/\btop_k\b/i), { topK: false }),
  without('seed', refused(/\b(random_)?seed\b/i), { seed: undefined }),
  without('stop', refused(/\bstop\b/), { stop: false }),
  without('service_tier', refused(/service_tier/), { serviceTier: false }),
  without('instructions in mid-conversation', says(/\bsystem\b.*\b(message|role)|\brole\b.*\bsystem\b/i), {
    lateInstructions: false,
  }),
  without('a user right after a result', says(/\buser\b.* after .*\btool\b|roles? must alternate/i), {
    userAfterResult: false,
  }),
  without('long ids', says(/tool[_ ]call.*\bid\b.*(a-z|length of 9)/i), { shortIds: true }),
  // Of one file, it may be, that is none of those that the model knows.
  without('images', refused(/\bimages?\b|image_url|vision|multimodal/i), { images: 'none' }, true),
  without('audio', refused(/audio/i), { audio: false }, true),
  without('video', refused(/video/i), { video: false }, true),
  without('files', refused(/\bfiles?\b|\bpdf\b|document/i), { files: undefined }, true),
]

const badSchema = says(
  /invalid[ _](json[ _])?schema|schema\b.*(complex|not supported|unsupported)|unsupported.*\bschema/i,
)
