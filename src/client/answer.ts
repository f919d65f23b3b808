import { answerText } from '../core/answer-text.js'
import type { RunEvent } from '../core/events.js'
import type { Json } from '../core/json.js'
import { fromFailure, HandrailError, toFailure } from '../errors.js'

type RunEnd = RunEvent & { readonly type: 'run-end' }

const codes = { cancelled: 'run_cancelled', failed: 'run_failed', 'budget-exceeded': 'budget_exceeded' } as const

/** What a run that has ended answers, or why it has no answer. */
export function answerOf(runId: string, events: readonly RunEvent[], end: RunEnd): Json | HandrailError {
  const { outcome, budget, failure, message } = end
  if (outcome === 'completed') {
    const check = events.findLast((event) => event.type === 'answer-check')
    try {
      return check?.value === undefined ? answerText(events) : check.value
    } catch (error) {
      // A log without a chain may hold anything that folds.
      return new HandrailError('log_invalid', `Cannot read run "${runId}": ${toFailure(error).message}`)
    }
  }
  const reason = message ?? failure?.message ?? (budget && `the budget "${budget}" is used up`)
  return new HandrailError(codes[outcome], `Run "${runId}" ended ${outcome}${reason ? `: ${reason}` : ''}`, {
    retryable: failure?.retryable,
    cause: failure && fromFailure(failure),
  })
}
