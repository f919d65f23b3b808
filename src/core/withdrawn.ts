import type { Failure } from './failure.js'
import type { Message } from './transcript.js'

const codes: ReadonlySet<string> = new Set(['model_rate_limit', 'model_auth', 'model_bad_request'])

/** Whether a request failed in a way that says that the provider began nothing. */
export const isTurnedAway = (failure: Failure | undefined): boolean => codes.has(failure?.code ?? '')

const reasons = {
  unknown:
    'A person approved this call, and the request that said so broke off: it may or may not have taken effect. Do not ask for it again; a person must look.',
  cancelled: 'A person approved this call, and the run was stopped before it was done.',
} as const

/**
 * What a person approved and the provider runs, it runs when it reads so. An approval that no reply came to is taken back: sent
 * again, the call would be made twice, or in a later run that nobody approved it for.
 */
export function withdrawn(messages: readonly Message[], outcome: keyof typeof reasons): readonly Message[] {
  const answered = messages.findLastIndex(({ role }) => role === 'assistant')
  const text = JSON.stringify({ error: { code: outcome, message: reasons[outcome], retryable: false } })
  return messages.map((message, i) => {
    if (i < answered || message.role !== 'tool' || message.outcome !== 'ok' || !message.call.executor) return message
    return { ...message, outcome, text }
  })
}
