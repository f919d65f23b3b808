import { unknownCode, type Failure } from './failure.js'

const codes: ReadonlySet<string> = new Set(['model_rate_limit', 'model_auth', 'model_bad_request'])

/** Whether a request failed in a way that says that the provider began nothing. */
export const isTurnedAway = (failure: Failure | undefined): boolean => codes.has(failure?.code ?? '')

const reasons = {
  unknown:
    'A person approved this call, and the request that said so broke off: it may or may not have taken effect. Do not ask for it again; a person must look.',
  cancelled: 'A person approved this call, and the run was stopped before it was done.',
} as const

/** What the model reads of an approval that was taken back. */
export function withdrawal(outcome: keyof typeof reasons): { outcome: typeof outcome; text: string; trusted: true } {
  const code = outcome === 'unknown' ? unknownCode : outcome
  const text = JSON.stringify({ error: { code, message: reasons[outcome], retryable: false } })
  return { outcome, text, trusted: true }
}
