import type { Json } from '../core/json.js'
import type { Risk } from '../core/tool-definition.js'
import { HandrailError } from '../errors.js'
import type { CheckAnswer } from './tool.js'
import type { ToolEntry, ToolSet } from './tool-set.js'

/** What the gate knows of the run that a call belongs to. */
export interface GateContext {
  readonly tools: ToolSet
  readonly owner: string
  /** Names of the only tools that may be called; absent: all. */
  readonly allow?: readonly string[]
  readonly readOnly?: boolean
  /** Names of the only tools that the model itself may call: the run's tool choice. */
  readonly chosen?: readonly string[]
  /** The run's tool choice is `none`. */
  readonly noTools?: boolean
  /** The budget that is used up, when the run may make no more calls. */
  readonly overBudget?: string
  /** Why to ask, if the same write with the same input was made earlier in this session. */
  repeated(toolName: string, input: Json): string | undefined
  /** Writes whose outcome is unknown: while there is one, another write asks. */
  readonly openUnknown: readonly { readonly callId: string; readonly toolName: string }[]
  /** What the page says of the input of a tool that is `checked`. Rejecting is a no. */
  check(toolName: string, input: Json): Promise<{ readonly answers: readonly CheckAnswer[] }>
}

export type RuleAnswer =
  | { readonly verdict: 'allow' }
  | { readonly verdict: 'deny'; readonly reason: string }
  | { readonly verdict: 'ask'; readonly reasons: readonly string[] }

/** One reason to stop a call that is allowed and valid. A rule that throws denies. */
export type Rule = (tool: ToolEntry, input: Json, context: GateContext) => RuleAnswer | Promise<RuleAnswer>

const allow: RuleAnswer = { verdict: 'allow' }
const ask = (...reasons: readonly string[]): RuleAnswer => ({ verdict: 'ask', reasons })

const riskReasons: Readonly<Record<Exclude<Risk, 'read'>, string>> = {
  reversible: 'It changes something, and can be undone.',
  irreversible: 'It cannot be undone.',
  sensitive: 'It touches something sensitive.',
}

export const riskRule: Rule = ({ definition: { risk } }) => (risk === 'read' ? allow : ask(riskReasons[risk]))

export const repeatRule: Rule = ({ definition, mode }, input, context) => {
  const reason = mode === 'write' ? context.repeated(definition.name, input) : undefined
  return reason === undefined ? allow : ask(reason)
}

export const unknownOutcomeRule: Rule = ({ mode }, _input, { openUnknown }) => {
  if (mode !== 'write' || openUnknown.length === 0) return allow
  return ask(
    ...openUnknown.map(
      ({ callId, toolName }) => `It is not known whether the earlier call ${callId} of "${toolName}" took effect.`,
    ),
  )
}

/** The answer crosses a thread. */
export const toolRule: Rule = async ({ definition: { name, checked } }, input, context) => {
  if (!checked) return allow
  const { answers } = await context.check(name, input)
  const answer = answers.find(({ verdict }) => verdict !== 'allow') ?? { verdict: 'allow' }
  if (answer?.verdict === 'allow') return allow
  if (
    (answer?.verdict !== 'ask' && answer?.verdict !== 'deny') ||
    typeof answer.reason !== 'string' ||
    answer.reason === ''
  )
    throw new HandrailError('invalid_check', `the check of "${name}" must answer allow, or deny or ask with a reason`)
  return answer.verdict === 'ask' ? ask(answer.reason) : { verdict: 'deny', reason: answer.reason }
}
