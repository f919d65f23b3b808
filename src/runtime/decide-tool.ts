import { scriptToolName } from '../core/built-ins.js'
import type { Decision, EventBody } from '../core/events.js'
import { budgetOf, type RunState } from '../core/state.js'
import type { CallState } from '../core/call-state.js'
import type { BudgetName } from '../core/usage.js'
import { fromFailure } from '../errors.js'
import { decide } from '../tools/gate.js'
import { isEarlier, type EffectOf } from '../core/next.js'
import { askDetail, checkCallOf } from './ask-detail.js'
import type { GatePorts, RunPorts } from './ports.js'
import { withGrant } from './use-grant.js'
import { within } from './within.js'

/** Steps 1 to 6 of the gate. */
export async function decideTool(ports: RunPorts, { call }: EffectOf<'decide-tool'>): Promise<EventBody> {
  return decisionOf(ports, call, await askGate(ports, call))
}

/** As it is written: an ask with all that a person needs to know. */
export async function decisionOf(ports: GatePorts, call: CallState, decision: Decision): Promise<EventBody> {
  const detail = decision.verdict === 'ask' ? { detail: await askDetail(ports, call, decision) } : {}
  return { type: 'tool-decision', callId: call.callId, ...decision, ...detail }
}

/** Milliseconds that the page may take to say what it has to say of a call. */
const checkTimeout = 10_000

/**
 * The gate's answer for a call as the session stands now.
 * @param edited paths of the input that a person has just changed
 */
export async function askGate(ports: GatePorts, call: CallState, edited?: ReadonlySet<string>): Promise<Decision> {
  const { log, memory, tools, page, context, policy, guards } = ports
  const { provenance } = memory
  const { mode, tools: chosen } = log.state.header?.toolChoice ?? {}
  const key = memory.keyOf(log.runId, call.callId)
  const decision = await decide(call, {
    tools,
    owner: log.head.owner,
    modes: log.state.modes,
    policy,
    guardsCalls: guards.call,
    noTools: mode === 'none',
    ...(mode === 'auto' && chosen && { chosen }),
    overBudget: overBudget(log.state, call),
    isFrom: (origin, value) => provenance.isFrom(origin, value, context.instructions),
    isPersons: (path) => (edited?.has(path) ?? false) || provenance.isPersons(key, path),
    repeated: (toolName, input) => memory.repeated(toolName, input),
    openUnknown: memory.openUnknown,
    untrusted: provenance.untrusted,
    warnings: memory.warnings,
    async check(_toolName, input) {
      const answer = page.check(checkCallOf(ports, call, input))
      const reply = await within(checkTimeout, answer, `The check of ${call.toolName}`)
      if (!reply.ok) throw fromFailure(reply.failure)
      return reply.value
    },
  })
  return withGrant(ports, call, decision)
}

/** What a call may use up before the step is over. The other budgets are looked at between steps. */
function overBudget(state: RunState, { callId, toolName, nth }: CallState): BudgetName | undefined {
  const { used } = state
  const budget = budgetOf(state)
  if (nth > budget.calls) return 'calls'
  if (used.bytes >= budget.bytes) return 'bytes'
  if (toolName !== scriptToolName) return undefined
  // Scripts of one step are decided and started together: each counts those before it.
  const before = [...state.calls.values()].filter(
    (other) =>
      other.toolName === scriptToolName &&
      other.phase !== 'refused' &&
      other.phase !== 'started' &&
      isEarlier(other.callId, callId),
  )
  return used.scripts + before.length >= budget.scripts ? 'scripts' : undefined
}
