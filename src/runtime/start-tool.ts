import { canonicalJson } from '../core/json.js'
import type { EventBody } from '../core/events.js'
import { isMet } from '../core/state.js'
import { askGate, decisionOf } from './decide-tool.js'
import type { EffectOf } from '../core/next.js'
import type { RunPorts } from './ports.js'

/** Step 7 of the gate: once more, right before the start. Only an approval of the same hash, or one for the rest of its script, meets an ask. */
export async function startTool(ports: RunPorts, { call }: EffectOf<'start-tool'>): Promise<EventBody> {
  const { callId } = call
  const decision = await askGate(ports, call)
  if (!isMet(call, decision.verdict, decision.hash)) return decisionOf(ports, call, decision)
  const { hash, input, mode, grant } = decision
  const isSame = input === undefined || canonicalJson(input) === canonicalJson(call.input ?? null)
  const pinned = mode === 'script' ? { tools: namesFor(ports), limits: ports.limits } : {}
  return { type: 'tool-start', callId, hash, ...(isSame ? {} : { input }), ...(grant && { grant }), ...pinned }
}

/** The tools that a script sees for its whole life, also when it is replayed by a page that has others. */
const namesFor = ({ tools }: RunPorts): string[] => tools.scriptTools.map(({ name }) => name)
