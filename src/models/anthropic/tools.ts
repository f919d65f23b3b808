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
  readonly toolChoice?: JsonObject
  readonly remarks: readonly Remark[]
}

const codeExecution = 'code_execution_20260120'
/** Versions whose programs call tools; each is a name for their caller, too. */
const callers = /^code_execution_(?!20250522)\d{8}$/
const toolSearch: JsonObject = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }

/**
 * The tools of a request and what the model must make of them. Those that it has to search for come last, since these may be
 * appended in the middle of a conversation.
 * @param mark goes on the last tool that is told in full
 */
export function toolsOf(request: ModelRequest, config: ModelConfig, { can, strict }: Way, mark: JsonObject): WireTools {
  const remarks: Remark[] = []
  const hosted = hostedTools(config)
  const programs = config.programs === true && can.programs
  if (config.programs && !can.programs) remarks.push(ignored('programs', true, 'the model runs none'))
  const { told, searched } = offeredTools(request, { ...config, programs }, can.toolSearch)
  if (config.toolSearch && !can.toolSearch) remarks.push(ignored('toolSearch', true, 'the model has none'))
  // A tool of the app is what runs a provider's tool of the same name, and two of one name are a 400.
  const taken = new Set(hosted.map(({ name }) => name))
  const own = (tools: readonly ToolDefinition[]) => tools.filter(({ name }) => !taken.has(name))
  const runner = hosted.map(typeOf).find((type) => callers.test(type)) ?? codeExecution
  const reached = (tool: ToolDefinition) => programs && isForPrograms(tool) && !isRecursive(tool.input)
  const toWire = (tool: ToolDefinition) => toTool(tool, strict, reached(tool) ? runner : undefined)
  const offered = (tools: readonly ToolDefinition[]) => own(tools).filter((tool) => isForModel(tool) || reached(tool))
  const full = offered(told).map(toWire)
  const deferred = offered(searched).map((tool) => ({ ...toWire(tool), defer_loading: true }))
  const has = (kind: RegExp) => hosted.some((tool) => kind.test(typeOf(tool)))
  const isCalled = [...told, ...searched].some(reached)
  if (full.length > 0) full.push({ ...full.pop()!, ...mark })
  const tools = [
    ...full,
    ...hosted,
    ...(isCalled && !has(callers) ? [{ type: codeExecution, name: 'code_execution' }] : []),
    ...(deferred.length > 0 && !has(/^tool_search_tool_/) ? [toolSearch] : []),
    ...deferred,
  ]
  for (const { name } of own([...told, ...searched]).filter((tool) => tool.strict && reached(tool)))
    remarks.push(ignored('strict', name, 'programs may call the tool, and call no strict ones'))
  if (tools.length === 0) return { tools, remarks }
  const forced = new Set(told.filter((tool) => isForModel(tool) && !reached(tool)).map(({ name }) => name))
  const toolChoice = choiceOf(request, config, can, { forced, isCalled, remarks })
  return { tools, remarks, ...(toolChoice && { toolChoice }) }
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
