import { placeOf, foundAt, spend, type GrammarFault, type Meter } from './fault.js'
import { done, top, type Productions } from './productions.js'
import type { Terminal } from './terminals.js'

/** Steps that a place costs, beside its items. */
const placeSteps = 10
/** Ways that a character may go on, before it is only said that there are some. */
const mostWays = 6

/** A dot in a production, and the set in which the production began. */
interface Item {
  readonly dot: number
  readonly origin: number
}

/** What can be at one place of the text. */
interface ItemSet {
  readonly items: readonly Item[]
  /** By rule: the items that wait for it. Made when one of them first ends. */
  waiting?: Map<number, Item[]>
  /** By rule: what its end leads to, where that is only one thing after another. */
  tops?: Map<number, Item>
}

/**
 * Whether a text follows from the rules: Earley's way, which takes every grammar, with Leo's for recursion on the right. The
 * text is read in terminals, as the model wrote it: each the longest that it can be, those that the place allows, and no others.
 */
export function recognise(text: string, productions: Productions, meter: Meter): GrammarFault | undefined {
  return new Recogniser(text, productions, meter).run()
}

class Recogniser {
  readonly #sets: ItemSet[] = []
  /** By position: the items that are there. */
  readonly #ahead = new Map<number, Item[]>()
  /** Of the place that is being read; kept, as there are many places. */
  readonly #seen = new Set<number>()
  readonly #predicted = new Set<number>()
  #furthest = 0
  readonly #expected = new Set<string>()

  constructor(
    private readonly text: string,
    private readonly productions: Productions,
    private readonly meter: Meter,
  ) {}

  run(): GrammarFault | undefined {
    const { length } = this.text
    this.#ahead.set(0, [{ dot: this.productions.firsts[top]![0]!, origin: 0 }])
    let ends = false
    for (let at = 0; at <= length; at++) {
      const items = this.#ahead.get(at)
      if (!items) continue
      this.#ahead.delete(at)
      ends = this.#read(at, items) && at === length
    }
    if (ends) return undefined
    const position = this.#furthest
    const expected = [...this.#expected]
    return { position, ...placeOf(this.text, position), expected, found: foundAt(this.text, position) }
  }

  /** Whether the text could end there. */
  #read(at: number, seeds: readonly Item[]): boolean {
    const { ends, scanned } = this.#complete(seeds)
    for (const [terminal, items] of scanned) {
      const end = this.#scan(this.productions.terminals[terminal]!, at)
      if (end > at)
        this.#put(
          end,
          items.map(({ dot, origin }) => ({ dot: dot + 1, origin })),
        )
    }
    if (ends) this.#expect(at, 'the end of the text')
    const waiting = [...scanned.values()].flat()
    for (const ignored of this.productions.ignored) {
      const { end } = ignored.run(this.text, at, this.meter)
      // What was complete stays so, behind what says nothing.
      if (end > at) this.#put(end, ends ? [...waiting, { dot: 1, origin: 0 }] : waiting)
    }
    return ends
  }

  #put(at: number, items: readonly Item[]): void {
    spend(this.meter, items.length)
    const known = this.#ahead.get(at)
    if (known) known.push(...items)
    else this.#ahead.set(at, [...items])
  }

  /** All that follows from the items of a place, by terminal. */
  #complete(seeds: readonly Item[]): { readonly ends: boolean; readonly scanned: ReadonlyMap<number, Item[]> } {
    const { after, rule, firsts, isNullable } = this.productions
    const here = this.#sets.length
    const items: Item[] = []
    const scanned = new Map<number, Item[]>()
    const seen = this.#seen
    const predicted = this.#predicted
    seen.clear()
    predicted.clear()
    let ends = false
    const add = (dot: number, origin: number): void => {
      spend(this.meter, 1)
      const key = origin * after.length + dot
      if (seen.has(key)) return
      seen.add(key)
      items.push({ dot, origin })
    }
    this.#sets.push({ items })
    spend(this.meter, placeSteps)
    for (const { dot, origin } of seeds) add(dot, origin)
    for (const item of items) {
      const { dot, origin } = item
      const symbol = after[dot]!
      if (symbol === done) {
        if (rule[dot] === top) ends = true
        // One that is empty was passed over where it was predicted.
        else if (origin < here) for (const end of this.#endsOf(origin, rule[dot]!)) add(end.dot, end.origin)
        continue
      }
      if (isNullable(symbol)) add(dot + 1, origin)
      if (symbol < 0) {
        const known = scanned.get(~symbol)
        if (known) known.push(item)
        else scanned.set(~symbol, [item])
      } else if (!predicted.has(symbol)) {
        predicted.add(symbol)
        for (const first of firsts[symbol]!) add(first, here)
      }
    }
    return { ends, scanned }
  }

  /** What goes on where a rule that began in a set has ended. */
  #endsOf(origin: number, rule: number): readonly Item[] {
    const end = this.#topOf(origin, rule)
    if (end) return [end]
    const waiting = this.#waiting(origin, rule)
    spend(this.meter, waiting.length)
    return waiting.map((item) => ({ dot: item.dot + 1, origin: item.origin }))
  }

  /**
   * Where only one item waits for a rule, and ends with it, and only one for that, and so on: the last of them. Without this,
   * what is recursive on the right would end all of its levels at each of its places.
   */
  #topOf(origin: number, rule: number): Item | undefined {
    const path: { set: ItemSet; rule: number }[] = []
    const walked = new Set<number>()
    let found: Item | undefined
    let [index, symbol] = [origin, rule]
    for (;;) {
      spend(this.meter, 1)
      const set = this.#sets[index]!
      const known = set.tops?.get(symbol)
      if (known) {
        found = known
        break
      }
      const key = index * this.productions.firsts.length + symbol
      const waiting = this.#waiting(index, symbol)
      const [only] = waiting
      if (walked.has(key) || waiting.length !== 1 || this.productions.after[only!.dot + 1] !== done) break
      walked.add(key)
      path.push({ set, rule: symbol })
      found = { dot: only!.dot + 1, origin: only!.origin }
      ;[index, symbol] = [found.origin, this.productions.rule[found.dot]!]
    }
    if (found) for (const { set, rule: each } of path) (set.tops ??= new Map()).set(each, found)
    return found
  }

  #waiting(index: number, rule: number): readonly Item[] {
    const set = this.#sets[index]!
    if (!set.waiting) {
      spend(this.meter, set.items.length)
      set.waiting = new Map()
      for (const item of set.items) {
        const symbol = this.productions.after[item.dot]!
        if (symbol < 0 || symbol === done) continue
        const known = set.waiting.get(symbol)
        if (known) known.push(item)
        else set.waiting.set(symbol, [item])
      }
    }
    return set.waiting.get(rule) ?? []
  }

  /** Where the longest match ends; -1 if there is none. */
  #scan({ automaton, exact, shown, isText }: Terminal, at: number): number {
    if (exact !== undefined || !automaton) {
      spend(this.meter, 1)
      if (exact !== undefined && this.text.startsWith(exact, at)) return at + exact.length
      this.#expect(at, shown)
      return -1
    }
    const run = automaton.run(this.text, at, this.meter)
    const { end, stopped } = run
    if (isText || stopped === at) {
      if (end <= at) this.#expect(at, shown)
    } else if (end < stopped && stopped >= this.#furthest) {
      const ways = automaton.expected(this.text, run)
      if (ways.length > mostWays) this.#expect(stopped, `more of ${shown}`)
      else for (const way of ways) this.#expect(stopped, `${way} of ${shown}`)
    }
    return end
  }

  #expect(at: number, what: string): void {
    if (at < this.#furthest) return
    if (at > this.#furthest) this.#expected.clear()
    this.#furthest = at
    this.#expected.add(what)
  }
}
