/** Where the script is on the clock. */
export interface TimeZone {
  /**
   * Whether it is UTC, which needs no care.
   * @throws {RangeError} when there is no such zone
   */
  isUtc(): boolean
  /** What the engine asks for: seconds east of UTC at a time in seconds since 1970, or at a local time as if it was UTC. */
  offsetAt(seconds: number): number
  /** The instant of a local time, both in milliseconds: the first of two, and one that is skipped as if it was not. */
  toUtc(local: number): number
  /** Whether what the engine asks for is a local time from now on. */
  readLocal(isLocal: boolean): void
}

export const utc: TimeZone = {
  isUtc: () => true,
  offsetAt: () => 0,
  toUtc: (local) => local,
  readLocal: () => undefined,
}

/** No zone has changed its offset within a quarter of an hour since 1972. */
const quarter = 900
const mostRemembered = 10_000
const day = 86_400

/** What is known of a zone, for all scripts of this worker: a formatter takes longer to make than a script to start. */
interface Offsets {
  readonly isUtc: boolean
  readonly format: Intl.DateTimeFormat
  /** By quarter of an hour. */
  readonly remembered: Map<number, number>
}
const known = new Map<string, Offsets>()
const mostKnown = 10

/** @throws {RangeError} when there is no such zone */
function offsetsOf(name: string): Offsets {
  const found = known.get(name)
  if (found) return found
  if (known.size >= mostKnown) known.clear()
  const format = createFormat(name)
  const made = { isUtc: format.resolvedOptions().timeZone === 'UTC', format, remembered: new Map<number, number>() }
  known.set(name, made)
  return made
}

/** By its IANA name, which is looked at when it is used: few scripts do. */
export function createTimeZone(name: string): TimeZone {
  if (name === 'UTC') return utc
  let isLocal = false

  function offsetAt(seconds: number): number {
    const { format, remembered } = offsetsOf(name)
    const key = Math.floor(seconds / quarter)
    const offset = remembered.get(key)
    if (offset !== undefined) return offset
    if (remembered.size >= mostRemembered) remembered.clear()
    const read = readOffset(format.format(key * quarter * 1000))
    remembered.set(key, read)
    return read
  }

  function offsetOfLocal(local: number): number {
    const before = offsetAt(local - day)
    const after = offsetAt(local + day)
    if (before === after || offsetAt(local - before) === before) return before
    return offsetAt(local - after) === after ? after : before
  }

  const within = (seconds: number) => Math.max(-furthest, Math.min(furthest, seconds))
  return {
    isUtc: () => offsetsOf(name).isUtc,
    offsetAt: (seconds) => (isLocal ? offsetOfLocal(within(seconds)) : offsetAt(within(seconds))),
    toUtc: (local) => local - offsetOfLocal(within(Math.floor(local / 1000))) * 1000,
    readLocal(next) {
      isLocal = next
    },
  }
}

/** Seconds around 1970 that a Date can show, but for some days. */
const furthest = 8.64e12 - 2 * day

function createFormat(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  } catch (error) {
    throw new RangeError(`Cannot tell the local time: there is no time zone "${timeZone}"`, { cause: error })
  }
}

/** From a text that ends with `GMT`, `GMT+05:30` or `GMT-04:56:02`. */
function readOffset(text: string): number {
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(text) ?? []
  const offset = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return sign === '-' ? -offset : offset
}
