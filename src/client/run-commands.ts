import type { ToolCall } from '../core/events.js'
import type { Json } from '../core/json.js'
import { HandrailError } from '../errors.js'
import type { Command, GrantRequest } from '../runtime/protocol.js'
import { asJson } from './as-json.js'
import { checkFields, isRule, refuse, type Rules } from './check-fields.js'
import type { Approval, ApproveOptions, DenyOptions } from './answers.js'

/** The run that a person answers in. */
interface Answered {
  readonly id: string
  readonly unknown: readonly ToolCall[]
}

const rest: Rules<GrantRequest> = { count: isRule.number, fixed: isRule.texts }
const approveRules: Rules<ApproveOptions> = { input: isRule.anything, hash: isRule.text, rest: isRule.record }
const denyRules: Rules<DenyOptions> = { reason: isRule.string, hash: isRule.text, rest: isRule.flag }

/**
 * The commands that approve these calls, each for what it asks now. An edit under a misspelt name must not become an approval of
 * what was asked.
 * @param open what the run asked for when the person answered
 */
export function toApprove(run: Answered, open: readonly Approval[], ids: unknown, options: ApproveOptions): Command[] {
  checkFields('approve a call', '', options, approveRules)
  checkFields('approve a call', 'rest.', options.rest ?? {}, rest)
  const { input } = options
  return asked(run, open, ids, options).map(({ callId, hash }) => ({
    type: 'approve',
    runId: run.id,
    callId,
    hash,
    ...(input !== undefined && { input: asJson(input, 'input_not_json', `the input for call "${callId}"`) as Json }),
    ...(options.rest && { rest: options.rest }),
  }))
}

export function toDeny(run: Answered, open: readonly Approval[], ids: unknown, given: string | DenyOptions): Command[] {
  const options = typeof given === 'string' ? { reason: given } : given
  checkFields('deny a call', '', options, denyRules)
  const { reason, rest: others } = options
  return asked(run, open, ids, options).map(({ callId, hash }) => ({
    type: 'deny',
    runId: run.id,
    callId,
    hash,
    ...(reason !== undefined && { reason }),
    ...(others && { rest: true }),
  }))
}

export function toReconcile(run: Answered, callId: string, done: boolean): Command {
  checkFields('reconcile a call', '', { done }, { done: isRule.flag })
  if (!run.unknown.some((call) => call.callId === callId))
    throw new HandrailError(
      'not_unknown',
      `Cannot reconcile call "${callId}" of run "${run.id}": its outcome is not unknown`,
    )
  return { type: 'reconcile', runId: run.id, callId, done }
}

function asked(
  { id }: Answered,
  open: readonly Approval[],
  given: unknown,
  { hash, input, rest: others }: { readonly hash?: string; readonly input?: Json; readonly rest?: unknown },
): readonly Approval[] {
  const ids = [given].flat()
  if (ids.length === 0 || new Set(ids).size < ids.length)
    refuse('answer for calls', 'it must be an id, or an array of different ids')
  const own = { hash, input, rest: others }
  const single = Object.entries(own).find(([, value]) => value !== undefined)
  if (ids.length > 1 && single) refuse('answer for several calls', `"${single[0]}" is for one`)
  return ids.map((callId) => {
    const approval = open.find((each) => each.callId === callId)
    if (!approval) {
      const others = open.map((each) => `"${each.callId}"`).join(', ')
      const instead = others ? `it asks for ${others}` : 'it asks for nothing'
      throw new HandrailError('not_asking', `Cannot answer for call "${String(callId)}" of run "${id}": ${instead}`)
    }
    if (hash === undefined || hash === approval.hash) return approval
    throw new HandrailError(
      'stale_approval',
      `Cannot answer for call "${approval.callId}" of run "${id}": it asks something else now`,
    )
  })
}
