import type { Remark } from '../../core/events.js'
import type { Json, JsonObject } from '../../core/json.js'
import type { ToolDefinition } from '../../core/tool-definition.js'
import { ignored, type Told } from '../told.js'
import type { ModelConfig, ModelRequest } from '../model.js'
import type { ChatCapabilities } from './capabilities.js'
import { isNativeText } from './tools.js'

/** The fields of a request that say how the model is to answer, of which the server is known to take each. */
export function chatSettings(config: ModelConfig, can: ChatCapabilities, hasTools: boolean): Told {
  const { effort, maxOutputTokens, temperature, topP, topK, seed, stop, serviceTier, parallelCalls } = config
  const samples = can.sampling === 'always' || (can.sampling === 'without effort' && effort === 'none')
  const settings: readonly Setting[] = [
    ['maxOutputTokens', maxOutputTokens, can.limit],
    ['effort', effort, can.effort, can.effort === 'reasoning' ? { effort: effort! } : effort],
    ['temperature', temperature, samples && 'temperature'],
    ['topP', topP, samples && 'top_p'],
    ['topK', topK, can.topK && 'top_k'],
    ['seed', seed, can.seed],
    ['stop', stop, can.stop && 'stop'],
    ['serviceTier', serviceTier, can.serviceTier && 'service_tier'],
    // Where nothing can be called, some refuse the field.
    ['parallelCalls', hasTools ? parallelCalls : undefined, can.parallel && 'parallel_tool_calls'],
    ['cache', config.cache === 'short' || can.cacheMarks ? undefined : config.cache, undefined],
    ['stored', config.stored || undefined, undefined],
    ['programs', config.programs || undefined, undefined],
    ['toolSearch', config.toolSearch || undefined, undefined],
  ]
  const fields: Record<string, Json> = {}
  const remarks: Remark[] = []
  for (const [name, value, field, sent = value] of settings) {
    if (value === undefined) continue
    if (field) fields[field] = sent!
    else remarks.push(ignored(name, value))
  }
  return { fields, remarks }
}

type Setting = readonly [
  name: keyof ModelConfig,
  value: Json | undefined,
  /** Where it goes; nowhere, when the server is not known to take it. */
  field: string | false | undefined,
  sent?: Json,
]

/** What the model is told of which tools it must, may and may not call. */
export function chatToolChoice(
  { toolChoice }: ModelRequest,
  tools: readonly ToolDefinition[],
  can: ChatCapabilities,
): Told {
  const told = (choice?: Json, remarks: readonly Remark[] = []): Told => ({
    fields: choice === undefined ? {} : { tool_choice: choice },
    remarks,
  })
  if (!toolChoice || tools.length === 0) return told()
  const { mode, tools: names } = toolChoice
  const emulated: Remark = { code: 'tool_choice_emulated', detail: { mode, ...(names && { tools: names }) } }
  if (can.required === undefined) return mode === 'auto' ? told() : told(undefined, [emulated])
  if (mode === 'none') return told('none')
  // A name that was not told of would be refused.
  const chosen = names
    ?.flatMap((name) => tools.find((tool) => tool.name === name) ?? [])
    .map((tool) => toNamed(tool, can))
  if (mode === 'auto') {
    if (!chosen || can.chosen !== 'some') return told()
    return told(chosen.length === 0 ? 'none' : allowed(mode, chosen))
  }
  if (!chosen) return told(can.required)
  if (chosen.length === 0) return told(undefined, [emulated])
  if (chosen.length === 1 && can.chosen !== 'nothing') return told(chosen[0])
  return can.chosen === 'some' ? told(allowed(mode, chosen)) : told(can.required, [emulated])
}

const allowed = (mode: string, tools: readonly JsonObject[]): JsonObject => ({
  type: 'allowed_tools',
  allowed_tools: { mode, tools },
})

const toNamed = (tool: ToolDefinition, can: ChatCapabilities): JsonObject => {
  const type = isNativeText(tool, can) ? 'custom' : 'function'
  return { type, [type]: { name: tool.name } }
}

/** Where it works beside tools; elsewhere the transcript has a note of it, and the answer is checked. */
export function chatAnswer({ answer }: ModelRequest, can: ChatCapabilities, hasTools: boolean): JsonObject {
  if (!answer || can.answer === 'never' || (can.answer === 'without tools' && hasTools)) return {}
  const { name, description, schema, strict } = answer
  const json_schema = {
    name,
    ...(description === undefined ? {} : { description }),
    schema,
    ...(strict === undefined ? {} : { strict }),
  }
  return { response_format: { type: 'json_schema', json_schema } }
}
