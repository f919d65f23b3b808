import { TooLarge, jsonBytes } from './codec.js'
import type { Handle } from './engine.js'
import type { Guest } from './guest.js'
import type { Stopwatch } from './stopwatch.js'

const cutNote = (bytes: number) => `[cut: a script may print ${bytes} bytes]`

/** The lines that a script prints, up to a number of bytes; what is more is cut, with a note as the last line. */
export class Printer {
  #lines: string[] = []
  #bytes = 0

  constructor(
    private readonly limit: number,
    private readonly stopwatch: Stopwatch,
  ) {}

  print(guest: Guest, args: readonly Handle[]): void {
    if (this.#bytes > this.limit) return
    const line = this.#lineOf(guest, args)
    this.#bytes += line === undefined ? Infinity : this.stopwatch.aside(() => jsonBytes(line)) + 1
    this.#lines.push(line === undefined || this.#bytes > this.limit ? cutNote(this.limit) : line)
  }

  /** What was printed since the last time. */
  take(): string[] {
    return this.#lines.splice(0)
  }

  /** None when it is too long: what it takes to find that out a thousand times is no time of the script. */
  #lineOf(guest: Guest, args: readonly Handle[]): string | undefined {
    let line = ''
    try {
      for (const [i, arg] of args.entries()) {
        line += (i === 0 ? '' : ' ') + guest.show(arg, this.limit)
        if (line.length > this.limit) return undefined
      }
      return line
    } catch (error) {
      if (error instanceof TooLarge) return undefined
      throw error
    }
  }
}
