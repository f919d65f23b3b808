import { appendFileSync, closeSync, fsyncSync, openSync, readFileSync } from 'node:fs'
import type { Effect } from './ledger.js'

type Line =
  | { readonly type: 'effect'; readonly request: string; readonly effect: Effect }
  | { readonly type: 'void'; readonly key: string }

/**
 * What a server keeps of the orders: lines that are only added, on disk before they are acknowledged. It knows an order by its key
 * if the tool says that the key has no second effect; else only the same request, which came twice, is known again.
 */
export class ServerLedger {
  readonly #file: number
  readonly #lines: Line[] = []

  constructor(private readonly path: string) {
    this.#file = openSync(path, 'a')
  }

  /** Number of the effect; undefined if the key is void. */
  act(effect: Effect, request: string, isIdempotent: boolean): number | undefined {
    const isKnown = (line: Line) =>
      line.type === 'effect' && (line.request === request || (isIdempotent && line.effect.key === effect.key))
    const known = this.#lines.findIndex(isKnown)
    if (known >= 0) return known
    if (this.#lines.some((line) => line.type === 'void' && line.key === effect.key)) return undefined
    return this.#add({ type: 'effect', request, effect })
  }

  /** Number of the effect of this key; if there is none, the key is void from now on. */
  settle(key: string): number | undefined {
    const number = this.#lines.findIndex((line) => line.type === 'effect' && line.effect.key === key)
    if (number >= 0) return number
    this.#add({ type: 'void', key })
    return undefined
  }

  /** As they lie on the disk. */
  effects(): readonly Effect[] {
    const lines = readFileSync(this.path, 'utf8').split('\n').filter(Boolean)
    return lines.flatMap((text) => {
      const line = JSON.parse(text) as Line
      return line.type === 'effect' ? [line.effect] : []
    })
  }

  close(): void {
    closeSync(this.#file)
  }

  #add(line: Line): number {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`)
    fsyncSync(this.#file)
    return this.#lines.push(line) - 1
  }
}
