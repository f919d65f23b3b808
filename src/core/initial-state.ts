import type { RunState } from './state.js'
import { nothingUsed } from './usage.js'

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
