import { TooLarge, jsonBytes } from './codec.js'
import type { Handle } from './engine.js'
import type { Guest } from './guest.js'
import type { Stopwatch } from './stopwatch.js'

/** Bytes of a value that is shown in part, as JSON. */
const longestValue = 4 << 20

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
    const left = this.limit - this.#bytes
    if (left < 0) return
    const { line, isWhole } = this.#lineOf(guest, args)
    const bytes = this.stopwatch.aside(() => jsonBytes(line)) + 1
    if (isWhole && bytes <= left) {
      this.#bytes += bytes
      this.#lines.push(line)
      return
    }
    this.#bytes = Infinity
    // The beginning is what a model looks for: a list that is printed whole tells by it what is in it.
    const begin = this.stopwatch.aside(() => beginOf(line, left))
    this.#lines.push(...(begin === '' ? [] : [`${begin}…`]), cutNote(this.limit))
  }

  /** What was printed since the last time. */
  take(): string[] {
    return this.#lines.splice(0)
  }

  /** Not whole when it is longer than may be printed, or would take long to be shown. */
  #lineOf(guest: Guest, args: readonly Handle[]): { readonly line: string; readonly isWhole: boolean } {
    const most = Math.max(this.limit, longestValue)
    let line = ''
    try {
      for (const [i, arg] of args.entries()) {
        line += (i === 0 ? '' : ' ') + guest.show(arg, most)
        if (line.length > this.limit) return { line, isWhole: false }
      }
      return { line, isWhole: true }
    } catch (error) {
      if (error instanceof TooLarge) return { line, isWhole: false }
      throw error
    }
  }
}

/** As much of a text as has so many bytes, and no half of a character. */
function beginOf(text: string, most: number): string {
  let begin = text.slice(0, Math.max(0, most))
  for (let bytes = jsonBytes(begin); begin !== '' && bytes > most; bytes = jsonBytes(begin))
    begin = begin.slice(0, Math.floor((begin.length * most) / bytes))
  return begin.replace(/[\ud800-\udbff]$/, '')
}
