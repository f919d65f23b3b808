import type { ApprovalResponse, Grant, RunModes } from './approval.js'

/** A person's answer for the rest of a script. */
export interface OpenGrant extends Grant {
  /** The script's call. */
  readonly parent: string
  /** Calls that were started on it. */
  readonly used: number
}

/** By the call that was answered. */
export type Grants = ReadonlyMap<string, OpenGrant>

export const modesOf = ({ allow, readOnly, askAll }: RunModes): RunModes => ({
  ...(allow && { allow }),
  ...(readOnly && { readOnly }),
  ...(askAll && { askAll }),
})

/** Only a call of a script has others that an answer can be for. */
export function granted(
  grants: Grants,
  parent: string | undefined,
  { callId, grant }: ApprovalResponse & { readonly callId: string },
): Grants {
  if (!grant || parent === undefined) return grants
  return new Map(grants).set(callId, { ...grant, parent, used: 0 })
}

export function spent(grants: Grants, callId: string | undefined): Grants {
  const grant = callId === undefined ? undefined : grants.get(callId)
  return grant ? new Map(grants).set(callId!, { ...grant, used: grant.used + 1 }) : grants
}

export function withoutScript(grants: Grants, parent: string): Grants {
  const isOfIt = [...grants.values()].some((grant) => grant.parent === parent)
  return isOfIt ? new Map([...grants].filter(([, grant]) => grant.parent !== parent)) : grants
}
