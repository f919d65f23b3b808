import type { Handle } from './guest-memory.js'
import type { Callbacks, Functions } from './instance.js'
import { Poisoned } from './poisoned.js'

export interface Host {
  /** The guest called a native function; the arguments are borrowed. Returns a handle, which it gives away. */
  readonly call: (id: number, args: readonly Handle[]) => Handle
  /** Asked every few milliseconds: true ends the guest's code, which cannot catch it. */
  readonly shouldStop: () => boolean
}

/**
 * What the build asks its host for.
 * @param check throws when the guest may run no more
 * @param askSooner called each time that the engine asks whether to stop
 */
export const createCallbacks = (
  functions: Functions,
  { shouldStop, call }: Host,
  check: () => void,
  askSooner: () => void,
): Callbacks => ({
  callFunction: (_asyncify, _context, _self, count, args, id) => {
    check()
    // An interrupt that falls into a call of ours comes back as an error that the guest could catch for ever.
    if (shouldStop()) throw new Poisoned('stopped', 'A limit ended the script')
    const values: Handle[] = []
    for (let i = 0; i < count; i++) values.push(functions.QTS_ArgvGetJSValueConstPointer(args, i) as Handle)
    return call(id, values)
  },
  shouldInterrupt: () => {
    askSooner()
    return shouldStop() ? 1 : 0
  },
  freeHostRef: () => undefined,
  loadModuleSource: () => 0,
  normalizeModule: () => 0,
})
