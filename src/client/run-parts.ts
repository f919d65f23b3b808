import { evolve } from '../core/state.js'
import { answerOf } from './answer.js'
import { toApprove, toDeny, toReconcile } from './run-commands.js'
import { toApprovals, toFailedCalls } from './shown-calls.js'

/** What a run needs from its first event on. It is loaded with the worker, before which there are none. */
export interface RunParts {
  readonly evolve: typeof evolve
  readonly answerOf: typeof answerOf
  readonly toApprove: typeof toApprove
  readonly toDeny: typeof toDeny
  readonly toReconcile: typeof toReconcile
  readonly toApprovals: typeof toApprovals
  readonly toFailedCalls: typeof toFailedCalls
}

export const runParts: RunParts = { evolve, answerOf, toApprove, toDeny, toReconcile, toApprovals, toFailedCalls }
