import { nearest } from '../../core/nearest.js'
import { Automaton } from './automaton.js'
import { wrong, type Definition } from './fault.js'
import { commonTerminals } from './lark-common.js'
import type { LarkGrammar } from './lark-syntax.js'
import { mostDeep, type Pattern, type Token } from './pattern.js'

/** What a rule takes in one piece. */
export interface Terminal extends Pick<Token, 'shown' | 'isText' | 'exact'> {
  /** Absent: it is exactly one text. */
  readonly automaton?: Automaton
  /** It may be no text at all. */
  readonly isNullable: boolean
}

/** The terminals of a grammar, by their names and as they are written in rules: each once. */
export class Terminals {
  readonly list: Terminal[] = []
  readonly #indexes = new Map<string, number>()
  readonly #written = new Map<string, Pattern>()

  constructor(
    private readonly definition: Definition,
    private readonly grammar: LarkGrammar,
  ) {}

  /** @throws {HandrailError} `invalid_tool` if there is none of that name, or it is a part of itself. */
  named(name: string, at: number): number {
    const pattern = this.#resolve(name, at, [])
    const isText = pattern.type === 'token' && pattern.isText
    return this.#index(name, pattern, isText ? pattern : { shown: name, isText })
  }

  of(token: Token): number {
    return this.#index(`${token.isText ? 'text' : 'regex'} ${token.shown}`, token, token)
  }

  automatonOf(pattern: Pattern): Automaton {
    return new Automaton(this.#writeOut(pattern, []), this.definition)
  }

  #index(key: string, pattern: Pattern, { shown, isText, exact }: Pick<Token, 'shown' | 'isText' | 'exact'>): number {
    const known = this.#indexes.get(key)
    if (known !== undefined) return known
    this.#indexes.set(key, this.list.length)
    if (exact !== undefined) return this.list.push({ shown, isText, exact, isNullable: false }) - 1
    // What is written out already may be the same part many times over: it is not walked again.
    const automaton = new Automaton(pattern, this.definition)
    return this.list.push({ shown, isText, automaton, isNullable: automaton.isNullable }) - 1
  }

  /** A terminal with those that it is made of. */
  #resolve(name: string, at: number, inside: readonly string[]): Pattern {
    const known = this.#written.get(name)
    if (known) return known
    const pattern = this.grammar.terminals.get(name)
    if (!pattern) return wrong(this.definition, at, `${name} is not defined${this.#adviceOn(name)}`)
    if (inside.length > mostDeep) wrong(this.definition, at, `it is nested deeper than ${mostDeep} levels`)
    if (inside.includes(name)) wrong(this.definition, at, `the terminal ${name} is a part of itself; only rules may be`)
    const written = this.#writeOut(pattern, [...inside, name])
    this.#written.set(name, written)
    return written
  }

  #adviceOn(name: string): string {
    if (Object.hasOwn(commonTerminals, name)) return `; "%import common.${name}" has one`
    const near = nearest(name, [...this.grammar.rules.keys(), ...this.grammar.terminals.keys()])
    return near === undefined ? '' : `; did you mean ${near}?`
  }

  #writeOut(pattern: Pattern, inside: readonly string[]): Pattern {
    switch (pattern.type) {
      case 'name':
        return this.#resolve(pattern.name, pattern.at, inside)
      case 'all':
      case 'any':
        return { ...pattern, parts: pattern.parts.map((part) => this.#writeOut(part, inside)) }
      case 'repeat':
        return { ...pattern, part: this.#writeOut(pattern.part, inside) }
      default:
        return pattern
    }
  }
}
