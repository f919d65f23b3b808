import type { Json, JsonObject } from '../../src/core/json.js'
import type { ToolChoice, ToolDefinition } from '../../src/core/tool-definition.js'
import type { Effort, ModelConfig } from '../../src/models/model.js'
import { importContents } from '../models/gemini-canonical.js'
import { camel } from '../models/gemini-recordings.js'
import { fromOpenApi } from '../models/gemini-schemas.js'
import { listOf, record, textOf } from '../models/recorded-json.js'
import { requestOf, textIn, type Imported, type RecordedRequest } from './import-pieces.js'

export function importGemini({ request, url }: RecordedRequest): Imported {
  const body = record(camel(request))
  const { contents, systemInstruction, tools, toolConfig, generationConfig, serviceTier, ...rest } = body
  const { functionCallingConfig, includeServerSideToolInvocations: shows, ...more } = record(toolConfig)
  const { options, answer, extra } = settingsOf(record(generationConfig), /gemini-2\.5/.test(url))
  const hosted = listOf(tools).flatMap((tool) =>
    Object.entries(tool).flatMap(([name, value]) =>
      name === 'functionDeclarations' ? [] : [{ tool: { [name]: value }, risk: 'read' as const }],
    ),
  )
  const declared = listOf(tools).flatMap(({ functionDeclarations }) => listOf(functionDeclarations))
  const { mode, allowedFunctionNames, ...calling } = record(functionCallingConfig)
  const isValidated = mode === 'VALIDATED'
  // How tools of Google are called we have no word for.
  const untold: JsonObject = declared.length === 0 ? record(functionCallingConfig) : calling
  // Between functions and tools of Google it is sent anyway.
  const shown: JsonObject =
    shows && (declared.length === 0 || hosted.length === 0) ? { includeServerSideToolInvocations: shows } : {}
  const config: ModelConfig = {
    provider: 'gemini',
    model: /models\/([^/:]+):/.exec(url)?.[1] ?? '',
    baseURL: url.replace(/\/models\/.*/, ''),
    ...options,
    ...(serviceTier ? { serviceTier: textOf(serviceTier) } : {}),
    ...(hosted.length > 0 ? { hostedTools: hosted } : {}),
    extra: filled({
      ...rest,
      generationConfig: extra,
      toolConfig: filled({ ...more, ...shown, functionCallingConfig: untold }),
    }),
  }
  const { messages, unsupported } = importContents(listOf(contents), config)
  const choice =
    declared.length === 0
      ? undefined
      : toolChoiceOf({ mode: mode ?? null, allowedFunctionNames: allowedFunctionNames ?? null })
  return {
    request: {
      ...requestOf(
        textIn(record(systemInstruction).parts, new Set()),
        declared.map((one) => ({ ...toTool(one), ...(isValidated && !choice ? { strict: true } : {}) })),
        messages,
      ),
      ...(choice ? { toolChoice: choice } : {}),
      ...(answer ? { answer: { name: 'answer', schema: answer } } : {}),
    },
    config,
    missing: unsupported,
  }
}

const filled = (extra: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(extra).filter(([, value]) => JSON.stringify(value) !== '{}'))

const efforts: readonly (readonly [Json, Effort])[] = [
  [0, 'none'],
  [1024, 'low'],
  [8192, 'medium'],
  [24_576, 'high'],
  ['MINIMAL', 'minimal'],
  ['LOW', 'low'],
  ['MEDIUM', 'medium'],
  ['HIGH', 'high'],
  ['XHIGH', 'xhigh'],
]

/** @param hasBudget whether the model is told a number of tokens; of others one has no word. */
function settingsOf(
  given: JsonObject,
  hasBudget: boolean,
): {
  readonly options: Partial<ModelConfig>
  readonly answer?: JsonObject
  readonly extra: JsonObject
} {
  const { temperature, topP, topK, seed, stopSequences, maxOutputTokens, thinkingConfig = {}, ...rest } = given
  const { responseMimeType, responseJsonSchema, responseSchema, responseModalities, ...others } = rest
  const { thinkingBudget, thinkingLevel, ...thoughts } = record(thinkingConfig)
  const amount = thinkingBudget ?? (textOf(thinkingLevel).toUpperCase() || undefined)
  const isWord = (typeof amount === 'number') === hasBudget
  const effort = isWord ? efforts.find(([value]) => value === amount)?.[1] : undefined
  const odd = amount !== undefined && effort === undefined ? { thinkingConfig } : {}
  const settings = { temperature, topP, topK, seed, stop: stopSequences, maxOutputTokens, effort }
  const known = Object.entries(settings).filter(([, value]) => value !== undefined && value !== null)
  const schema = responseJsonSchema ?? (responseSchema && fromOpenApi(responseSchema))
  const isTextOnly = JSON.stringify(responseModalities ?? ['TEXT']) === '["TEXT"]'
  return {
    options: Object.fromEntries(known) as Partial<ModelConfig>,
    ...(schema ? { answer: record(schema) } : {}),
    extra: {
      ...others,
      ...(Object.keys(thoughts).length > 0 ? { thinkingConfig: thoughts } : {}),
      ...odd,
      ...(isTextOnly ? {} : { responseModalities: responseModalities! }),
      ...(responseMimeType && (!schema || responseMimeType !== 'application/json') ? { responseMimeType } : {}),
    },
  }
}

const toTool = ({ name, description, parameters, parametersJsonSchema }: JsonObject): ToolDefinition => ({
  name: textOf(name),
  description: textOf(description),
  input: record(parametersJsonSchema ?? fromOpenApi(parameters ?? { type: 'OBJECT' })),
  risk: 'read',
})

function toolChoiceOf({ mode, allowedFunctionNames: names }: JsonObject): ToolChoice | undefined {
  const tools = Array.isArray(names) ? { tools: names as string[] } : {}
  if (mode === 'NONE') return { mode: 'none' }
  if (mode === 'ANY') return { mode: 'required', ...tools }
  return mode === 'VALIDATED' && 'tools' in tools ? { mode: 'auto', ...tools } : undefined
}
