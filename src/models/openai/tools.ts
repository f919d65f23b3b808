import type { OpenAI } from 'openai'
import type { JsonObject } from '../../core/json.js'
import { isTextTool, type ToolDefinition } from '../../core/tool-definition.js'
import { spacedName } from '../../core/tool-space.js'
import { legalName } from '../history.js'
import type { ModelConfig, ModelRequest } from '../model.js'
import { isForModel, isForPrograms, offeredTools } from '../offered.js'
import { toRootSchema } from '../root-schema.js'
import { textToolSchema } from '../text-tool.js'
import type { OpenAICapabilities } from './capabilities.js'
import { toHostedTools } from './hosted.js'

type Tool = OpenAI.Responses.Tool

/** How a tool is named on the wire. */
export interface WireName {
  readonly type: 'function' | 'custom'
  readonly name: string
  readonly namespace?: string
}

/** The tools of a request as the API takes them. */
export interface WireTools {
  readonly tools: readonly Tool[]
  readonly runsPrograms: boolean
  /** What the model is offered, by our name. */
  readonly offered: ReadonlyMap<string, OfferedTool>
  /** The definitions of deferred tools that the model is told of in the middle. */
  added(names: readonly string[]): JsonObject[]
}
export interface OfferedTool extends WireName {
  readonly definition: ToolDefinition
  readonly isDeferred: boolean
  /** The model is told of it by the result that names it. */
  readonly isAdded: boolean
  readonly isForPrograms: boolean
}

export function toTools(request: ModelRequest, config: ModelConfig, can: OpenAICapabilities): WireTools {
  const { told, searched } = offeredTools(request, config, can.toolSearch)
  const hosted = toHostedTools(config)
  const isProgram = (tool: JsonObject) => tool.type === 'programmatic_tool_calling'
  const wants = (config.programs === true && can.programs) || hosted.some(isProgram)
  const runsPrograms = wants && (told.some(isForPrograms) || hosted.some(isForHostedPrograms))
  const tells = can.addedTools && searched.length === 0 && told.some(({ returnsTools }) => returnsTools)
  const isAdded = (tool: ToolDefinition) => tells && tool.deferred === true
  const all = request.tools.filter((tool) => told.includes(tool) || searched.includes(tool))
  const mine = all.filter((tool) => isForModel(tool) || (runsPrograms && isForPrograms(tool)))
  const spaces = can.namespaces ? spacesOf(mine) : new Map<string, string>()
  const offered = new Map(
    mine.map((definition): [string, OfferedTool] => [
      definition.name,
      {
        ...wireName(definition, spaces, can),
        definition,
        isDeferred: searched.includes(definition),
        isAdded: isAdded(definition),
        isForPrograms: runsPrograms && isForPrograms(definition),
      },
    ]),
  )
  const isSearch = (tool: JsonObject) => tool.type === 'tool_search'
  const needsSearch = searched.length > 0 || hosted.some((tool) => tool.defer_loading === true)
  const named = [...offered.values()].filter((tool) => !tool.isAdded)
  const tools = [
    ...(runsPrograms && !hosted.some(isProgram) ? [{ type: 'programmatic_tool_calling' }] : []),
    ...(needsSearch && !hosted.some(isSearch) ? [{ type: 'tool_search' }] : []),
    ...hosted.filter((tool) => !isProgram(tool) || runsPrograms),
    ...grouped(named, spaces, can),
  ]
  return {
    tools: tools as unknown as Tool[],
    runsPrograms,
    offered,
    added: (names) =>
      grouped(
        names.flatMap((name) => inFull(offered.get(name))),
        spaces,
        can,
      ),
  }
}

const inFull = (tool: OfferedTool | undefined): OfferedTool[] =>
  tool && (tool.isDeferred || tool.isAdded) ? [{ ...tool, isDeferred: false }] : []

/** How a call of a tool is named, also of one that is not offered any more or never was. */
export const wireNameOf = (toolName: string, { offered }: WireTools): WireName =>
  offered.get(toolName) ?? { type: 'function', name: legalName(toolName) }

const isForHostedPrograms = ({ allowed_callers }: JsonObject): boolean =>
  Array.isArray(allowed_callers) && allowed_callers.includes('programmatic')

/** The namespaces that say what they are for: the API demands that. */
const spacesOf = (tools: readonly ToolDefinition[]): ReadonlyMap<string, string> =>
  new Map(
    tools.flatMap(({ name, namespace }): [string, string][] => {
      const spaced = spacedName(name)
      return spaced && namespace?.trim() ? [[spaced.space, namespace]] : []
    }),
  )

function wireName(
  tool: ToolDefinition,
  spaces: ReadonlyMap<string, string>,
  { textTools }: OpenAICapabilities,
): WireName {
  const type = textTools && isTextTool(tool) ? 'custom' : 'function'
  const spaced = spacedName(tool.name)
  return spaced && spaces.has(spaced.space)
    ? { type, name: spaced.name, namespace: spaced.space }
    : { type, name: tool.name }
}

/** A namespace stands where the first of its tools does. */
function grouped(
  offered: readonly OfferedTool[],
  spaces: ReadonlyMap<string, string>,
  can: OpenAICapabilities,
): JsonObject[] {
  const toTool = (tool: OfferedTool) => definitionOf(tool, can)
  const done = new Set<string>()
  return offered.flatMap((tool): JsonObject[] => {
    const { namespace } = tool
    if (namespace === undefined) return [toTool(tool)]
    if (done.has(namespace)) return []
    done.add(namespace)
    const tools = offered.filter((other) => other.namespace === namespace).map(toTool)
    return [{ type: 'namespace', name: namespace, description: spaces.get(namespace)!, tools }]
  })
}

function definitionOf(
  { type, name, definition, isDeferred, isForPrograms: isProgrammatic }: OfferedTool,
  can: OpenAICapabilities,
): JsonObject {
  const { description, input, output, grammar, strict } = definition
  const callers: JsonObject = isProgrammatic
    ? { allowed_callers: isForModel(definition) ? ['direct', 'programmatic'] : ['programmatic'] }
    : {}
  const more: JsonObject = { ...callers, ...(isDeferred && { defer_loading: true }) }
  if (type === 'custom') {
    const format: JsonObject = grammar ? { format: { type: 'grammar', ...grammar } } : {}
    return { type, name, description, ...format, ...more }
  }
  const schema = isTextTool(definition) ? textToolSchema(definition) : toRootSchema(input)
  return {
    type,
    name,
    description,
    parameters: { ...schema },
    // Without it the API makes the schema strict where it can.
    strict: can.strict && strict === true,
    ...(isProgrammatic && output && { output_schema: { ...output } }),
    ...more,
  }
}
