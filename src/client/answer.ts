import type { RunEvent } from '../core/events.js'
import { fromFailure, HandrailError } from '../errors.js'

type RunEnd = RunEvent & { readonly type: 'run-end' }

const codes = { cancelled: 'run_cancelled', failed: 'run_failed', 'budget-exceeded': 'budget_exceeded' } as const

/** What a run that has ended answers, or why it has no answer. */
export function answerOf(runId: string, events: readonly RunEvent[], end: RunEnd): string | HandrailError {
  const { outcome, budget, failure, message } = end
  if (outcome === 'completed') return lastText(events)
  const reason = message ?? failure?.message ?? (budget && `the budget "${budget}" is used up`)
  return new HandrailError(codes[outcome], `Run "${runId}" ended ${outcome}${reason ? `: ${reason}` : ''}`, {
    retryable: failure?.retryable,
    cause: failure && fromFailure(failure),
  })
}

/** What the model said last; when it declined, that. */
function lastText(events: readonly RunEvent[]): string {
  const last = events.findLast((event) => event.type === 'assistant-message' && event.complete)
  if (last?.type !== 'assistant-message') return ''
  return last.parts.map((part) => (part.type === 'text' || part.type === 'refusal' ? part.text : '')).join('')
}
