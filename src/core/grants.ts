import type { ApprovalResponse, Grant } from './approval.js'
import { parentOf } from './call-id.js'
import { askedAnew, type Calls, type CallState } from './call-state.js'

/** A person's answer for the rest of a script. */
export interface OpenGrant extends Grant {
  /** The script's call. */
  readonly parent: string
  /** Calls that were started on it. */
  readonly used: number
}

/** By the call that was answered. */
export type Grants = ReadonlyMap<string, OpenGrant>

interface Granting {
  readonly grants: Grants
  readonly calls: Calls
  readonly asking: number
}

/** Only a call of a script has others that an answer can be for. It is for those too that ask already, or are about to start. */
export function granted(
  { grants, calls, asking }: Granting,
  { callId, grant }: ApprovalResponse & { readonly callId: string },
): Granting {
  const parent = parentOf(callId)
  if (!grant || parent === undefined) return { grants, calls, asking }
  const isOther = (call: CallState) => call.callId !== callId && parentOf(call.callId) === parent
  const waits = ({ phase }: CallState) => phase === 'asking' || phase === 'ready'
  return {
    grants: new Map(grants).set(callId, { ...grant, parent, used: 0 }),
    calls: askedAnew(calls, (call) => isOther(call) && waits(call)),
    asking: asking - [...calls.values()].filter((call) => isOther(call) && call.phase === 'asking').length,
  }
}

/** Whether one more call may start on it. A read that was interrupted starts again on the grant that it has. */
export function hasRoom(grants: Grants, callId: string, call: Pick<CallState, 'grant'>): boolean {
  const grant = grants.get(callId)
  return !!grant?.approved && (call.grant === callId || grant.used < (grant.count ?? Infinity))
}

/** For a call that starts. Another one that is about to start on the same grant may find it used up. */
export function spent(
  { grants, calls }: Granting,
  call: CallState,
  callId: string | undefined,
): Omit<Granting, 'asking'> {
  const grant = callId === undefined || call.grant === callId ? undefined : grants.get(callId)
  if (!grant) return { grants, calls }
  return {
    grants: new Map(grants).set(callId!, { ...grant, used: grant.used + 1 }),
    calls: askedAnew(calls, (other) => other.phase === 'ready' && parentOf(other.callId) === grant.parent),
  }
}

export function withoutScript(grants: Grants, parent: string): Grants {
  const isOfIt = [...grants.values()].some((grant) => grant.parent === parent)
  return isOfIt ? new Map([...grants].filter(([, grant]) => grant.parent !== parent)) : grants
}
