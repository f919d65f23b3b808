import { isBuiltIn } from '../core/built-ins.js'
import type { Decision, Failure, Mode } from '../core/events.js'
import { canonicalJson, type Json } from '../core/json.js'
import { toFailure } from '../errors.js'
import { forbidden, unknownTool } from './gate/allowed.js'
import { deny, type GateCall, type GateContext, type Said, type Subject } from './gate/context.js'
import { unproven } from './gate/from.js'
import { filledInput } from './gate/host-input.js'
import { nothingSaid, readPageCheck } from './gate/page-answers.js'
import { providedRules, rules, trustRule } from './gate/rules.js'
import { sha256 } from './hash.js'
import { readInput } from './read-input.js'
import type { ToolEntry } from './tool-set.js'

export type { GateCall, GateContext }

/**
 * Whether a call may run: the one way to a tool, for every caller. Never rejects. A denial says why in `failure`, for the
 * model; `hash` is empty when the call was denied before there was a valid input.
 */
export async function decide(call: GateCall, context: GateContext): Promise<Decision> {
  if (call.executor === 'provider') return decideProvided(call, context)
  const { toolName, caller } = call
  const tool = context.tools.get(toolName)
  if (!tool || (isBuiltIn(toolName) && caller !== 'script'))
    return deny('read', 'tool', 'unknown_tool', unknownTool(toolName, context.tools))
  const { mode } = tool
  const no = forbidden(call, tool, context)
  if (no) return deny(mode, no.rule, no.code, no.message)
  try {
    return await decideInput(call, tool, context)
  } catch (error) {
    return unchecked(toolName, mode, error)
  }
}

async function decideInput(call: GateCall, tool: ToolEntry, context: GateContext): Promise<Decision> {
  const { mode, definition } = tool
  const { name } = definition
  const read = readInput(call, tool)
  if ('problem' in read) return deny(mode, read.rule, 'invalid_input', `The input of "${name}" ${read.problem}`)
  const invented = unproven(definition, read.input, context)
  if (invented !== undefined) return deny(mode, 'from', 'unproven_input', `The input of "${name}": ${invented}`)
  const isInside = isBuiltIn(name)
  const isAsked = !isInside && (definition.checked || definition.hostInput || context.guardsCalls)
  const page = isAsked ? readPageCheck(await context.check(name, read.input), definition) : nothingSaid
  const input = filledInput(read.input, page.filled)
  const faults = definition.hostInput ? tool.validateFilled(input) : []
  if (faults.length > 0) {
    // Without the values: they are none of the model's business.
    const where = faults.map(({ path }) => path || 'its root').join(', ')
    return deny(
      mode,
      'host',
      'check_failed',
      `${notChecked(name)}: what the app fills does not fit the schema at ${where}`,
    )
  }
  const said = isInside ? [] : allSaid({ tool, input, page }, context)
  return conclude(call, { tool, input, said, owner: context.owner })
}

/** A call that the provider runs: nobody here knows what it does, so a person is asked. */
async function decideProvided(call: GateCall, context: GateContext): Promise<Decision> {
  const { toolName, caller, inputText = '', input = inputText } = call
  const no = forbidden(call, undefined, context)
  if (no) return deny('read', no.rule, no.code, no.message)
  if (caller !== 'model') return deny('read', 'program', ...mustBeDirect(toolName))
  const definition = { name: toolName, description: '', input: {}, risk: 'read', openWorld: true } as const
  const tool = { definition, mode: 'read', hash: `provider:${toolName}` } as const
  try {
    const page = context.guardsCalls ? readPageCheck(await context.check(toolName, input), definition) : nothingSaid
    const said = providedRules.flatMap((rule) => rule.say({ tool, input, page }, context))
    return conclude(call, { tool, input, said, owner: context.owner })
  } catch (error) {
    return unchecked(toolName, 'read', error)
  }
}

function allSaid(subject: Subject, context: GateContext): readonly Said[] {
  const said = rules.flatMap((rule) => rule.say(subject, context))
  return said.length > 0 ? said : trustRule.say(subject, context)
}

interface Conclusion {
  readonly tool: Subject['tool']
  readonly input: Json
  readonly said: readonly Said[]
  readonly owner: string
}

/** The strictest wins, and every reason is kept. */
function conclude(call: GateCall, { tool, input, said, owner }: Conclusion): Decision {
  const denials = said.filter(({ verdict }) => verdict === 'deny')
  const asks = said.filter(({ verdict }) => verdict === 'ask')
  const isProgram = asks.length > 0 && call.caller === 'program'
  const [denial] = denials
  const failure = denial
    ? { code: denial.code ?? 'denied', message: denial.reason, retryable: false }
    : isProgram
      ? toDirect(call.toolName)
      : undefined
  const { reasons, rules: asking } = shownReasons(asks, call)
  const rules = [...asking, ...denials.map(({ rule }) => rule), ...(!denial && isProgram ? ['program'] : [])]
  return {
    verdict: failure ? 'deny' : asks.length > 0 ? 'ask' : 'allow',
    mode: tool.mode,
    hash: hashOf(tool.hash, owner, input, reasons),
    ...(reasons.length > 0 && { reasons }),
    ...(rules.length > 0 && { rules }),
    ...(input !== call.input && { input }),
    ...(failure && { failure }),
  }
}

/** What an approval is bound to. */
export const hashOf = (tool: string, owner: string, input: Json, reasons: readonly string[]): string =>
  sha256(canonicalJson({ tool, owner, input, reasons }))

/** A reason less does not ask again, a new one does. Each reason has its rule beside it. */
function shownReasons(
  asks: readonly Said[],
  { reasons: shown = [], rules: shownRules = [] }: GateCall,
): { readonly reasons: readonly string[]; readonly rules: readonly string[] } {
  const now = new Map(asks.toReversed().map(({ reason, rule }) => [reason, rule]))
  if (asks.every(({ reason }) => shown.includes(reason)))
    return { reasons: shown, rules: shown.map((reason, i) => shownRules[i] ?? now.get(reason) ?? 'unknown') }
  const reasons = [...new Set(asks.map(({ reason }) => reason))]
  return { reasons, rules: reasons.map((reason) => now.get(reason)!) }
}

const notChecked = (toolName: string): string => `The call of "${toolName}" could not be checked`

function unchecked(toolName: string, mode: Mode, error: unknown): Decision {
  const { message, retryable } = toFailure(error)
  return deny(mode, 'check', 'check_failed', `${notChecked(toolName)}: ${message}`, retryable)
}

/** A provider's program has a deadline, which does not wait for a person. */
const mustBeDirect = (toolName: string): [code: string, message: string] => [
  'approval_required',
  `"${toolName}" needs a person's approval, which a program cannot wait for: call it directly.`,
]
const toDirect = (toolName: string): Failure => {
  const [code, message] = mustBeDirect(toolName)
  return { code, message, retryable: false }
}
