import { wrong, type Definition } from './fault.js'
import { sides, type CharacterSet, type Side } from './characters.js'

/** A place between two characters. */
export interface Edge {
  holds(before: Side, after: Side): boolean
  readonly shown: string
}

/** What a regular expression, a terminal or a rule is made of. */
export type Pattern =
  | { readonly type: 'character'; readonly set: CharacterSet }
  | { readonly type: 'edge'; readonly edge: Edge }
  | { readonly type: 'all' | 'any'; readonly parts: readonly Pattern[] }
  | Repeat
  | { readonly type: 'name'; readonly name: string; readonly at: number }
  /** What a rule of Lark takes in one piece: a text or a regular expression. */
  | Token

export interface Token {
  readonly type: 'token'
  readonly pattern: Pattern
  /** As a model reads it. */
  readonly shown: string
  /** A text is found or not; of others it is said how far they went. */
  readonly isText: boolean
  /** Of a text in which letters are as they are. */
  readonly exact?: string
}

export interface Repeat {
  readonly type: 'repeat'
  readonly part: Pattern
  readonly least: number
  readonly most: number
  /** Where it is written, from 0. */
  readonly at: number
}

export const empty: Pattern = { type: 'all', parts: [] }

export const oneOf = (parts: readonly Pattern[]): Pattern => (parts.length === 1 ? parts[0]! : { type: 'any', parts })

/** Parts of a grammar, each repetition written out: more would make the checks slow. */
export const mostParts = 200_000
/** Brackets in brackets: what reads them calls itself for each. */
export const mostDeep = 200

export const tooLarge = (definition: Definition, at: number): never =>
  wrong(definition, at, `it is too large: with each repetition written out it has more than ${mostParts} parts`)

export interface EdgeFlags {
  /** `^` and `$` are the edges of lines too. */
  readonly lines: boolean
  readonly unicode: boolean
}

/** @param name As it is written in a regular expression, without its backslash. */
export function edgeOf(name: string, { lines, unicode }: EdgeFlags): Edge | undefined {
  const isWord = (side: Side) => side === sides.asciiWord || (unicode && side === sides.word)
  const isEnd = (side: Side) => side === sides.none || (lines && side === sides.line)
  switch (name) {
    case '^':
      return { holds: (before) => isEnd(before), shown: lines ? 'the start of a line' : 'the start of the text' }
    case '$':
      return { holds: (_, after) => isEnd(after), shown: lines ? 'the end of a line' : 'the end of the text' }
    case 'A':
      return { holds: (before) => before === sides.none, shown: 'the start of the text' }
    case 'z':
      return { holds: (_, after) => after === sides.none, shown: 'the end of the text' }
    case 'b':
      return { holds: (before, after) => isWord(before) !== isWord(after), shown: 'the edge of a word' }
    case 'B':
      return { holds: (before, after) => isWord(before) === isWord(after), shown: 'no edge of a word' }
    case '<':
    case 'b{start}':
      return { holds: (before, after) => !isWord(before) && isWord(after), shown: 'the start of a word' }
    case '>':
    case 'b{end}':
      return { holds: (before, after) => isWord(before) && !isWord(after), shown: 'the end of a word' }
    case 'b{start-half}':
      return { holds: (before) => !isWord(before), shown: 'no word before it' }
    case 'b{end-half}':
      return { holds: (_, after) => !isWord(after), shown: 'no word after it' }
    default:
      return undefined
  }
}
