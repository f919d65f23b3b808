import type { AskDetail } from '../core/approval.js'
import type { Failure, Outcome } from '../core/events.js'
import type { Json } from '../core/json.js'
import type { Risk } from '../core/tool-definition.js'
import type { GrantRequest } from '../runtime/protocol.js'

/** A tool call that waits for a person. */
export interface Approval {
  readonly callId: string
  readonly toolName: string
  /** As it will be executed. */
  readonly input: Json
  /** Absent for a tool that is not the agent's. */
  readonly risk?: Risk
  readonly reasons: readonly string[]
  /** Of input, reasons, tool and owner. */
  readonly hash: string
  /** What else there is to know of it. */
  readonly detail: AskDetail
  /** In milliseconds since 1970. */
  readonly askedAt: number
  /** From then on no answer is taken. Absent: there is time. */
  readonly expiresAt?: number
}

export interface ApproveOptions {
  /** The whole input to execute in place of the one that was shown; the gate checks it again. */
  readonly input?: Json
  /** Of the approval that the person was shown, when another may have taken its place since. Absent: of the one that is open. */
  readonly hash?: string
  /** Of a call of a script: the other calls of this tool by the same script too, within these bounds. */
  readonly rest?: GrantRequest
}

export interface DenyOptions {
  /** To the model. */
  readonly reason?: string
  /** As of `ApproveOptions`. */
  readonly hash?: string
  /** Of a call of a script: the other calls of this tool by the same script too. */
  readonly rest?: boolean
}

/** A call of which its tool says that a person must be told. */
export interface FailedCall {
  readonly callId: string
  readonly toolName: string
  readonly outcome: Outcome
  readonly failure?: Failure
}
