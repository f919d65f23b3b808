import type { Remark } from '../../core/events.js'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.js'
import { isTextTool, type ToolDefinition } from '../../core/tool-definition.js'
import { hostedTools } from '../hosted-tools.js'
import type { ModelConfig, ModelRequest } from '../model.js'
import { isForModel, isForPrograms, offeredTools } from '../offered.js'
import { toRootSchema } from '../root-schema.js'
import { textToolSchema } from '../text-tool.js'
import { isRecursive } from './answer-schema.js'
import type { AnthropicCapabilities } from './capabilities.js'
import { ignored } from './settings.js'
import type { Way } from './way.js'

export interface WireTools {
  readonly tools: readonly JsonObject[]
  /** Names of those that the model has to search for, or be told of. */
  readonly deferred: ReadonlySet<string>
  readonly toolChoice?: JsonObject
  readonly remarks: readonly Remark[]
}

const codeExecution: JsonObject = { type: 'code_execution_20260120', name: 'code_execution' }
const toolSearch: JsonObject = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }

/**
 * The tools of a request and what the model must make of them. Those that it has to search for come last, since these may be
 * appended in the middle of a conversation.
 * @param mark goes on the last tool that is told in full
 */
export function toolsOf(request: ModelRequest, config: ModelConfig, { can, strict }: Way, mark: JsonObject): WireTools {
  const remarks: Remark[] = []
  const hosted = hostedTools(config)
  const runner = runnerOf(hosted, config, can)
  if (config.programs && !runner) remarks.push(ignored('programs', true, 'the model runs none'))
  const searches = config.toolSearch === true && can.toolSearch
  if (config.toolSearch && !searches) remarks.push(ignored('toolSearch', true, 'the model has none'))
  const hides = searches || request.tools.some(({ returnsTools, deferred }) => returnsTools && !deferred)
  const offer = offeredTools(request, { ...config, programs: runner !== undefined, toolSearch: hides }, can.toolSearch)
  const reached = (tool: ToolDefinition) => !!runner && isForPrograms(tool) && !isRecursive(tool.input)
  // A tool of the app is what runs a provider's tool of the same name, and two of one name are a 400.
  const isOffered = (tool: ToolDefinition) =>
    (isForModel(tool) || reached(tool)) && hosted.every(({ name }) => name !== tool.name)
  const [told, searched] = [offer.told.filter(isOffered), offer.searched.filter(isOffered)]
  const toWire = (tool: ToolDefinition) => toTool(tool, strict, reached(tool) ? runner : undefined)
  const programmed = [...told, ...searched].filter(reached)
  for (const { name } of programmed.filter((tool) => tool.strict))
    remarks.push(ignored('strict', name, 'programs may call the tool, and call no strict ones'))
  const has = (kind: string) => hosted.some((tool) => typeOf(tool).startsWith(kind))
  const full = told.map(toWire)
  const tools = [
    ...full.map((tool) => (tool === full.at(-1) ? { ...tool, ...mark } : tool)),
    ...hosted,
    ...(programmed.length > 0 && !has('code_execution_') ? [codeExecution] : []),
    ...(searches && searched.length > 0 && !has('tool_search_tool_') ? [toolSearch] : []),
    ...searched.map((tool) => ({ ...toWire(tool), defer_loading: true })),
  ]
  const forced = new Set(told.filter((tool) => !reached(tool)).map(({ name }) => name))
  const choosable = { forced, isCalled: programmed.length > 0, remarks }
  const toolChoice = tools.length > 0 ? choiceOf(request, config, can, choosable) : undefined
  return { tools, deferred: new Set(searched.map(({ name }) => name)), remarks, ...(toolChoice && { toolChoice }) }
}

/** The tool that runs the model's programs, as which they call ours; the oldest one has no calls. */
function runnerOf(hosted: readonly JsonObject[], { programs }: ModelConfig, can: AnthropicCapabilities) {
  if (!programs || !can.programs) return undefined
  const runner = [...hosted, codeExecution].map(typeOf).find((type) => type.startsWith('code_execution_'))!
  return runner === 'code_execution_20250522' ? undefined : runner
}

const typeOf = ({ type }: JsonObject): string => (typeof type === 'string' ? type : '')

function toTool(tool: ToolDefinition, takesStrict: boolean, runner: string | undefined): JsonObject {
  const { name, description, input, output, strict } = tool
  // A program gets text, and is told of it nowhere else.
  const returned = runner && output ? `\n\nReturns JSON of this schema: ${JSON.stringify(output)}` : ''
  return {
    name,
    description: `${description}${returned}`,
    input_schema: isTextTool(tool) ? textToolSchema(tool) : toRootSchema(input),
    ...(strict !== undefined && takesStrict && !runner && { strict }),
    ...(runner && { allowed_callers: isForModel(tool) ? ['direct', runner] : [runner] }),
  }
}

interface Choosable {
  /** Names that a choice may demand. */
  readonly forced: ReadonlySet<string>
  /** Programs may call tools. */
  readonly isCalled: boolean
  readonly remarks: Remark[]
}

function choiceOf(
  { toolChoice }: ModelRequest,
  { parallelCalls, extra }: ModelConfig,
  can: AnthropicCapabilities,
  { forced, isCalled, remarks }: Choosable,
): JsonObject | undefined {
  const { mode = 'auto', tools: names } = toolChoice ?? {}
  if (mode === 'none') return { type: 'none' }
  const isSingle = parallelCalls === false && !isCalled
  if (parallelCalls === false && isCalled)
    remarks.push(ignored('parallelCalls', false, 'programs may call several tools'))
  const single: JsonObject = isSingle ? { disable_parallel_tool_use: true } : {}
  if (mode === 'required') {
    const one = names?.length === 1 ? names[0] : undefined
    const why = whyNotForced(can, extra?.thinking, one !== undefined && !forced.has(one) ? one : undefined)
    if (why === undefined)
      return one === undefined ? { type: 'any', ...single } : { type: 'tool', name: one, ...single }
    remarks.push({ code: 'tool_choice_emulated', detail: { why } })
  }
  return isSingle ? { type: 'auto', ...single } : undefined
}

function whyNotForced(can: AnthropicCapabilities, thinking: Json | undefined, name?: string): string | undefined {
  if (!can.forcedChoice) return 'the model takes no demand for a call'
  if (isJsonObject(thinking) && thinking.type === 'enabled') return 'thinking with a budget takes no demand for a call'
  return name === undefined ? undefined : `the API takes no demand for "${name}", which the model cannot call by itself`
}
