import type { Remark } from '../../core/events.js'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.js'
import type { ModelConfig, ModelRequest } from '../model.js'
import { isStrictSchema } from './answer-schema.js'
import type { AnthropicCapabilities } from './capabilities.js'

/** Tokens of a reply when the configuration does not say: the API demands a number, and thinking counts. */
export const defaultMaxTokens = 16_000

export interface Settings {
  readonly fields: JsonObject
  /** What the model is known not to take, which is left out. */
  readonly remarks: readonly Remark[]
}

/** Of a setting that is known not to be taken. */
export const ignored = (setting: string, value: Json, why: string): Remark => ({
  code: 'setting_ignored',
  detail: { setting, value, why },
})

/** The fields of a request that say how the model is asked, and not what. */
export function settingsOf(request: ModelRequest, config: ModelConfig, can: AnthropicCapabilities): Settings {
  const remarks: Remark[] = []
  const ignore: Ignore = (...what) => void remarks.push(ignored(...what))
  const output: JsonObject = { ...effortOf(config, can, ignore), ...formatOf(request, config, can, ignore) }
  const thinking = thinkingOf(config, can)
  if (config.seed !== undefined) ignore('seed', config.seed, 'the API has none')
  if (config.stored) ignore('stored', true, 'the API keeps nothing')
  const fields: JsonObject = {
    max_tokens: config.maxOutputTokens ?? defaultMaxTokens,
    ...(thinking && { thinking: { type: thinking } }),
    ...(Object.keys(output).length > 0 && { output_config: output }),
    ...samplingOf(config, can, ignore),
    ...stopOf(config, ignore),
    ...(config.serviceTier !== undefined && { service_tier: config.serviceTier }),
  }
  return { fields, remarks }
}

type Ignore = (...what: Parameters<typeof ignored>) => void

function thinkingOf({ effort }: ModelConfig, can: AnthropicCapabilities): string | undefined {
  if (effort === undefined) return undefined
  if (effort === 'none') return can.thinkingOff
  return can.adaptive && can.efforts.includes(effort) ? 'adaptive' : undefined
}

function effortOf({ effort }: ModelConfig, can: AnthropicCapabilities, ignore: Ignore): JsonObject {
  if (effort === undefined || (effort === 'none' && can.thinkingOff)) return {}
  if (can.efforts.includes(effort)) return { effort }
  const taken = [...(can.thinkingOff ? ['none'] : []), ...can.efforts]
  ignore('effort', effort, `the model takes ${taken.join(', ') || 'no effort'}`)
  return {}
}

/** The native format is always held to, so it is only asked for when the schema is one that it can be held to. */
function formatOf(
  { answer }: ModelRequest,
  config: ModelConfig,
  can: AnthropicCapabilities,
  ignore: Ignore,
): JsonObject {
  if (!answer || answer.strict === false) return {}
  const cites = config.hostedTools?.some(({ tool }) => isJsonObject(tool.citations) && tool.citations.enabled === true)
  const why = !can.answer
    ? 'the model takes no schema'
    : cites
      ? 'a hosted tool has citations, which the API takes only without a schema'
      : answer.strict || isStrictSchema(answer.schema)
        ? undefined
        : 'the API cannot hold the model to this schema'
  if (why === undefined) return { format: { type: 'json_schema', schema: answer.schema } }
  ignore('answer', answer.name, why)
  return {}
}

const versionWithoutSampling = '2026-10-21'

function samplingOf(config: ModelConfig, can: AnthropicCapabilities, ignore: Ignore): JsonObject {
  const { temperature, topP, topK, headers = {} } = config
  const version = Object.entries(headers).find(([name]) => name.toLowerCase() === 'anthropic-version')?.[1]
  const why = !can.sampling
    ? 'the model takes none'
    : version === undefined || version >= versionWithoutSampling
      ? `version ${version ?? versionWithoutSampling} of the API has none`
      : undefined
  const given = Object.entries({ temperature, topP, topK }).filter(([, value]) => value !== undefined)
  if (why === undefined)
    return Object.fromEntries(given.map(([name, value]) => [wireNames[name as keyof typeof wireNames], value!]))
  for (const [name, value] of given) ignore(name, value!, why)
  return {}
}

const wireNames = { temperature: 'temperature', topP: 'top_p', topK: 'top_k' } as const

function stopOf({ stop }: ModelConfig, ignore: Ignore): JsonObject {
  const sequences = stop?.filter((text) => text.trim() !== '') ?? []
  if (sequences.length < (stop?.length ?? 0)) ignore('stop', stop ?? [], 'the API takes no blank text')
  return sequences.length > 0 ? { stop_sequences: sequences } : {}
}
