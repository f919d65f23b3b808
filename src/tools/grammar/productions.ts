import type { Automaton } from './automaton.js'
import { wrong, type Definition } from './fault.js'
import { parseLark, type LarkGrammar } from './lark-syntax.js'
import { mostParts, tooLarge, type Pattern, type Repeat } from './pattern.js'
import { Terminals, type Terminal } from './terminals.js'

/** After the last symbol of a production. */
export const done = 0x7fffffff

/** Rules as an Earley recogniser wants them. A symbol is a rule from 0, or the terminal `~symbol`. */
export interface Productions {
  /** By dot: the symbol after it. The dots of a production are in a row. */
  readonly after: readonly number[]
  /** By dot: the rule it is in. */
  readonly rule: readonly number[]
  /** By rule: the first dot of each of its productions. */
  readonly firsts: readonly (readonly number[])[]
  readonly terminals: readonly Terminal[]
  readonly ignored: readonly Automaton[]
  /** Whether a symbol may be no text at all. */
  readonly isNullable: (symbol: number) => boolean
}

/** The rule whose only production is `start`. */
export const top = 0

/**
 * @throws {HandrailError} `invalid_tool`, with the place: for what is no grammar, a name that is not defined, a rule that no
 * text could end.
 */
export function toProductions(definition: Definition): Productions {
  const builder = new Builder(definition, parseLark(definition))
  return builder.build()
}

class Builder {
  readonly #after: number[] = []
  readonly #rule: number[] = []
  readonly #firsts: number[][] = []
  readonly #rules = new Map<string, number>()
  readonly #terminals: Terminals

  constructor(
    private readonly definition: Definition,
    private readonly grammar: LarkGrammar,
  ) {
    this.#terminals = new Terminals(definition, grammar)
  }

  build(): Productions {
    const { rules, ignored } = this.grammar
    if (!rules.has('start')) wrong(this.definition, 0, 'there is no rule "start"')
    this.#newRule()
    for (const name of rules.keys()) this.#rules.set(name, this.#newRule())
    this.#produce(top, [this.#rules.get('start')!])
    for (const [name, pattern] of rules)
      for (const option of optionsOf(pattern)) this.#produce(this.#rules.get(name)!, this.#expand(option))
    // A terminal that no rule has is checked as well.
    for (const name of this.grammar.terminals.keys()) this.#terminals.named(name, 0)
    const nullable = this.#derive((symbol) => this.#terminals.list[~symbol]!.isNullable)
    this.#checkEnds()
    return {
      after: this.#after,
      rule: this.#rule,
      firsts: this.#firsts,
      terminals: this.#terminals.list,
      ignored: ignored.map((pattern) => this.#terminals.automatonOf(pattern)),
      isNullable: nullable,
    }
  }

  #newRule(): number {
    return this.#firsts.push([]) - 1
  }

  #produce(rule: number, symbols: readonly number[], at = 0): void {
    if (this.#after.length + symbols.length > mostParts) tooLarge(this.definition, at)
    this.#firsts[rule]!.push(this.#after.length)
    for (const symbol of [...symbols, done]) {
      this.#after.push(symbol)
      this.#rule.push(rule)
    }
  }

  #expand(pattern: Pattern): readonly number[] {
    switch (pattern.type) {
      case 'all':
        return pattern.parts.flatMap((part) => this.#expand(part))
      case 'any': {
        const rule = this.#newRule()
        for (const option of pattern.parts) this.#produce(rule, this.#expand(option))
        return [rule]
      }
      case 'repeat':
        return this.#repeat(pattern)
      case 'name':
        return [this.#rules.get(pattern.name) ?? ~this.#terminals.named(pattern.name, pattern.at)]
      case 'token':
        return [~this.#terminals.of(pattern)]
      default:
        throw new Error(`A rule has a ${pattern.type} that is in no terminal`)
    }
  }

  /** What repeats without end is recursive on the left, which costs least; what need not be there, on the right. */
  #repeat({ part, least, most, at }: Repeat): readonly number[] {
    const symbols = this.#expand(part)
    const copies = (times: number): number[] => Array.from({ length: times }, () => symbols).flat()
    if (symbols.length * Math.max(least, most === Infinity ? 0 : most) > mostParts) tooLarge(this.definition, at)
    if (most === Infinity) {
      const rule = this.#newRule()
      this.#produce(rule, least === 1 ? symbols : [], at)
      this.#produce(rule, [rule, ...symbols], at)
      return least > 1 ? [...copies(least), rule] : [rule]
    }
    let rest: readonly number[] = []
    for (let i = least; i < most; i++) {
      const rule = this.#newRule()
      this.#produce(rule, [], at)
      this.#produce(rule, [...symbols, ...rest], at)
      rest = [rule]
    }
    return [...copies(least), ...rest]
  }

  /** Symbols of which one production has only symbols that are given, or are found in the same way. */
  #derive(given: (symbol: number) => boolean): (symbol: number) => boolean {
    const found = new Set<number>()
    const is = (symbol: number) => found.has(symbol) || (symbol < 0 && given(symbol))
    const missing = new Map<number, number>()
    const users = new Map<number, number[]>()
    const todo: number[] = []
    for (const first of this.#firsts.flat()) {
      let count = 0
      for (let dot = first; this.#after[dot] !== done; dot++) {
        const symbol = this.#after[dot]!
        if (symbol < 0 && is(symbol)) continue
        count++
        if (symbol < 0) continue
        const known = users.get(symbol)
        if (known) known.push(first)
        else users.set(symbol, [first])
      }
      missing.set(first, count)
      if (count === 0) todo.push(first)
    }
    for (const first of todo) {
      const rule = this.#rule[first]!
      if (found.has(rule)) continue
      found.add(rule)
      for (const user of users.get(rule) ?? []) {
        const left = missing.get(user)! - 1
        missing.set(user, left)
        if (left === 0) todo.push(user)
      }
    }
    return is
  }

  #checkEnds(): void {
    const ends = this.#derive(() => true)
    for (const [name, rule] of this.#rules)
      if (!ends(rule)) {
        const at = new RegExp(`^[ \\t!?]*${name}[ \\t]*:`, 'm').exec(this.definition.text)?.index ?? 0
        wrong(this.definition, at, `no text can end the rule ${name}: each of its options has the rule itself in it`)
      }
  }
}

const optionsOf = (pattern: Pattern): readonly Pattern[] => (pattern.type === 'any' ? pattern.parts : [pattern])
