import type { Remark } from '../../core/events.js'
import type { JsonObject } from '../../core/json.js'
import { isTextTool, type ToolDefinition } from '../../core/tool-definition.js'
import { withExtra } from '../extra.js'
import { withClosedHistory } from '../history.js'
import { hostedTools } from '../hosted-tools.js'
import type { ModelConfig, ModelRequest } from '../model.js'
import { offeredTools } from '../offered.js'
import { toRootSchema } from '../root-schema.js'
import { textToolSchema } from '../text-tool.js'
import { ignored } from '../told.js'
import { geminiCapabilities, type GeminiWay } from './capabilities.js'
import { toContents, type Content } from './contents.js'
import { geminiName } from './names.js'
import { toGeminiSchema } from './schema.js'
import { geminiAnswer, geminiSettings, geminiToolChoice } from './settings.js'

/** The body of a request, as it is on the wire: the SDK's own types leave out parts that it does not know. */
export interface GeminiBody {
  readonly contents: readonly Content[]
  readonly systemInstruction?: { readonly parts: readonly JsonObject[] }
  readonly tools?: readonly JsonObject[]
  readonly toolConfig?: JsonObject
  readonly generationConfig?: JsonObject
  readonly serviceTier?: string
}

interface GeminiRequest {
  readonly body: GeminiBody
  /** What of the settings is not in it. */
  readonly remarks: readonly Remark[]
}

/** Fields that only we may fill in. */
const ours = ['contents', 'systemInstruction', 'tools', 'model', 'continuationToken']

/**
 * A `generateContent` request, with nothing in it that the model is known not to take.
 * @throws {HandrailError} `model_bad_request` when `extra` has a field
 * that is ours, or when a hosted tool is to be asked about.
 */
export function toGeminiRequest(
  given: ModelRequest,
  config: ModelConfig,
  can: GeminiWay = geminiCapabilities(config),
): GeminiRequest {
  const request = withClosedHistory(given)
  const { instructions, messages } = request
  const { told } = offeredTools(request, { ...config, programs: false }, false)
  const hosted = hostedTools(config)
  // Functions are what the app is about: where only one of the two may be, they are.
  const kept = told.length > 0 && !can.mixed ? [] : hosted
  const dropped = hosted.slice(kept.length)
  // With what is cached its instructions and tools are, too, and may not be said again.
  const isCached = config.extra?.cachedContent !== undefined
  const hasTools = told.length + kept.length > 0
  const choice = geminiToolChoice(request, isCached ? [] : told, can)
  const settings = geminiSettings(config, can)
  const isMixed = told.length > 0 && kept.length > 0 && can.invocations && !isCached
  const toolConfig = { ...choice.fields, ...(isMixed ? { includeServerSideToolInvocations: true } : {}) }
  const generationConfig = { ...settings.fields, ...geminiAnswer(request, can, hasTools) }
  const functions = told.length === 0 ? [] : [{ functionDeclarations: told.map(toDeclaration) }]
  const body: GeminiBody = {
    contents: toContents(messages, config, can),
    ...(instructions.trim() === '' || isCached ? {} : { systemInstruction: { parts: [{ text: instructions }] } }),
    ...(hasTools && !isCached ? { tools: [...kept, ...functions] } : {}),
    ...(Object.keys(toolConfig).length === 0 ? {} : { toolConfig }),
    ...(Object.keys(generationConfig).length === 0 ? {} : { generationConfig }),
    ...(config.serviceTier === undefined ? {} : { serviceTier: config.serviceTier }),
  }
  return {
    body: withExtra(body, config, ours),
    remarks: [...settings.remarks, ...(dropped.length > 0 ? [ignored('hostedTools', dropped)] : []), ...choice.remarks],
  }
}

/** The body alone; throws as `toGeminiRequest` does. */
export const encodeGemini = (
  request: ModelRequest,
  config: ModelConfig,
  can: GeminiWay = geminiCapabilities(config),
): GeminiBody => toGeminiRequest(request, config, can).body

const toDeclaration = (tool: ToolDefinition): JsonObject => ({
  name: geminiName(tool.name),
  description: tool.description,
  parametersJsonSchema: isTextTool(tool) ? textToolSchema(tool) : toGeminiSchema(toRootSchema(tool.input)),
})
