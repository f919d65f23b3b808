/** A failure as a value that the model can act on. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  /** Milliseconds that a provider asked to wait before the same is tried again. */
  readonly retryAfter?: number
}

/** What the model reads of a write that may or may not have taken effect. */
export const unknownCode = 'outcome_unknown'

/** What the model reads of a call that a person denied. */
export const denied = (reason?: string): Failure => ({
  code: 'denied',
  message: reason ? `A person denied this call: ${reason}` : 'A person denied this call.',
  retryable: false,
})

export const expired: Failure = { code: 'denied', message: 'The request for approval expired.', retryable: false }
