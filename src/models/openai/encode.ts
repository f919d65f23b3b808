import type { OpenAI } from 'openai'
import type { Remark } from '../../core/events.js'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.js'
import type { AnswerFormat } from '../../core/tool-definition.js'
import type { Message } from '../../core/transcript.js'
import { withExtra } from '../extra.js'
import { isOwn, withClosedHistory } from '../history.js'
import type { ModelConfig, ModelRequest } from '../model.js'
import { openAICapabilities, type OpenAICapabilities } from './capabilities.js'
import { toChoice } from './choice.js'
import { conversationIn, isStored } from './conversation.js'
import { toItems, type Items } from './items.js'
import { settingsOf } from './settings.js'
import { toTools } from './tools.js'

type Body = OpenAI.Responses.ResponseCreateParamsStreaming

/** What only we may fill in: the conversation and how it is delivered. */
const ours = ['model', 'stream', 'store', 'input', 'instructions', 'tools', 'previous_response_id']

/**
 * The body of a request to the Responses API. Unless `stored` is set, nothing is kept there: all of the transcript is sent every
 * time. With it only what is new is, as long as the last turn is the model's own and still kept.
 * @throws {HandrailError} `model_bad_request` for a hosted tool that
 * is none, and for an `extra` field that is not the app's to fill in.
 */
export function encodeOpenAI(
  given: ModelRequest,
  config: ModelConfig,
  can: OpenAICapabilities = openAICapabilities(config.model),
): Body {
  const request = withClosedHistory(given)
  const { instructions, cacheKey, toolChoice, answer, messages } = request
  const tools = toTools(request, config, can)
  const items = toItems(messages, config, tools, can)
  const kept = isStored(config) && can.stored ? keptBy(messages, items, config) : undefined
  const input = items.items.slice(kept?.until ?? 0).flat()
  const { tool_choice } = toChoice(toolChoice, tools, config, can)
  const { fields } = settingsOf(config, cacheKey, can)
  return withExtra<Body>(
    {
      model: config.model,
      stream: true,
      store: isStored(config),
      input: input as unknown as Body['input'],
      ...fields,
      ...(kept?.previous && { previous_response_id: kept.previous }),
      // Not inherited from the response before.
      ...(instructions.trim() !== '' && { instructions }),
      ...(tools.tools.length > 0 && {
        tools: [...tools.tools],
        ...(can.parallelCalls && { parallel_tool_calls: config.parallelCalls ?? true }),
        ...(tool_choice !== undefined && { tool_choice }),
      }),
      ...(answer && can.schemas && { text: { format: toFormat(answer, can) } }),
    },
    withIncluded(config, fields.include ?? []),
    ours,
  )
}

/** What the app wants to have included comes beside what we need. */
function withIncluded(config: ModelConfig, needed: readonly string[]): ModelConfig {
  const { extra } = config
  if (!Array.isArray(extra?.include)) return config
  const include = [...new Set<Json>([...needed, ...(extra.include as readonly Json[])])]
  return { ...config, extra: { ...extra, include } }
}

/** What of a request the model does not take. */
export function remarksOnOpenAI(
  request: ModelRequest,
  config: ModelConfig,
  can: OpenAICapabilities = openAICapabilities(config.model),
): readonly Remark[] {
  const { remarks } = settingsOf(config, request.cacheKey, can)
  const { remark } = toChoice(request.toolChoice, toTools(request, config, can), config, can)
  return remark ? [...remarks, remark] : remarks
}

const toFormat = ({ name, description, schema, strict }: AnswerFormat, can: OpenAICapabilities) => ({
  type: 'json_schema' as const,
  name,
  schema: { ...schema },
  ...(description !== undefined && { description }),
  ...(strict !== undefined && { strict: strict && can.strict }),
})

/** How much of the history the provider has, and the name by which it knows it. */
function keptBy(
  messages: readonly Message[],
  items: Items,
  config: ModelConfig,
): { readonly until: number; readonly previous?: string } | undefined {
  const at = messages.findLastIndex(({ role }) => role === 'assistant')
  const last = messages[at]
  if (last?.role !== 'assistant' || !isOwn(last.origin, config) || !items.keepsIds(last)) return undefined
  const { responseId, conversation }: JsonObject = isJsonObject(last.serverState) ? last.serverState : {}
  // A conversation of the provider's, which the app named, is known by itself.
  const named = conversationIn(config.extra)
  if (named !== undefined) return conversation === named ? { until: at + 1 } : undefined
  return typeof responseId === 'string' ? { until: at + 1, previous: responseId } : undefined
}
