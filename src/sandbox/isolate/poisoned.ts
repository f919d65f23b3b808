/** The isolate is lost: memory ran out, the host's stack overflowed, wasm trapped, or a limit ended it. Enter it no more. */
export class Poisoned extends Error {
  constructor(
    readonly reason: 'memory' | 'stack' | 'crashed' | 'stopped',
    message: string,
  ) {
    super(message)
  }
}

export const outOfMemory = (): Poisoned => new Poisoned('memory', 'The engine has no memory left')

export function toPoisoned(error: unknown): Poisoned {
  if (error instanceof Poisoned) return error
  // V8 and JavaScriptCore throw a RangeError, SpiderMonkey an InternalError.
  const { name, message } = error as Error
  const isStack = name === 'RangeError' || name === 'InternalError'
  return new Poisoned(isStack ? 'stack' : 'crashed', `${name}: ${message}`)
}
