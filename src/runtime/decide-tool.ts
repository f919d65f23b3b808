import { scriptToolName } from '../core/built-ins.js'
import type { Decision, EventBody } from '../core/events.js'
import { budgetOf, type RunState } from '../core/state.js'
import type { CallState } from '../core/call-state.js'
import type { BudgetName } from '../core/usage.js'
import { fromFailure } from '../errors.js'
import { decide } from '../tools/gate.js'
import { isEarlier, type EffectOf } from '../core/next.js'
import type { RunPorts } from './ports.js'
import { within } from './within.js'

/** Steps 1 to 6 of the gate. */
export async function decideTool(ports: RunPorts, { call }: EffectOf<'decide-tool'>): Promise<EventBody> {
  return { type: 'tool-decision', callId: call.callId, ...(await askGate(ports, call)) }
}

/** Milliseconds that a tool's own check may take. */
const checkTimeout = 10_000

type GatePorts = Pick<RunPorts, 'log' | 'memory' | 'tools' | 'page'>

/** The gate's answer for a call as the session stands now. */
export function askGate({ log, memory, tools, page }: GatePorts, call: CallState): Promise<Decision> {
  const { header } = log.state
  const { mode, tools: chosen } = header?.toolChoice ?? {}
  return decide(call, {
    tools,
    owner: log.head.owner,
    ...log.state.modes,
    noTools: mode === 'none',
    ...(mode === 'auto' && chosen && { chosen }),
    overBudget: overBudget(log.state, call),
    repeated: (toolName, input) => memory.repeated(toolName, input),
    openUnknown: memory.openUnknown,
    async check(toolName, input) {
      const reply = await within(
        checkTimeout,
        page.check({
          toolName,
          input,
          caller: call.caller,
          session: log.head.session,
          runId: log.runId,
          callId: call.callId,
        }),
        `The check of ${toolName}`,
      )
      if (!reply.ok) throw fromFailure(reply.failure)
      return reply.value
    },
  })
}

/** What a call may use up before the step is over. The other budgets are looked at between steps. */
function overBudget(state: RunState, { callId, toolName }: CallState): BudgetName | undefined {
  const { used } = state
  const budget = budgetOf(state)
  if (used.calls > budget.calls) return 'calls'
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
