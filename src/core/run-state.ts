import type { RunModes } from './approval.js'
import type { Calls } from './call-state.js'
import type { Failure, RunHeader, RunOutcome, StopReason, ToolCall } from './events.js'
import type { Grants } from './grants.js'
import { nothingUsed, type Used } from './usage.js'

/** Only what decides what is due next. Settled calls leave it; the transcript is another fold over the same log. */
export interface RunState {
  readonly status: 'running' | RunOutcome
  readonly header?: RunHeader
  readonly epoch: number
  readonly stop?: StopReason
  readonly used: Used
  readonly step: Step
  /** The run demands a call that the model has not made yet. */
  readonly owesCall: boolean
  /** Open calls only, the model's and the scripts'. */
  readonly calls: Calls
  /** How many of them wait for a person. */
  readonly asking: number
  /** Writes that settled as unknown and that nobody has found done yet: the person is asked, the run does not wait. */
  readonly unknown: ReadonlyMap<string, ToolCall>
  /** By the call that was answered, until its script settles. */
  readonly grants: Grants
  readonly modes: RunModes
  readonly lastAt: number
}

export interface Step {
  readonly n: number
  readonly attempt: number
  readonly epoch: number
  /**
   * due: a request must be made; open: it is being answered; calls: its calls are open; answered: it asked for nothing, and may
   * not be the answer; final: it is.
   */
  readonly phase: 'due' | 'open' | 'calls' | 'answered' | 'final' | 'failed'
  /** Why the last attempt was cut. */
  readonly failure?: Failure
}

/** Of a run with no event. */
export const initialState: RunState = {
  status: 'running',
  epoch: 0,
  used: nothingUsed,
  step: { n: 0, attempt: 0, epoch: 0, phase: 'final' },
  owesCall: false,
  calls: new Map(),
  asking: 0,
  unknown: new Map(),
  grants: new Map(),
  modes: {},
  lastAt: 0,
}
