import type { Failure, Outcome, ToolResult } from '../core/events.js'
import { isAttachedFile } from '../core/attached-file.js'
import { deepestOutput, isDeeperThan, isJsonObject, type Json, type JsonObject } from '../core/json.js'
import type { CallState } from '../core/call-state.js'
import type { ToolEntry } from '../tools/tool-set.js'
import { askGuards, type GuardVerdict } from './guard.js'
import type { RunPorts } from './ports.js'

/** Bytes that one output may have of a tool that states no `limits.output`. */
const largestOutput = 16 << 20

/**
 * The result of a tool that ran to its end, however its output came to be known. What a write returned wrongly does not undo it; a
 * read's is an error. No output that the guardrails deny is in it.
 */
export async function done(ports: RunPorts, call: CallState, output: Json): Promise<ToolResult> {
  const tool = ports.tools.get(call.toolName)
  const { returnsFiles, returnsTools, largestOutput: most = largestOutput } = tool?.definition ?? {}
  const isTooDeep = isDeeperThan(output, deepestOutput)
  const bytes = isTooDeep ? 0 : bytesOf(output)
  const tooLarge = isTooDeep
    ? `is nested deeper than ${deepestOutput} levels`
    : bytes > most && `has ${bytes} bytes, and may have ${most}`
  if (tooLarge) return unusable(ports, call, `The output of ${call.toolName} ${tooLarge}.`)
  const fault = faultOf(tool, output) || listFault(tool, output)
  const faulty = fault ? unusable(ports, call, `The output of ${call.toolName} ${fault}.`) : undefined
  if (faulty?.outcome === 'error') return faulty
  const { denied, warnings } = await guarded(ports, call, output)
  if (denied !== undefined) return withheld(call, denied)
  const given: ToolResult = {
    outcome: 'ok',
    output,
    bytes,
    ...label(ports, call),
    ...(warnings.length > 0 && { warnings }),
  }
  if (faulty) return { ...given, ...faulty }
  return { ...given, ...(returnsFiles && { hasFiles: true }), ...(returnsTools && { hasTools: true }) }
}

/** It ran to its end, and what it returned can't be used. The message may quote the output. */
export const unusable = (ports: RunPorts, call: CallState, message: string): ToolResult =>
  call.mode === 'read'
    ? refused(ports, call, { code: 'output_invalid', message, retryable: false })
    : { outcome: 'ok', outputInvalid: message, ...label(ports, call) }

/** It ended in a failure of its own. */
export const refused = (ports: RunPorts, call: CallState, failure: Failure): ToolResult => ({
  outcome: 'error',
  failure,
  ...label(ports, call),
})

/** In our own words. */
export const failed = (outcome: Outcome, code: string, message: string, retryable = false): ToolResult => ({
  outcome,
  failure: { code, message, retryable },
  trusted: true,
})

/** Whether the words of a tool are the app's own. */
export const label = ({ tools }: RunPorts, { toolName }: CallState): Pick<ToolResult, 'trusted'> =>
  tools.get(toolName)?.definition.trusted ? { trusted: true } : {}

/** As JSON in UTF-8. */
export const bytesOf = (output: Json): number => new TextEncoder().encode(JSON.stringify(output)).length

async function guarded(
  { guards, page, log }: RunPorts,
  { callId, toolName }: CallState,
  output: Json,
): Promise<GuardVerdict> {
  if (!guards.output) return { warnings: [] }
  const { session } = log.head
  return askGuards(page, { on: 'output', session, runId: log.runId, callId, toolName, output })
}

function withheld({ toolName, mode }: CallState, reason: string): ToolResult {
  const message = `The output of ${toolName} is withheld: ${reason}`
  if (mode === 'read') return failed('error', 'output_denied', message)
  return { outcome: 'ok', outputInvalid: message, trusted: true }
}

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
