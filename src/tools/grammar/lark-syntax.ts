import { nearest } from '../../core/nearest.js'
import { literal, range } from './characters.js'
import { wrong, wrongAt, type Definition } from './fault.js'
import { commonTerminals } from './lark-common.js'
import { shownToken, toTokens, type Token } from './lark-tokens.js'
import { empty, mostDeep, mostParts, oneOf, type Pattern } from './pattern.js'
import { parseRegex } from './regex-syntax.js'

export interface LarkGrammar {
  readonly rules: ReadonlyMap<string, Pattern>
  readonly terminals: ReadonlyMap<string, Pattern>
  /** What may stand between any two terminals. */
  readonly ignored: readonly Pattern[]
}

const value = 'a name, a text in double quotes, a regular expression, "(" or "["'

/**
 * Reads the dialect that OpenAI takes: no templates, priorities, look-around or lazy quantifiers, and no imports but of `common`.
 * @throws {HandrailError} `invalid_tool`, with the place and what must be there.
 */
export const parseLark = (definition: Definition): LarkGrammar => new LarkParser(definition).grammar()

class LarkParser {
  readonly #tokens: readonly Token[]
  readonly #rules = new Map<string, Pattern>()
  readonly #terminals = new Map<string, Pattern>()
  readonly #ignored: Pattern[] = []
  #at = 0

  constructor(private readonly definition: Definition) {
    this.#tokens = toTokens(definition)
  }

  grammar(): LarkGrammar {
    for (;;) {
      this.#skipLines()
      const { kind } = this.#peek()
      if (kind === 'end') break
      if (kind === 'directive') this.#directive()
      else this.#define()
      if (this.#peek().kind !== 'end') this.#take('line', undefined, 'the end of the line')
    }
    return { rules: this.#rules, terminals: this.#terminals, ignored: this.#ignored }
  }

  #define(): void {
    const marked = this.#eat('!') || this.#eat('?')
    if (marked) this.#eat('?')
    const name = this.#peek()
    if (name.kind !== 'rule' && (marked || name.kind !== 'terminal'))
      this.#fail(marked ? 'the name of a rule' : 'a rule, a terminal, or a directive such as %ignore')
    this.#at++
    for (const [sign, what] of Object.entries({ '{': 'templates', '.': 'priorities', '[': 'attributes' }))
      if (this.#peek().text === sign) this.#unsupported(`${what} of ${name.kind}s`)
    this.#take('sign', ':')
    this.#add(name, this.#choice(0, name.kind === 'rule'))
  }

  #add({ kind, text, at }: Token, pattern: Pattern): void {
    const known = kind === 'rule' ? this.#rules : this.#terminals
    if (known.has(text)) wrong(this.definition, at, `"${text}" is defined twice`)
    known.set(text, pattern)
  }

  #directive(): void {
    const { text } = this.#peek()
    if (text !== '%ignore' && text !== '%import') this.#unsupported(text)
    this.#at++
    if (text === '%ignore') this.#ignored.push(this.#choice(0, false))
    else this.#import()
  }

  #import(): void {
    const library = this.#take('rule', undefined, '"common"')
    if (library.text !== 'common') wrong(this.definition, library.at, 'only "common" can be imported')
    if (this.#eat('(')) {
      do this.#importOne(this.#take('terminal', undefined, 'the name of a terminal'))
      while (this.#eat(','))
      this.#take('sign', ')')
      return
    }
    this.#take('sign', '.')
    const name = this.#take('terminal', undefined, 'the name of a terminal')
    this.#importOne(name, this.#eat('->') ? this.#take('terminal', undefined, 'the name of a terminal') : name)
  }

  #importOne({ text, at }: Token, as: Token = { kind: 'terminal', text, at }): void {
    if (!Object.hasOwn(commonTerminals, text)) {
      const near = nearest(text, Object.keys(commonTerminals))
      wrong(this.definition, at, `"common" has no ${text}${near === undefined ? '' : `; did you mean ${near}?`}`)
    }
    const source = { toolName: this.definition.toolName, text: commonTerminals[text]! }
    this.#add(as, parseRegex(source, { lazy: false }))
  }

  /** @param depth Of brackets, in which a line may end. */
  #choice(depth: number, isRule: boolean): Pattern {
    if (depth > mostDeep) wrong(this.definition, this.#peek().at, `it is nested deeper than ${mostDeep} levels`)
    const options = [this.#sequence(depth, isRule)]
    while (this.#eatBar(depth)) options.push(this.#sequence(depth, isRule))
    return oneOf(options)
  }

  #eatBar(depth: number): boolean {
    const start = this.#at
    this.#skipLines()
    if (this.#eat('|')) return true
    if (depth === 0) this.#at = start
    return false
  }

  #sequence(depth: number, isRule: boolean): Pattern {
    const parts: Pattern[] = []
    for (;;) {
      if (depth > 0) this.#skipLines()
      const { kind, text } = this.#peek()
      if (kind === 'line' || kind === 'end' || (kind === 'sign' && ['|', ')', ']', '->'].includes(text))) break
      parts.push(this.#repeated(this.#atom(depth, isRule)))
    }
    if (this.#eat('->')) this.#take('rule', undefined, 'the name of an alias')
    return parts.length === 1 ? parts[0]! : { type: 'all', parts }
  }

  #repeated(part: Pattern): Pattern {
    const { at, text } = this.#peek()
    const repeat = (least: number, most: number): Pattern => ({ type: 'repeat', part, least, most, at })
    if (this.#eat('*')) return repeat(0, Infinity)
    if (this.#eat('+')) return repeat(1, Infinity)
    if (this.#eat('?')) return repeat(0, 1)
    if (text !== '~' && text !== '{') return part
    this.#at++
    const first = text === '{' && this.#peek().text === ',' ? 0 : this.#count()
    let last = first
    if (text === '~' && this.#eat('..')) last = this.#count()
    else if (text === '{' && this.#eat(',')) last = this.#peek().text === '}' ? Infinity : this.#count()
    if (text === '{') this.#take('sign', '}')
    if (first > last) wrong(this.definition, at, `the least count, ${first}, is more than the most, ${last}`)
    return repeat(first, last)
  }

  #count(): number {
    const { text, at } = this.#take('number', undefined, 'a number')
    if (Number(text) > mostParts) wrong(this.definition, at, `it is too large: a count may be at most ${mostParts}`)
    return Number(text)
  }

  #atom(depth: number, isRule: boolean): Pattern {
    const { kind, text, at } = this.#peek()
    if (this.#eat('(')) return this.#closed(')', depth, isRule)
    if (this.#eat('[')) {
      return { type: 'repeat', part: this.#closed(']', depth, isRule), least: 0, most: 1, at }
    }
    if (kind === 'directive') this.#unsupported(`${text} in a ${isRule ? 'rule' : 'terminal'}`)
    if (kind === 'rule' && !isRule)
      this.#fail('a terminal, a text or a regular expression: no rule is part of a terminal')
    this.#at++
    if (kind === 'rule' || kind === 'terminal') return { type: 'name', name: text, at }
    if (kind === 'regex') return this.#regex(text, at)
    if (kind === 'text') return this.#eat('..') ? this.#range(text, at) : this.#text(text, at)
    this.#at--
    return this.#fail(value)
  }

  #closed(bracket: string, depth: number, isRule: boolean): Pattern {
    const pattern = this.#choice(depth + 1, isRule)
    this.#take('sign', bracket)
    return pattern
  }

  #regex(text: string, at: number): Pattern {
    const end = text.lastIndexOf('/')
    const flags = text.slice(end + 1)
    for (const flag of flags)
      if (!'imsux'.includes(flag))
        wrong(this.definition, at + end + 1, `there is no flag "${flag}"; there are i, m, s, u, x`)
    const pattern = parseRegex(this.definition, { flags, lazy: false }, at + 1, at + end)
    return { type: 'token', pattern, shown: text, isText: false }
  }

  #text(text: string, at: number): Pattern {
    const ignoreCase = text.endsWith('i')
    const exact = this.#parsed(text, at)
    const points = Array.from(exact, (character) => character.codePointAt(0)!)
    if (points.length === 0) return empty
    const parts = points.map((point): Pattern => ({ type: 'character', set: literal(point, ignoreCase) }))
    return { type: 'token', pattern: { type: 'all', parts }, shown: text, isText: true, ...(!ignoreCase && { exact }) }
  }

  #range(first: string, at: number): Pattern {
    const { text: last, at: lastAt } = this.#take('text', undefined, 'the last character of a range')
    const [low, high] = [
      [first, at],
      [last, lastAt],
    ].map(([text, place]) => {
      const [character, ...more] = Array.from(this.#parsed(text as string, place as number))
      if (character === undefined || more.length > 0 || (text as string).endsWith('i'))
        wrong(this.definition, place as number, `a range goes from one character to another; this is ${text}`)
      return character.codePointAt(0)!
    })
    const shown = `${first}..${last}`
    if (low! > high!) wrong(this.definition, at, `the range ${shown} goes backwards`)
    const pattern: Pattern = { type: 'character', set: { has: range(low!, high!, false), shown } }
    return { type: 'token', pattern, shown, isText: false }
  }

  #parsed(text: string, at: number): string {
    try {
      return JSON.parse(text.replace(/i$/, '')) as string
    } catch {
      return wrong(this.definition, at, `the text ${text} has an escape that JSON does not have`)
    }
  }

  #peek(): Token {
    return this.#tokens[this.#at]!
  }

  #skipLines(): void {
    while (this.#peek().kind === 'line') this.#at++
  }

  #eat(sign: string): boolean {
    const { kind, text } = this.#peek()
    const is = kind === 'sign' && text === sign
    if (is) this.#at++
    return is
  }

  #take(kind: Token['kind'], text?: string, expected = JSON.stringify(text)): Token {
    const token = this.#peek()
    if (token.kind !== kind || (text !== undefined && token.text !== text)) return this.#fail(expected)
    this.#at++
    return token
  }

  #fail(expected: string): never {
    const token = this.#peek()
    return wrongAt(this.definition, token.at, expected, shownToken(token))
  }

  #unsupported(what: string): never {
    return wrong(this.definition, this.#peek().at, `not supported: ${what}`)
  }
}
