/** A failure as a value that the model can act on. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  /** Milliseconds that a provider asked to wait before the same is tried again. */
  readonly retryAfter?: number
}
