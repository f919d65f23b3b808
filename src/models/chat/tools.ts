import type { Remark } from '../../core/events.js'
import type { JsonObject } from '../../core/json.js'
import { isTextTool, type ToolDefinition } from '../../core/tool-definition.js'
import { toRootSchema } from '../root-schema.js'
import { textToolSchema } from '../text-tool.js'
import { ignored } from '../told.js'
import type { ChatCapabilities } from './capabilities.js'

/** Whether the server itself has tools that take a text; elsewhere it is the one field of an object. */
export const isNativeText = (tool: ToolDefinition, can: ChatCapabilities): boolean => can.textTools && isTextTool(tool)

export function toChatTool(tool: ToolDefinition, can: ChatCapabilities): JsonObject {
  const { name, description, grammar, strict } = tool
  if (isNativeText(tool, can)) {
    const format = grammar && { format: { type: 'grammar', grammar: { ...grammar } } }
    return { type: 'custom', custom: { name, description, ...format } }
  }
  const schema = isTextTool(tool) ? textToolSchema(tool) : toRootSchema(tool.input)
  return {
    type: 'function',
    function: {
      name,
      description,
      // Some servers refuse an object without properties.
      parameters: { properties: {}, ...schema },
      ...(strict === undefined || !can.strict ? {} : { strict }),
    },
  }
}

/** Of tools that were to be held to their schemas, where the server is not known to do that. */
export function strictRemarks(tools: readonly ToolDefinition[], can: ChatCapabilities): readonly Remark[] {
  const strict = can.strict ? [] : tools.filter((tool) => tool.strict).map(({ name }) => name)
  return strict.length === 0 ? [] : [ignored('strict', strict)]
}
