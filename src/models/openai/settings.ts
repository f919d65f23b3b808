import type { OpenAI } from 'openai'
import type { Remark } from '../../core/events.js'
import type { Json } from '../../core/json.js'
import type { ModelConfig } from '../model.js'
import { ignored } from '../told.js'
import type { OpenAICapabilities } from './capabilities.js'

type Fields = Partial<OpenAI.Responses.ResponseCreateParamsStreaming>

/** The longest cache key that the API takes. */
const cacheKeyCharacters = 64

/** The fields of a request that come from options, and what of these the model does not take. */
export function settingsOf(
  config: ModelConfig,
  cacheKey: string,
  can: OpenAICapabilities,
): { readonly fields: Fields; readonly remarks: readonly Remark[] } {
  const remarks: Remark[] = []
  const ignore = (setting: keyof ModelConfig) => void remarks.push(ignored(setting, config[setting] as Json))
  const taken = <Key extends keyof ModelConfig>(setting: Key, isTaken: boolean): ModelConfig[Key] | undefined => {
    if (config[setting] !== undefined && !isTaken) ignore(setting)
    return isTaken ? config[setting] : undefined
  }
  const effort = taken('effort', config.effort !== undefined && can.efforts.includes(config.effort))
  const thinks = effort === undefined ? can.thinksUnasked : effort !== 'none'
  const samples = can.sampling === 'always' || (can.sampling === 'unthinking' && !thinks)
  const temperature = taken('temperature', samples)
  const topP = taken('topP', samples)
  for (const setting of ['topK', 'seed', 'stop'] as const) taken(setting, false)
  if (config.programs && !can.programs) ignore('programs')
  if (config.toolSearch && !can.toolSearch) ignore('toolSearch')
  if (config.parallelCalls === false && !can.parallelCalls) ignore('parallelCalls')
  const { cache, serviceTier, maxOutputTokens } = config
  const longFields = longCache[can.longCache]
  if (cache === 'off' && can.longCache !== 'options') ignore('cache')
  if (cache === 'long' && !longFields) ignore('cache')
  const fields: Fields = {
    ...(cache !== 'off' && can.cacheKey && { prompt_cache_key: cacheKey.slice(-cacheKeyCharacters) }),
    // Without marks nothing is written to the cache, for which these models charge.
    ...(cache === 'off' && can.longCache === 'options' && { prompt_cache_options: { mode: 'explicit' } }),
    ...(cache === 'long' && longFields),
    ...(can.reasoning && { include: ['reasoning.encrypted_content'] }),
    ...(effort !== undefined && { reasoning: { effort } }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(serviceTier !== undefined && { service_tier: serviceTier as Fields['service_tier'] }),
  }
  return { fields, remarks }
}

const longCache: Readonly<Record<OpenAICapabilities['longCache'], Fields | undefined>> = {
  options: { prompt_cache_options: { ttl: '12h' } },
  retention: { prompt_cache_retention: '24h' },
  none: undefined,
}
