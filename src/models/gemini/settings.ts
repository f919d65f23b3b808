import type { Remark } from '../../core/events.js'
import type { Json, JsonObject } from '../../core/json.js'
import type { ToolDefinition } from '../../core/tool-definition.js'
import type { Effort, ModelConfig, ModelRequest } from '../model.js'
import { ignored, type Told } from '../told.js'
import type { GeminiCapabilities } from './capabilities.js'
import { geminiName } from './names.js'
import { toGeminiSchema } from './schema.js'

/** The generation config, and what of the settings has no place in it. */
export function geminiSettings(config: ModelConfig, can: GeminiCapabilities): Told {
  const { temperature, topP, topK, seed, stop, maxOutputTokens, cache, parallelCalls } = config
  const thinking = thinkingConfig(config.effort, can)
  const settings = {
    temperature,
    topP,
    topK,
    seed,
    stopSequences: stop,
    maxOutputTokens,
    thinkingConfig: thinking?.sent,
  }
  const unknown: Partial<Record<keyof ModelConfig, Json | undefined>> = {
    effort: thinking && thinking.isExact === false ? config.effort : undefined,
    parallelCalls: parallelCalls === false ? parallelCalls : undefined,
    cache: cache === 'short' ? undefined : cache,
    stored: config.stored || undefined,
    programs: config.programs || undefined,
    toolSearch: config.toolSearch || undefined,
  }
  return {
    fields: Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as JsonObject,
    remarks: Object.entries(unknown).flatMap(([name, value]) => (value === undefined ? [] : [ignored(name, value)])),
  }
}

interface Thinking {
  readonly sent?: JsonObject
  /** False: it is the nearest that the model takes. */
  readonly isExact: boolean
}

const levels = ['minimal', 'low', 'medium', 'high', 'xhigh'] as const
/** Google's own numbers for its endpoint that takes efforts. */
const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1024,
  low: 1024,
  medium: 8192,
  high: 24_576,
  xhigh: Infinity,
  max: Infinity,
}

function thinkingConfig(effort: Effort | undefined, can: GeminiCapabilities): Thinking | undefined {
  if (effort === undefined) return undefined
  if (can.thinking === 'nothing') return { isExact: effort === 'none' }
  if (can.thinking === 'budget') {
    const thinkingBudget = Math.min(Math.max(budgets[effort], Number(can.least)), can.most)
    return { sent: { thinkingBudget }, isExact: effort !== 'none' || thinkingBudget === 0 }
  }
  const asked = effort === 'none' ? 'minimal' : effort === 'max' ? 'xhigh' : effort
  const level = asked === 'minimal' && can.least === 'low' ? 'low' : asked
  return {
    sent: { thinkingLevel: level.toUpperCase() },
    isExact: levels.some((one) => one === effort) && level === asked,
  }
}

/** How the functions of a request may be called. */
export function geminiToolChoice(
  { toolChoice }: ModelRequest,
  functions: readonly ToolDefinition[],
  can: GeminiCapabilities,
): Told {
  const { mode = 'auto', tools: names } = toolChoice ?? {}
  const told = (word?: string, remarks: readonly Remark[] = [], chosen = names): Told => {
    if (word === undefined) return { fields: {}, remarks }
    const allowed: JsonObject = chosen && word !== 'NONE' ? { allowedFunctionNames: offered(chosen) } : {}
    return { fields: { functionCallingConfig: { mode: word, ...allowed } }, remarks }
  }
  // A name that the request does not declare is refused.
  const offered = (some: readonly string[]) =>
    some.filter((name) => functions.some((tool) => tool.name === name)).map(geminiName)
  const emulated: Remark = { code: 'tool_choice_emulated', detail: { mode, ...(names && { tools: names }) } }
  const isEmpty = functions.length === 0 || (names !== undefined && offered(names).length === 0)
  if (mode === 'required') return isEmpty ? told(undefined, [emulated]) : told('ANY')
  if (functions.length === 0) return told()
  if (mode === 'none' || isEmpty) return told('NONE')
  const strict = functions.filter((tool) => tool.strict).map(({ name }) => name)
  if (names === undefined && strict.length === 0) return told()
  if (can.validated) return told('VALIDATED')
  return told(undefined, strict.length > 0 ? [ignored('strict', strict)] : [])
}

/** Where it works beside tools; elsewhere the transcript has a note of it, and the answer is checked. */
export function geminiAnswer({ answer }: ModelRequest, can: GeminiCapabilities, hasTools: boolean): JsonObject {
  if (!answer || (hasTools && !can.answerWithTools)) return {}
  return { responseMimeType: 'application/json', responseJsonSchema: toGeminiSchema(answer.schema) }
}
