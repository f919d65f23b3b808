import type { EventBody, RunEvent, RunHeader, ToolCall } from '../../src/core/events.js'
import { fold, type RunState } from '../../src/core/state.js'
import { defaultBudget, type Budget } from '../../src/core/usage.js'

export const header = (budget: Partial<Budget> = {}): RunHeader => ({
  format: 1,
  runId: 'r',
  session: 's',
  owner: 'ann',
  epoch: 1,
  model: { provider: 'scripted', model: 'one' },
  contextHash: 'c',
  seed: 7,
  locale: 'en',
  timeZone: 'UTC',
  budget: { ...defaultBudget, ...budget },
})

export const call = (callId: string, toolName = 'tool', input: ToolCall['input'] = {}): ToolCall => ({
  callId,
  toolName,
  input,
  caller: callId.includes('/') ? 'script' : 'model',
})

/** A run whose model was asked once. */
export const asked: readonly EventBody[] = [
  { type: 'run-start', ...header() },
  { type: 'user-message', text: 'go' },
  { type: 'step-start', step: 1, attempt: 1 },
]

/** A run whose model asked for these calls. */
export const calling = (...callIds: string[]): EventBody[] => [
  ...asked,
  {
    type: 'assistant-message',
    step: 1,
    complete: true,
    parts: [],
    calls: callIds.map((id) => call(id)),
    finish: 'calls',
  },
]

export const decided = (
  callId: string,
  mode: 'read' | 'write' | 'script',
  verdict: 'allow' | 'ask' | 'deny' = 'allow',
): EventBody => ({ type: 'tool-decision', callId, verdict, mode, hash: `h:${callId}` })
export const started = (callId: string): EventBody => ({ type: 'tool-start', callId, hash: `h:${callId}` })
export const settled = (callId: string, outcome: 'ok' | 'error' | 'unknown' | 'denied' = 'ok'): EventBody => ({
  type: 'tool-result',
  callId,
  outcome,
})
export const approved = (callId: string): EventBody => ({
  type: 'approval-response',
  callId,
  hash: `h:${callId}`,
  approved: true,
})

/** Events of one moment; those that have a time keep it. */
export const stamped = (bodies: readonly (EventBody | RunEvent)[]): RunEvent[] =>
  bodies.map((body) => ({ at: 0, ...body }))

export const stateOf = (...bodies: (EventBody | RunEvent)[]): RunState => fold(stamped(bodies))
