import type { FinishReason, Remark } from '../../core/events.js'
import type { Json, JsonObject } from '../../core/json.js'
import type { Usage } from '../../core/usage.js'
import { isWindowFull } from '../failures.js'
import type { ModelReply, ReplyPart } from '../model.js'
import { ReportedError } from '../model-error.js'
import { countAt, inner, objectsAt, textAt, toUsage } from '../wire.js'
import { conversationIn } from './conversation.js'
import { toParts } from './parts.js'

/**
 * The reply of a response that ended.
 * @param done its finished items; without any, those of the response itself
 * @param stored whether it was asked for that the provider keeps it
 * @throws {ReportedError} when it failed or was cancelled
 */
export function toReply(
  response: JsonObject,
  done: readonly JsonObject[],
  names: ReadonlySet<string>,
  stored: boolean,
): ModelReply {
  const status = textAt(response, 'status')
  if (status === 'cancelled') throw failure({ code: 'cancelled', message: 'the response was cancelled' })
  if (status === 'failed') return toFailed(response, done, names)
  const items = done.length > 0 ? done : objectsAt(response, 'output')
  const reason = textAt(inner(response, 'incomplete_details'), 'reason')
  const isIncomplete = status === 'incomplete' || reason !== ''
  // After the end of the tokens a call that was finished before it counts.
  const isWhole = (item: JsonObject) => reason === 'max_output_tokens' && isFinished(item)
  const kept = isIncomplete ? items.filter((item) => !isCall(item) || isWhole(item)) : items
  const parts = kept.flatMap((item) => toParts(item, names))
  const remarks = remarksIn(response, isIncomplete && !Object.hasOwn(incomplete, reason) ? reason : undefined)
  // From a response that is not whole, as one with calls that are not made, nothing goes on.
  const isKept = !isIncomplete && (response.store ?? stored) === true
  const serverState = isKept ? stateIn(response) : undefined
  return {
    parts,
    finish: isIncomplete ? (incomplete[reason] ?? 'other') : finishOf(parts, items),
    usage: usageOf(inner(response, 'usage')),
    ...(serverState && { serverState }),
    ...(remarks.length > 0 && { remarks }),
  }
}

/** @throws {ReportedError} unless it failed because the conversation is too long. */
export function toFailed(holder: JsonObject, done: readonly JsonObject[], names: ReadonlySet<string>): ModelReply {
  const error = failure(inner(holder, 'error') ?? holder)
  if (!isWindowFull(error.facts)) throw error
  const said = done.filter((item) => !isCall(item)).flatMap((item) => toParts(item, names))
  return { parts: said, finish: 'context', usage: usageOf(inner(holder, 'usage')) }
}

const failure = (error: JsonObject): ReportedError =>
  new ReportedError({
    code: textAt(error, 'code') || undefined,
    type: textAt(error, 'type') || undefined,
    param: textAt(error, 'param') || undefined,
    message: textAt(error, 'message') || 'it gave no reason',
  })

const isCall = ({ type }: JsonObject): boolean =>
  type === 'function_call' || type === 'custom_tool_call' || type === 'mcp_approval_request'

/** An approval request is whole when it is there. */
const isFinished = ({ type, status }: JsonObject): boolean => status === 'completed' || type === 'mcp_approval_request'

const incomplete: Readonly<Record<string, FinishReason>> = {
  __proto__: null as never,
  max_output_tokens: 'length',
  content_filter: 'content-filter',
  // What superseded it is answered when the transcript is sent again.
  steered: 'resend',
}

function finishOf(parts: readonly ReplyPart[], items: readonly JsonObject[]): FinishReason {
  if (parts.some(({ type }) => type === 'call')) return 'calls'
  if (parts.some(({ type }) => type === 'refusal')) return 'refusal'
  // A program that has said nothing yet: the answer comes when the transcript is sent again.
  const last = items.findLast(({ type }) => type !== 'reasoning')?.type
  return last === 'program' || last === 'program_output' ? 'resend' : 'stop'
}

function stateIn(response: JsonObject): JsonObject | undefined {
  const responseId = textAt(response, 'id')
  const conversation = conversationIn(response)
  return responseId === '' ? undefined : { responseId, ...(conversation !== undefined && { conversation }) }
}

function remarksIn(response: JsonObject, reason: string | undefined): Remark[] {
  const changes = objectsAt(response, 'input_transformations').map((detail): Remark => {
    const isDropped = detail.type === 'reasoning' && detail.action === 'removed'
    return { code: isDropped ? 'reasoning_dropped' : 'input_transformed', detail }
  })
  const told = (code: string, detail: Json | undefined): Remark[] =>
    detail === undefined || detail === null ? [] : [{ code, detail }]
  return [
    ...(reason === undefined ? [] : [{ code: 'incomplete', detail: { reason } }]),
    ...changes,
    ...told('cache_diagnostics', response.prompt_cache_diagnostics),
    ...told('moderation', response.moderation),
  ]
}

const usageOf = (usage: JsonObject | undefined): Usage | undefined =>
  toUsage({
    input: countAt(usage, 'input_tokens'),
    output: countAt(usage, 'output_tokens'),
    cacheRead: countAt(inner(usage, 'input_tokens_details'), 'cached_tokens'),
    cacheWrite: countAt(inner(usage, 'input_tokens_details'), 'cache_write_tokens'),
    reasoning: countAt(inner(usage, 'output_tokens_details'), 'reasoning_tokens'),
  })
