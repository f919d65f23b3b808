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
    let line = ''
    for (const [i, arg] of args.entries()) {
      line += (i === 0 ? '' : ' ') + this.#show(guest, arg)
      if (line.length > this.limit) break
    }
    this.#bytes += this.stopwatch.aside(() => jsonBytes(line)) + 1
    this.#lines.push(this.#bytes > this.limit ? cutNote(this.limit) : line)
  }

  /** What was printed since the last time. */
  take(): string[] {
    return this.#lines.splice(0)
  }

  #show(guest: Guest, value: Handle): string {
    try {
      return guest.show(value, this.limit)
    } catch (error) {
      if (error instanceof TooLarge) return cutNote(this.limit)
      throw error
    }
  }
}
