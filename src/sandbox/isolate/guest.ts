import type { Json } from '../../core/json.js'
import { NotJson, decode, encode, isBare } from './codec.js'
import type { Decoded } from './codec.js'
import type { Engine, Handle } from './engine.js'
import { createTimeZone, utc } from '../globals/time-zone.js'
import type { GuestError, GuestOptions } from './guest-options.js'
import { install, type OurFunction } from './install.js'
import { createNatives, type Natives } from './natives.js'
import type { PreparedGuest } from './prepared-guest.js'

/** What an uncaught exception says of itself, read without getters. */
export interface Thrown {
  readonly name?: string
  readonly message: string
  readonly code?: string
  readonly tool?: string
  readonly retryable?: boolean
  readonly stack?: string
}

/** Bytes, as JSON, of what describes an exception. */
const describedBytes = 64_000

/** The engine with our globals in it: values go in and come out as JSON. */
export interface Guest {
  readonly engine: Engine
  toHandle(value: Json): Handle
  /**
   * The value as JSON, or an error of the guest that names the path of what JSON cannot hold. Borrows the value.
   * @param limit bytes as JSON
   * @throws {TooLarge}
   */
  read(value: Handle, path: string, limit: number): Decoded | { readonly error: Handle }
  /** As a console shows it. */
  show(value: Handle, limit: number): string
  describe(thrown: Handle): Thrown
  /** @param site where it comes from, if not from where the guest is now */
  toError(error: GuestError, site?: Handle): Handle
  /** An error that knows where the guest is now. */
  site(): Handle
  /** The stack of a `site`. */
  stackOf(site: Handle): string | undefined
  /**
   * What `state` holds, if it is not what it held at the start.
   * @param limit bytes as JSON
   * @throws {TooLarge}
   */
  changedState(limit: number): Decoded | { readonly error: Handle } | undefined
}

/** Gives a prepared guest to a script: the options are of the same memory and version. */
export function createGuest(prepared: PreparedGuest, options: GuestOptions): Guest {
  const { engine, version } = prepared
  const { stopwatch } = options
  const zone = version === 1 ? utc : createTimeZone(options.timeZone)
  engine.begin({
    ...options,
    offsetAt: (seconds) => zone.offsetAt(seconds),
    call: (id, args) => natives.call(id, args),
  })
  const toHandle = (value: Json): Handle => engine.read(stopwatch.aside(() => encode(value)))
  const state = toHandle(options.state)
  const stateAtStart = engine.write(state)
  const natives: Natives = createNatives(engine, toHandle, {
    ...options,
    zone,
    refuse: (error) => engine.throw(toError(error)),
  })
  const stack = toHandle('stack')
  const ours = install(prepared, toHandle, natives, options, state)

  const readBare = (value: Handle, limit: number): Decoded | undefined => {
    try {
      return engine.lend(value, (memory, from, to) => stopwatch.aside(() => decode(memory, limit, from, to)))
    } catch (error) {
      if (error instanceof NotJson) return undefined
      throw error
    }
  }

  const readWith = (
    reader: OurFunction,
    value: Handle,
    path: string,
    limit: number,
  ): Decoded | { readonly error: Handle } => {
    const key = toHandle(path)
    const { error, value: copied } = ours.call(reader, value, key)
    engine.free(key)
    if (error !== undefined) return { error }
    const decoded = readBare(copied, limit)
    engine.free(copied)
    return decoded ?? { error: toError({ type: 'TypeError', code: 'failed', message: `${path} is not JSON` }) }
  }

  const read = (value: Handle, path: string, limit: number) =>
    readBare(value, limit) ?? readWith('copy', value, path, limit)

  const toError = (error: GuestError, site?: Handle): Handle => {
    const data = toHandle({ ...error })
    const made = site === undefined ? ours.call('makeError', data) : ours.call('makeError', data, site)
    engine.free(data)
    return made.error ?? made.value
  }

  return {
    engine,
    toHandle,
    toError,
    site() {
      const { error, value } = ours.site()
      return error ?? value
    },
    stackOf(site) {
      const value = engine.property(site, stack)
      const text = readBare(value, Infinity)?.value
      engine.free(value)
      return typeof text === 'string' ? text : undefined
    },
    read,
    changedState(limit) {
      const now = engine.write(state)
      return now && sameBytes(now, stateAtStart) ? undefined : read(state, 'state', limit)
    },
    show(value, limit) {
      const bytes = engine.write(value)
      const plain = bytes && !isBare(bytes) ? readBare(value, limit) : undefined
      const shown = plain ?? readWith('show', value, 'value', limit)
      if ('error' in shown) {
        engine.free(shown.error)
        return '[a value that throws when it is looked at]'
      }
      return typeof shown.value === 'string' ? shown.value : JSON.stringify(shown.value)
    },
    describe(thrown) {
      const described = readWith('describe', thrown, 'error', describedBytes)
      if ('error' in described) return { message: 'An exception that throws when it is looked at' }
      return described.value as unknown as Thrown
    },
  }
}

const sameBytes = (a: Uint8Array, b: Uint8Array | undefined): boolean =>
  a.length === b?.length && a.every((byte, i) => byte === b[i])
