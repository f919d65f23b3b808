import type { JsonObject } from '../../core/json.js'
import { HandrailError } from '../../errors.js'
import { inner, textAt } from '../wire.js'
import type { HostedTool, ModelConfig } from '../model.js'

/** Tools whose calls the client makes: nobody here does. */
const clientRun = /^(function|custom|namespace|computer(_use)?(_preview)?|local_shell|apply_patch)$/

/**
 * The tools that the provider runs, as it takes them.
 * @throws {HandrailError} `model_bad_request` when the provider does not run one, or does not ask before it does.
 */
export function toHostedTools({ hostedTools = [], provider, model }: ModelConfig): JsonObject[] {
  return hostedTools.map((hosted, i) => {
    const type = textAt(hosted.tool, 'type')
    const refuse = (why: string) =>
      new HandrailError(
        'model_bad_request',
        `Cannot ask model "${model}" of ${provider}: "hostedTools[${i}]", ${JSON.stringify(type)}, ${why}`,
      )
    if (isClientRun(hosted.tool))
      throw refuse('is run by whoever asks the model, expected a tool that the provider runs')
    if (hosted.risk === 'ask' && type !== 'mcp')
      throw refuse('is never asked about, so it must have the risk "read": only remote MCP can have "ask"')
    return type === 'mcp' ? toMcp(hosted) : hosted.tool
  })
}

export function isClientRun(tool: JsonObject): boolean {
  const type = textAt(tool, 'type')
  // A shell is hosted where it says in which container.
  if (type === 'shell') return !textAt(inner(tool, 'environment'), 'type').startsWith('container')
  return clientRun.test(type) || (type === 'tool_search' && tool.execution === 'client')
}

/** The API would ask always. */
const toMcp = ({ tool, risk }: HostedTool): JsonObject =>
  risk === 'ask' ? { ...tool, require_approval: 'always' } : { require_approval: 'never', ...tool }
