import type { RunEvent, Verdict } from '../core/events.js'
import type { Risk, ToolDefinition } from '../core/tool-definition.js'

/** What the agent's policy must have been, as its decisions show it: the log does not hold it. */
export function policyOf(
  events: readonly RunEvent[],
  definitions: readonly ToolDefinition[],
): Partial<Record<Risk, Verdict>> {
  const risks = new Map(definitions.map((definition) => [definition.name, definition]))
  const names = new Map<string, string>()
  const policy: Partial<Record<Risk, Verdict>> = {}
  for (const event of events) {
    if (event.type === 'assistant-message' || event.type === 'script-turn')
      for (const { callId, toolName } of event.calls) names.set(callId, toolName)
    if (event.type !== 'tool-decision') continue
    const definition = risks.get(names.get(event.callId) ?? '')
    if (!definition || definition.approval?.needed !== undefined || definition.checked) continue
    if (event.rules?.includes('risk')) policy[definition.risk] = event.failure?.code === 'not_allowed' ? 'deny' : 'ask'
    else if (event.verdict === 'allow' && event.grant === undefined) policy[definition.risk] ??= 'allow'
  }
  return policy
}
