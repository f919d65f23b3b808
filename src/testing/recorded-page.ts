import type { Decision, RunEvent } from '../core/events.js'
import { isJsonObject, type Json } from '../core/json.js'
import type { ToolDefinition } from '../core/tool-definition.js'
import type { CheckCall, PageApi, PageCheck, Reply, RuleAnswer } from '../runtime/protocol.js'

type Decided = RunEvent & { readonly type: 'tool-decision' }

/** Rules whose reasons are the page's, and not the gate's own. */
const pageRules: ReadonlySet<string> = new Set(['input', 'risk', 'check', 'guardrail'])

/**
 * A page that says of each input what the page of the recorded run said: read from the decisions that came of it. It runs no
 * tool: results are taken from the log before anybody asks it.
 */
export function createRecordedPage(
  definitions: ReadonlyMap<string, ToolDefinition>,
  decisionFor: (callId: string) => Decided | undefined,
): PageApi {
  return {
    async check({ toolName, callId }: CheckCall) {
      const decision = decisionFor(callId)
      return decision ? said(definitions.get(toolName), decision) : ok({ answers: [] })
    },
    async preview({ callId }: CheckCall) {
      const { preview, previewFailure } = decisionFor(callId)?.detail ?? {}
      return previewFailure === undefined ? ok(preview ?? null) : failed('failed', previewFailure)
    },
    guard: async () => ok([]),
    execute: async (_id, { toolName }) => failed('not_recorded', `The recorded run holds no result of ${toolName}`),
    reconcile: async () => ok({ state: 'unknown' }),
    generate: async () => failed('not_recorded', 'The recorded run holds no answer of its model'),
    abort: () => undefined,
    notify: () => undefined,
  }
}

/** What the guardrails of the recorded run said of a call: beside what the tools of now say. */
export const recordedGuardrails = (decision: Decision | undefined): readonly RuleAnswer[] =>
  decision ? answersOf(decision).filter(({ rule }) => rule === 'guardrail') : []

function said(definition: ToolDefinition | undefined, decision: Decision): Reply<PageCheck> {
  const { failure, input } = decision
  if (failure?.code === 'check_failed')
    return failed('failed', failure.message.replace(/^.*? could not be checked: /, ''))
  const filled = (definition?.hostInput ?? []).flatMap((field): [string, Json][] =>
    isJsonObject(input) && Object.hasOwn(input, field) ? [[field, input[field]!]] : [],
  )
  // Whether its risk asks, only the page knew; of every other tool the gate knows it as well now as then.
  const isConditional = definition?.checked === true && definition.approval?.needed === undefined
  // A log of the first format has reasons without rules.
  const isOld = decision.reasons !== undefined && decision.rules === undefined
  const answers = answersOf(decision).filter(({ rule }) => rule !== 'risk' || isConditional)
  return ok({
    answers,
    ...(isConditional && !isOld && definition.risk !== 'sensitive' && { needed: false }),
    ...(filled.length > 0 && { filled: Object.fromEntries(filled) }),
  })
}

/** Each reason has its rule beside it; after them stand the rules that denied, of which the first gave the failure. */
function answersOf({ rules = [], reasons = [], failure }: Decision): RuleAnswer[] {
  const asked = reasons.flatMap((reason, i): RuleAnswer[] => {
    const rule = rules[i]
    return rule !== undefined && pageRules.has(rule) ? [{ verdict: 'ask', reason, rule }] : []
  })
  const denying = rules[reasons.length]
  return failure?.code === 'denied' && denying !== undefined && pageRules.has(denying)
    ? [...asked, { verdict: 'deny', reason: failure.message, rule: denying }]
    : asked
}

const ok = <T>(value: T): Reply<T> => ({ ok: true, value })
const failed = (code: string, message: string): Reply<never> => ({
  ok: false,
  failure: { code, message, retryable: false },
})
