import type { Failure } from './core/events.js'

const brand = Symbol.for('handrail.error')

/** Every error of the public API. `code` is stable; `message` says what was wrong, where, and what was expected. */
export class HandrailError extends Error {
  readonly [brand] = true
  override readonly name: string = 'HandrailError'
  readonly retryable: boolean
  /** Milliseconds that a provider asked to wait before the same is tried again. */
  readonly retryAfter: number | undefined

  constructor(
    readonly code: string,
    message: string,
    options: { retryable?: boolean; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.retryable = options.retryable ?? false
    this.retryAfter = options.retryAfter
  }

  static is(error: unknown): error is HandrailError {
    return typeof error === 'object' && error !== null && brand in error
  }
}

/**
 * Thrown by a tool's `run` to refuse: nothing was done, and the model reads `code` and `message`. Any other exception of a
 * write leaves its outcome unknown.
 */
export class ToolError extends HandrailError {
  override readonly name = 'ToolError'
}

/** Plain data, for a log or a message to another thread. */
export function toFailure(error: unknown, code = 'failed'): Failure {
  if (HandrailError.is(error)) {
    const { code: own, message, retryable, retryAfter } = error
    return { code: own, message, retryable, ...(retryAfter !== undefined && { retryAfter }) }
  }
  return { code, message: messageOf(error), retryable: false }
}

/** What was thrown may be anything, also an object that has no text. */
function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error)
  } catch {
    return 'Something was thrown that has no text'
  }
}

export const fromFailure = ({ code, message, ...more }: Failure): HandrailError =>
  new HandrailError(code, message, more)
