import { isBuiltIn } from '../../core/built-ins.js'
import type { ToolEntry, ToolSet } from '../tool-set.js'
import type { GateCall, GateContext, RuleName } from './context.js'

export interface Forbidden {
  readonly rule: RuleName
  readonly code: 'not_allowed' | 'budget_exceeded'
  readonly message: string
}

/** Whether this run lets anybody make the call, whatever its input is. */
export function forbidden(
  call: GateCall,
  tool: Pick<ToolEntry, 'mode' | 'definition'> | undefined,
  { modes, noTools, chosen, overBudget }: GateContext,
): Forbidden | undefined {
  const { toolName, caller } = call
  const { allow, readOnly } = modes
  const isInside = tool?.mode === 'script' || isBuiltIn(toolName)
  if (noTools) return no('choice', 'No tool may be called in this run.')
  if (chosen && caller !== 'script' && !chosen.includes(toolName)) return no('choice', notAmong(toolName, chosen))
  const stranger = tool && notForCaller(call, tool)
  if (stranger) return no('caller', stranger)
  // What a script calls is decided by itself, and what is built in touches nothing outside.
  if (allow && !isInside && !allow.includes(toolName)) return no('mode', notAmong(toolName, allow))
  if (readOnly && (!tool || tool.mode === 'write'))
    return no('mode', `"${toolName}" may not be called in this run: it only reads.`)
  if (overBudget === undefined) return undefined
  const message = `This call is not made: the run has used up its budget of ${overBudget}.`
  return { rule: 'budget', code: 'budget_exceeded', message }
}

function notForCaller({ toolName, caller }: GateCall, { mode, definition }: Pick<ToolEntry, 'mode' | 'definition'>) {
  const { callers } = definition
  if (mode === 'script')
    return caller === 'model' ? undefined : `"${toolName}" cannot be called by a ${caller}: call the tools themselves.`
  if (callers && !callers.includes(caller))
    return `"${toolName}" may not be called by a ${caller}. It may by: ${callers.join(', ') || 'nobody'}.`
  return undefined
}

const no = (rule: RuleName, message: string): Forbidden => ({ rule, code: 'not_allowed', message })

const notAmong = (toolName: string, allowed: readonly string[]): string =>
  `"${toolName}" may not be called in this run. Allowed: ${allowed.join(', ') || 'none'}.`

export function unknownTool(name: string, tools: ToolSet): string {
  const near = tools.nearest(name)
  return `There is no tool ${JSON.stringify(name.slice(0, 100))}.${near ? ` Did you mean "${near}"?` : ''}`
}
