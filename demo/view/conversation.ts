import type { Outcome, RunEvent, ToolCall } from 'handrail'
import type { RunView } from '../desk.js'
import { fromRunModes, modeNames } from '../modes.js'

export type Item =
  | { readonly kind: 'user' | 'assistant'; readonly text: string; readonly isLive?: boolean }
  | { readonly kind: 'activity'; readonly text: string; readonly isLive: boolean }
  | { readonly kind: 'notice'; readonly text: string; readonly isError: boolean }

/** A run as people read it. Pure. */
export function conversation({ events, approvals, draft, isOpen, failure }: RunView): readonly Item[] {
  const items = events.flatMap((event, seq) => itemsOf(event, seq, events))
  if (draft?.text) items.push({ kind: 'assistant', text: draft.text, isLive: true })
  const isDoing = isOpen && failure === undefined && !(draft && !draft.toolName)
  const doing = approvals.length > 0 ? 'Waiting for your approval' : activityOf(draft?.toolName, events)
  if (isDoing) items.push({ kind: 'activity', text: doing, isLive: true })
  if (failure !== undefined) items.push(notice(`The assistant stopped here: ${failure}`, true))
  return items
}

function itemsOf(event: RunEvent, seq: number, events: readonly RunEvent[]): Item[] {
  switch (event.type) {
    case 'user-message':
      return [{ kind: 'user', text: event.text }]
    case 'assistant-message':
      return messageItems(event, seq, events)
    case 'answer-check':
      return event.verdict === 'repair'
        ? [{ kind: 'activity', text: `Asked again. ${event.failure?.message ?? ''}`, isLive: false }]
        : []
    case 'approval-response': {
      const name = toolOf(event.callId, events)
      return [notice(event.approved ? `You approved ${name}.` : withReason(`You denied ${name}`, event.reason))]
    }
    case 'tool-result':
      return event.callId.includes('/') ? [] : [{ kind: 'activity', text: doneText(event, events), isLive: false }]
    case 'approval-expired':
      return [notice(`Nobody answered in time: ${toolOf(event.callId, events)} was not called.`)]
    case 'mode-change':
      return [notice(`From here on the assistant may ${modeNames[fromRunModes(event)]}.`)]
    case 'tool-reconciled':
      return [
        notice(event.done ? `${event.toolName} took effect.` : `${event.toolName} was not found to have taken effect.`),
      ]
    case 'run-stop':
      return [
        notice(event.reason === 'cancelled' ? 'You stopped the assistant.' : 'The time for this request is over.'),
      ]
    case 'run-end':
      return endItems(event)
    default:
      return []
  }
}

function messageItems(
  { parts, complete, step }: RunEvent & { type: 'assistant-message' },
  seq: number,
  events: readonly RunEvent[],
): Item[] {
  const isTriedAgain =
    !complete && events.slice(seq).some((later) => later.type === 'step-start' && later.step === step)
  const text = parts.map((part) => (part.type === 'text' || part.type === 'refusal' ? part.text : '')).join('')
  return isTriedAgain || text.trim() === '' ? [] : [{ kind: 'assistant', text }]
}

const isSettled = (callId: string, events: readonly RunEvent[]): boolean =>
  events.some((event) => event.type === 'tool-result' && event.callId === callId)

function callOf(callId: string, events: readonly RunEvent[]): ToolCall | undefined {
  for (const event of events)
    if (event.type === 'assistant-message' || event.type === 'script-turn')
      for (const call of event.calls) if (call.callId === callId) return call
  return undefined
}

const toolOf = (callId: string, events: readonly RunEvent[]): string => callOf(callId, events)?.toolName ?? callId

const ends: Readonly<Record<Outcome, (name: string) => string>> = {
  ok: (name) => `Called ${name}`,
  error: (name) => `Called ${name}, which failed`,
  timeout: (name) => `Called ${name}, which did not answer in time`,
  unknown: (name) => `Called ${name}; it is not known whether it took effect`,
  denied: (name) => `Did not call ${name}`,
  cancelled: (name) => `Did not call ${name}`,
  skipped: (name) => `Did not call ${name}`,
}

function doneText({ callId, outcome }: RunEvent & { type: 'tool-result' }, events: readonly RunEvent[]): string {
  const call = callOf(callId, events)
  const toolName = call?.toolName ?? callId
  const isFailed = outcome === 'error'
  if (call?.executor) return outcome === 'ok' ? `The provider may now call ${toolName}` : ends.denied(toolName)
  if (toolName !== 'run_script') return ends[outcome](toolName)
  const calls = callsOf(callId, events)
  return `Ran a script that ${isFailed ? 'failed after' : 'made'} ${calls.length === 1 ? '1 call' : `${calls.length} calls`}`
}

/** What is going on, in words. */
function activityOf(writing: string | undefined, events: readonly RunEvent[]): string {
  if (writing === 'run_script') return 'Writing a script'
  if (writing !== undefined) return `Preparing ${writing}`
  if (events.length === 0) return 'Starting'
  const last = events.findLast((event) => event.type === 'assistant-message' && event.complete)
  const calls = last?.type === 'assistant-message' ? last.calls.filter(({ callId }) => !isSettled(callId, events)) : []
  if (calls.length === 0) return 'Thinking'
  const names = calls.map(({ callId, toolName }) => {
    if (toolName !== 'run_script') return toolName
    const made = callsOf(callId, events)
    return `a script: ${made.filter((id) => isSettled(id, events)).length} of ${made.length} calls done`
  })
  return `Running ${names.join(', ')}`
}

const callsOf = (callId: string, events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) =>
    event.type === 'script-turn' && event.callId === callId ? event.calls.map((call) => call.callId) : [],
  )

function endItems({ outcome, message, failure }: RunEvent & { type: 'run-end' }): Item[] {
  if (outcome === 'completed' || outcome === 'cancelled') return []
  const why = message ?? failure?.message ?? 'no reason is known'
  const what = outcome === 'failed' ? 'The assistant could not answer' : 'The assistant used up what a request may use'
  return [notice(`${what}: ${why}`, true)]
}

const withReason = (what: string, reason?: string): string => (reason ? `${what}: ${reason}` : `${what}.`)
const notice = (text: string, isError = false): Item => ({ kind: 'notice', text, isError })
