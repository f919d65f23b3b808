import type { Outcome, ToolResult } from '../core/events.js'
import { isAttachedFile } from '../core/attached-file.js'
import { deepestOutput, isDeeperThan, isJsonObject, type Json, type JsonObject } from '../core/json.js'
import type { CallState } from '../core/call-state.js'
import type { ToolEntry } from '../tools/tool-set.js'
import type { RunPorts } from './ports.js'

/** Bytes that one output may have. */
const largestOutput = 16 << 20

/** The result of a tool that ran to its end. What a write returned wrongly does not undo it; a read's is an error. */
export function done({ tools }: RunPorts, call: CallState, output: Json): ToolResult {
  const isTooDeep = isDeeperThan(output, deepestOutput)
  const bytes = isTooDeep ? 0 : bytesOf(output)
  const tooLarge = isTooDeep
    ? `is nested deeper than ${deepestOutput} levels`
    : bytes > largestOutput && `has ${bytes} bytes, and may have ${largestOutput}`
  const tool = tools.get(call.toolName)
  const fault = tooLarge || faultOf(tool, output) || listFault(tool, output)
  const { returnsFiles, returnsTools } = tool?.definition ?? {}
  const lists = { ...(returnsFiles && { hasFiles: true }), ...(returnsTools && { hasTools: true }) }
  if (!fault) return { outcome: 'ok', output, bytes, ...lists }
  const message = `The output of ${call.toolName} ${fault}.`
  if (call.mode === 'read') return failed('error', 'output_invalid', message)
  return { outcome: 'ok', outputInvalid: message, ...(tooLarge ? {} : { output, bytes }) }
}

/** As JSON in UTF-8. */
export const bytesOf = (output: Json): number => new TextEncoder().encode(JSON.stringify(output)).length

export const failed = (outcome: Outcome, code: string, message: string, retryable = false): ToolResult => ({
  outcome,
  failure: { code, message, retryable },
})

/** What is wrong with the lists that the model is given beside the text. */
function listFault(tool: ToolEntry | undefined, output: Json): string | undefined {
  const { files, tools } = isJsonObject(output) ? output : ({} as JsonObject)
  if (tool?.definition.returnsFiles && !(Array.isArray(files) && files.every(isAttachedFile)))
    return 'must have "files", an array of { mediaType, data }, { mediaType, url } or { mediaType, id, provider }'
  if (tool?.definition.returnsTools && !(Array.isArray(tools) && tools.every((name) => typeof name === 'string')))
    return 'must have "tools", an array of names'
  return undefined
}

function faultOf(tool: ToolEntry | undefined, output: Json): string | undefined {
  const faults = tool?.validateOutput?.(output) ?? []
  if (faults.length === 0) return undefined
  const list = faults.slice(0, 5).map(({ path, message }) => `${path || '/'} ${message}`)
  return `does not fit its schema: ${list.join('; ')}`
}
