import { literal } from './characters.js'
import { wrong, wrongAt, type Definition } from './fault.js'
import { edgeOf, mostDeep, mostParts, oneOf, type Pattern } from './pattern.js'
import { readBrackets, readClass, readEscape } from './regex-brackets.js'
import { Reader } from './reader.js'

export interface RegexOptions {
  /** As Rust writes them: i, m, s, u, x, and U, which changes no verdict. */
  readonly flags?: string
  /** Whether lazy quantifiers may be there: they change nothing where all of a text must match. */
  readonly lazy: boolean
}

const flagLetters = 'imsuxU'
const lookAround = /(?:\?<?[=!])/y

/**
 * A regular expression in the syntax of Rust's, which stands from `from` to `to` in the definition of a grammar.
 * @throws {HandrailError} `invalid_tool`, with the place and what must be there.
 */
export function parseRegex(
  definition: Definition,
  options: RegexOptions,
  from = 0,
  to = definition.text.length,
): Pattern {
  return new RegexParser(new Reader(definition, from, to), options).whole()
}

class RegexParser {
  #flags: ReadonlySet<string>
  readonly #lazy: boolean

  constructor(
    private readonly reader: Reader,
    { flags = '', lazy }: RegexOptions,
  ) {
    this.#flags = new Set(`u${flags}`)
    this.#lazy = lazy
  }

  whole(): Pattern {
    const pattern = this.#choice(0)
    if (this.reader.at < this.reader.text.length) this.reader.fail('the end, or a "(" before it')
    return pattern
  }

  #choice(depth: number): Pattern {
    if (depth > mostDeep) wrong(this.reader.definition, this.reader.at, `it is nested deeper than ${mostDeep} levels`)
    const outer = this.#flags
    const options = [this.#sequence(depth)]
    while (this.reader.eat('|')) options.push(this.#sequence(depth))
    this.#flags = outer
    return oneOf(options)
  }

  #sequence(depth: number): Pattern {
    const parts: Pattern[] = []
    for (;;) {
      this.#skipBlank()
      const next = this.reader.peek()
      if (next === '' || next === '|' || next === ')') return parts.length === 1 ? parts[0]! : { type: 'all', parts }
      const atom = this.#atom(depth)
      if (atom) parts.push(this.#repeated(atom))
    }
  }

  /** Nothing for flags, which are for what follows. */
  #atom(depth: number): Pattern | undefined {
    const start = this.reader.at
    const next = this.reader.take()
    switch (next) {
      case '(':
        return this.#group(depth)
      case '[':
        return this.#set(readBrackets(this.reader, this.#flags, depth), start)
      case '.': {
        const test = this.#flags.has('s') ? () => true : (point: number) => point !== 10
        return { type: 'character', set: { has: test, shown: 'any character' } }
      }
      case '^':
      case '$':
        return this.#edge(next, start)
      case '\\':
        return this.#escape(start)
      case '*':
      case '+':
      case '?':
      case '{':
        return wrongAt(this.reader.definition, start, `something that ${JSON.stringify(next)} can repeat`)
      default:
        return { type: 'character', set: literal(next.codePointAt(0)!, this.#flags.has('i')) }
    }
  }

  #repeated(atom: Pattern): Pattern {
    let part = atom
    for (;;) {
      this.#skipBlank()
      const at = this.reader.at
      const range = this.#counts()
      if (!range) return part
      this.#skipBlank()
      const lazyAt = this.reader.at
      if (this.reader.eat('?') && !this.#lazy)
        wrong(this.reader.definition, lazyAt, 'lazy quantifiers are not supported')
      part = { type: 'repeat', part, least: range[0], most: range[1], at }
    }
  }

  #counts(): readonly [least: number, most: number] | undefined {
    if (this.reader.eat('*')) return [0, Infinity]
    if (this.reader.eat('+')) return [1, Infinity]
    if (this.reader.eat('?')) return [0, 1]
    const start = this.reader.at
    if (!this.reader.eat('{')) return undefined
    const counts = this.reader.match(/\s*(\d*)\s*(,?)\s*(\d*)\s*\}/y)
    if (!counts || (counts[1] === '' && counts[3] === '')) return this.reader.fail('a count such as {2}, {2,} or {2,5}')
    const least = Number(counts[1])
    const most = counts[2] === '' ? least : counts[3] === '' ? Infinity : Number(counts[3])
    if (least > most) wrong(this.reader.definition, start, `the least count, ${least}, is more than the most, ${most}`)
    if (Math.max(least, most === Infinity ? 0 : most) > mostParts)
      wrong(this.reader.definition, start, `it is too large: a count may be at most ${mostParts}`)
    return [least, most]
  }

  #group(depth: number): Pattern | undefined {
    const start = this.reader.at - 1
    if (this.reader.looksAt(lookAround)) wrong(this.reader.definition, start, 'look-around is not supported')
    if (this.reader.eat('?') && !this.reader.match(/P?<[A-Za-z_][\w.[\]]*>/y)) {
      const flags = this.reader.match(/([a-zA-Z]*)(?:-([a-zA-Z]+))?(?=[:)])/y)
      if (!flags) return this.reader.fail('":", a name such as <name>, or flags')
      const [, on = '', off = ''] = flags
      for (const flag of on + off)
        if (!flagLetters.includes(flag))
          wrong(
            this.reader.definition,
            start,
            `there is no flag "${flag}"; there are ${flagLetters.split('').join(', ')}`,
          )
      const outer = this.#flags
      this.#flags = new Set([...outer, ...on.split('')].filter((flag) => !off.includes(flag)))
      if (this.reader.eat(')')) return undefined
      this.reader.take()
      const inside = this.#closed(depth, start)
      this.#flags = outer
      return inside
    }
    return this.#closed(depth, start)
  }

  #closed(depth: number, start: number): Pattern {
    const inside = this.#choice(depth + 1)
    if (!this.reader.eat(')'))
      wrongAt(
        this.reader.definition,
        this.reader.at,
        `the ")" of ${JSON.stringify(this.reader.text.slice(start, start + 20))}`,
      )
    return inside
  }

  #escape(start: number): Pattern {
    const letter = this.reader.peek()
    const edge = this.reader.match(/b\{[a-z-]+\}/y)?.[0] ?? (/[AzbB<>]/.test(letter) ? this.reader.take() : undefined)
    if (edge !== undefined) return this.#edge(edge, start)
    const test = readClass(this.reader, this.#flags)
    if (test) return this.#set(test, start)
    return { type: 'character', set: literal(readEscape(this.reader), this.#flags.has('i')) }
  }

  #edge(name: string, start: number): Pattern {
    const flags = { lines: this.#flags.has('m'), unicode: this.#flags.has('u') }
    const edge = edgeOf(name, flags) ?? wrongAt(this.reader.definition, start, 'an escape that there is')
    return { type: 'edge', edge }
  }

  #set(has: (point: number) => boolean, start: number): Pattern {
    return { type: 'character', set: { has, shown: this.reader.text.slice(start, this.reader.at) } }
  }

  /** With the flag x, blanks and comments say nothing. */
  #skipBlank(): void {
    if (this.#flags.has('x')) this.reader.match(/(?:\s|#[^\n]*)+/y)
  }
}
