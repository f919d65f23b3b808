import { parentOf } from '../core/call-id.js'
import type { CallState } from '../core/call-state.js'
import type { Decision } from '../core/events.js'
import { hasRoom, type OpenGrant } from '../core/grants.js'
import { canonicalJson, type Json } from '../core/json.js'
import { valuesAt } from '../core/value-path.js'
import type { GatePorts } from './ports.js'

/**
 * The gate's answer with what a person said for the rest of a script: it lets start what would ask, within its bounds, or denies
 * whatever is not denied yet. A person's own answer to the call comes first.
 */
export function withGrant(ports: GatePorts, call: CallState, decision: Decision): Decision {
  const parent = parentOf(call.callId)
  if (parent === undefined || decision.verdict === 'deny' || call.approved === decision.hash) return decision
  const { grants } = ports.log.state
  const ofScript = [...grants].filter(([, grant]) => grant.parent === parent && grant.toolName === call.toolName)
  if (ofScript.some(([, { approved }]) => !approved)) {
    const message = `A person denied this and every other call of ${call.toolName} by this script.`
    const rules = [...(decision.rules ?? []), 'grant']
    return { ...decision, verdict: 'deny', rules, failure: { code: 'denied', message, retryable: false } }
  }
  if (decision.verdict !== 'ask' || call.edited) return decision
  const found = ofScript.find(([id, grant]) => hasRoom(grants, id, call) && isWithin(ports, grant, call, decision))
  return found ? { ...decision, verdict: 'allow', grant: found[0] } : decision
}

function isWithin({ tools, memory }: GatePorts, grant: OpenGrant, call: CallState, decision: Decision): boolean {
  const input = decision.input ?? call.input ?? null
  const isShown = (reason: string) => grant.reasons.includes(reason)
  return (
    tools.get(call.toolName)?.hash === grant.tool &&
    (decision.reasons ?? []).every(isShown) &&
    (grant.untrusted || memory.provenance.untrusted.length === 0) &&
    Object.entries(grant.fixed).every(([path, value]) => isAt(input, path, value))
  )
}

function isAt(input: Json, path: string, value: Json): boolean {
  const [found, ...more] = valuesAt(input, path)
  return found !== undefined && more.length === 0 && canonicalJson(found.value) === canonicalJson(value)
}
