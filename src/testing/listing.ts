import { answerText } from '../core/answer-text.js'
import type { Outcome, RunEvent } from '../core/events.js'
import type { Json } from '../core/json.js'
import { parentOf } from '../core/state.js'

/** What became of one call of a run. */
export interface ListedCall {
  readonly callId: string
  readonly tool: string
  /** As it was executed, or else as it was asked for. */
  readonly input: Json
  readonly isWrite: boolean
  readonly isStarted: boolean
  /** Every time that it asked a person. */
  readonly asked: readonly { readonly reasons: readonly string[]; readonly rules: readonly string[] }[]
  /** What persons said to it. */
  readonly answers: readonly string[]
  readonly outcome?: Outcome
  readonly code?: string
  readonly output?: Json
}

/** The calls of a run, in the order in which they were asked for. */
export function callsOf(events: readonly RunEvent[]): ListedCall[] {
  const calls = new Map<string, ListedCall>()
  /** Hashes that a person has approved: an ask with one of them asks nobody. */
  const approved = new Set<string>()
  const change = (callId: string, more: Partial<ListedCall>) => {
    const call = calls.get(callId)
    if (call) calls.set(callId, { ...call, ...more })
  }
  for (const event of events) {
    if (event.type === 'assistant-message' || event.type === 'script-turn')
      for (const { callId, toolName, input, inputText } of event.calls)
        calls.set(callId, {
          callId,
          tool: toolName,
          input: input ?? inputText ?? null,
          isWrite: false,
          isStarted: false,
          asked: [],
          answers: [],
        })
    const call = 'callId' in event ? calls.get(event.callId) : undefined
    if (!call) continue
    if (event.type === 'tool-decision') {
      const { input, reasons = [], rules = [] } = event
      const isAsked = event.verdict === 'ask' && !approved.has(`${event.callId} ${event.hash}`)
      const asked = isAsked ? [...call.asked, { reasons, rules }] : call.asked
      change(call.callId, { isWrite: event.mode === 'write', asked, ...(input !== undefined && { input }) })
    }
    if (event.type === 'approval-response') {
      const { edit, reason } = event
      if (event.approved) approved.add(`${event.callId} ${edit?.hash ?? event.hash}`)
      const answer = event.approved
        ? edit
          ? 'edited and approved'
          : 'approved'
        : `denied${reason ? `: ${reason}` : ''}`
      change(call.callId, { answers: [...call.answers, answer], ...(edit && { input: edit.input }) })
    }
    if (event.type === 'approval-expired') change(call.callId, { answers: [...call.answers, 'expired'] })
    if (event.type === 'tool-start')
      change(call.callId, { isStarted: true, ...(event.input !== undefined && { input: event.input }) })
    if (event.type === 'tool-result') {
      const { outcome, output, failure } = event
      change(call.callId, { outcome, ...(output !== undefined && { output }), ...(failure && { code: failure.code }) })
    }
  }
  return [...calls.values()]
}

/** The tool of each call. */
export const namesOf = (events: readonly RunEvent[]): Map<string, string> =>
  new Map(callsOf(events).map(({ callId, tool }) => [callId, tool]))

/** An event in few words. */
export function nameOf(event: RunEvent, names: ReadonlyMap<string, string>): string {
  if ('callId' in event) return `${event.type} of call ${event.callId} (${names.get(event.callId) ?? '?'})`
  return 'step' in event ? `${event.type} of step ${event.step}` : event.type
}

/** Characters of one value in a listing. */
const mostShown = 160

/** What a run did, for a person: a line for each message and call. */
export function listingOf(events: readonly RunEvent[]): string {
  const calls = new Map(callsOf(events).map((call) => [call.callId, call]))
  return events.flatMap((event) => linesOf(event, calls)).join('\n')
}

function linesOf(event: RunEvent, calls: ReadonlyMap<string, ListedCall>): string[] {
  switch (event.type) {
    case 'user-message':
      return [`user: ${shown(event.text)}`]
    case 'assistant-message': {
      const text = answerText([event])
      const cut = event.complete ? [] : [`  (cut: ${event.failure?.message ?? 'no reason'})`]
      return [...(text === '' ? [] : [`assistant: ${shown(text)}`]), ...cut, ...event.calls.map(lineOf(calls))]
    }
    case 'script-turn':
      return event.calls.map(lineOf(calls))
    case 'run-stop':
      return [`stopped: ${event.reason}`]
    case 'run-end':
      return [`end: ${event.outcome}${event.failure ? ` (${event.failure.message})` : ''}`]
    default:
      return []
  }
}

const lineOf =
  (calls: ReadonlyMap<string, ListedCall>) =>
  ({ callId }: { readonly callId: string }): string => {
    const { tool, input, asked, answers, outcome, code, output } = calls.get(callId)!
    const ask = asked.map(({ reasons }) => ` asked (${reasons.join(' ')})`).join(',')
    const end = outcome === undefined ? ' open' : ` ${outcome}${code === undefined ? '' : ` (${code})`}`
    const gave = output === undefined ? '' : ` ${shown(output)}`
    const depth = parentOf(callId) === undefined ? '  ' : '    '
    return `${depth}${callId} ${tool} ${shown(input)}${ask}${answers.map((said) => ` ${said}`).join('')} ->${end}${gave}`
  }

export function shown(value: unknown): string {
  const text =
    value === undefined
      ? 'nothing'
      : JSON.stringify(value, (_key, item: unknown) => (item instanceof RegExp ? String(item) : item))
  return text.length <= mostShown ? text : `${text.slice(0, mostShown)}…`
}
