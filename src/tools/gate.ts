import { isBuiltIn } from '../core/built-ins.js'
import type { Caller, Decision, Failure, Mode, Verdict } from '../core/events.js'
import { canonicalJson, type Json } from '../core/json.js'
import { toFailure } from '../errors.js'
import { repeatRule, riskRule, toolRule, unknownOutcomeRule, type GateContext, type Rule } from './gate-rules.js'
import { sha256 } from './hash.js'
import { readInput } from './read-input.js'
import type { ToolEntry, ToolSet } from './tool-set.js'

/** A call as the gate sees it: one that the model, a script or a provider's program made. */
export interface GateCall {
  readonly callId: string
  readonly toolName: string
  readonly input?: Json
  /** The model's own argument text. Read when there is no `input`. */
  readonly inputText?: string
  readonly caller: Caller
  readonly executor?: 'provider'
  /** Reasons that a person was already shown for this call. */
  readonly reasons?: readonly string[]
}

export type { GateContext }

/** In this order: reasons are shown, and hashed, in it. */
const rules: readonly Rule[] = [riskRule, repeatRule, unknownOutcomeRule, toolRule]

/**
 * Whether a call may run: the one way to a tool, for every caller. Never rejects. A denial says why in `failure`, for the
 * model; `hash` is empty when the call was denied before there was a valid input.
 */
export async function decide(call: GateCall, context: GateContext): Promise<Decision> {
  if (call.executor === 'provider') return decideProvided(call, context)
  const tool = context.tools.get(call.toolName)
  if (!tool || (isBuiltIn(call.toolName) && call.caller !== 'script'))
    return deny('read', 'unknown_tool', unknownTool(call.toolName, context.tools))
  const { mode } = tool
  const forbidden = notAllowed(call, tool, context)
  if (forbidden) return deny(mode, 'not_allowed', forbidden)
  if (context.overBudget !== undefined) return deny(mode, 'budget_exceeded', usedUp(context.overBudget))
  try {
    return await decideInput(call, tool, context)
  } catch (error) {
    const { message, retryable } = toFailure(error)
    return deny(mode, 'check_failed', `The call of "${call.toolName}" could not be checked: ${message}`, retryable)
  }
}

async function decideInput(call: GateCall, tool: ToolEntry, context: GateContext): Promise<Decision> {
  const { mode } = tool
  const read = readInput(call, tool)
  if ('problem' in read) return deny(mode, 'invalid_input', `The input of "${call.toolName}" ${read.problem}`)
  const { input } = read
  const found: string[] = []
  let verdict: Verdict = 'allow'
  let failure: Failure | undefined
  for (const rule of rules) {
    const answer = await rule(tool, input, context)
    if (answer.verdict === 'deny') failure ??= { code: 'denied', message: answer.reason, retryable: false }
    if (answer.verdict === 'ask') found.push(...answer.reasons)
  }
  if (failure) verdict = 'deny'
  else if (found.length > 0) verdict = call.caller === 'program' ? 'deny' : 'ask'
  if (verdict === 'deny') failure ??= mustBeDirect(call.toolName)
  const reasons = shownReasons(found, call.reasons)
  const hash = sha256(canonicalJson({ tool: tool.hash, owner: context.owner, input, reasons }))
  return {
    verdict,
    mode,
    hash,
    ...(reasons.length > 0 && { reasons }),
    ...(call.input === undefined && { input }),
    ...(failure && { failure }),
  }
}

/** A reason less does not ask again, a new one does. */
function shownReasons(now: readonly string[], shown: readonly string[] = []): readonly string[] {
  return now.every((reason) => shown.includes(reason)) ? shown : [...new Set(now)]
}

function notAllowed(
  { toolName, caller }: GateCall,
  { mode, definition: { callers } }: ToolEntry,
  { allow, readOnly, noTools, chosen }: GateContext,
): string | undefined {
  if (noTools) return noCalls
  if (chosen && caller !== 'script' && !chosen.includes(toolName)) return notAmong(toolName, chosen)
  if (mode === 'script')
    return caller === 'model' ? undefined : `"${toolName}" cannot be called by a ${caller}: call the tools themselves.`
  if (callers && !callers.includes(caller))
    return `"${toolName}" may not be called by a ${caller}. It may by: ${callers.join(', ') || 'nobody'}.`
  if (allow && !allow.includes(toolName) && !isBuiltIn(toolName)) return notAmong(toolName, allow)
  if (readOnly && mode === 'write') return `"${toolName}" may not be called in this run: it only reads.`
  return undefined
}

const usedUp = (budget: string): string => `This call is not made: the run has used up its budget of ${budget}.`
const noCalls = 'No tool may be called in this run.'
const notAmong = (toolName: string, allowed: readonly string[]): string =>
  `"${toolName}" may not be called in this run. Allowed: ${allowed.join(', ') || 'none'}.`

/** A call that the provider runs: nobody here knows what it does, so a person is asked. */
function decideProvided(
  { toolName, input, inputText = '', caller, reasons: shown }: GateCall,
  context: GateContext,
): Decision {
  const { allow, readOnly, noTools, chosen, overBudget, owner } = context
  if (noTools || readOnly || [allow, chosen].some((names) => names && !names.includes(toolName)))
    return deny('read', 'not_allowed', noTools ? noCalls : `"${toolName}" may not be called in this run.`)
  if (overBudget !== undefined) return deny('read', 'budget_exceeded', usedUp(overBudget))
  const failure = mustBeDirect(toolName)
  if (caller !== 'model') return deny('read', failure.code, failure.message)
  const reasons = shownReasons(['The provider of the model runs it: what it does is not checked here.'], shown)
  const asked = input ?? inputText
  const hash = sha256(canonicalJson({ tool: `provider:${toolName}`, owner, input: asked, reasons }))
  return { verdict: 'ask', mode: 'read', hash, reasons, ...(input === undefined && { input: asked }) }
}

function unknownTool(name: string, tools: ToolSet): string {
  const near = tools.nearest(name)
  return `There is no tool ${JSON.stringify(name.slice(0, 100))}.${near ? ` Did you mean "${near}"?` : ''}`
}

/** A provider's program has a deadline, which does not wait for a person. */
const mustBeDirect = (toolName: string): Failure => ({
  code: 'approval_required',
  message: `"${toolName}" needs a person's approval, which a program cannot wait for: call it directly.`,
  retryable: false,
})

const deny = (mode: Mode, code: string, message: string, retryable = false): Decision => ({
  verdict: 'deny',
  mode,
  hash: '',
  failure: { code, message, retryable },
})
