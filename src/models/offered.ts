import { scriptToolName } from '../core/built-ins.js'
import type { ToolDefinition } from '../core/tool-definition.js'
import type { ModelConfig, ModelRequest } from './model.js'

/** The tools of a request, by how the model is told of them. */
export interface Offer {
  /** In full. */
  readonly told: readonly ToolDefinition[]
  /** For the provider's own search. */
  readonly searched: readonly ToolDefinition[]
}

/**
 * Deferred tools are found by the provider's search where that is on and there is one, else by a script's `search`; without
 * either they are told in full, for none may be out of reach.
 * @param canSearch whether the provider has a search for this model
 */
export function offeredTools(request: ModelRequest, config: ModelConfig, canSearch: boolean): Offer {
  const tools = request.tools.filter((tool) => mayCall(tool, 'model') || (config.programs && mayCall(tool, 'program')))
  const deferred = tools.filter(({ deferred: is }) => is)
  const searches = config.toolSearch === true && canSearch
  const hasScripts = tools.some(({ name }) => name === scriptToolName)
  if (deferred.length === 0 || (!searches && !hasScripts)) return { told: tools, searched: [] }
  return { told: tools.filter(({ deferred: is }) => !is), searched: searches ? deferred : [] }
}

const mayCall = ({ callers }: ToolDefinition, caller: 'model' | 'program'): boolean =>
  callers === undefined || callers.includes(caller)

/** A provider's program has a deadline, which does not wait for a person: it is only offered what never asks. */
export const isForPrograms = (tool: ToolDefinition): boolean =>
  tool.risk === 'read' && !tool.checked && tool.name !== scriptToolName && mayCall(tool, 'program')

/** Whether the model itself may call it; false: only programs may. */
export const isForModel = (tool: ToolDefinition): boolean => mayCall(tool, 'model')
