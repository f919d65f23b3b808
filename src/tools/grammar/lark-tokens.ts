import { wrongAt, type Definition } from './fault.js'

export interface Token {
  readonly kind: 'line' | 'text' | 'regex' | 'rule' | 'terminal' | 'number' | 'directive' | 'sign' | 'end'
  readonly text: string
  /** In the definition, from 0. */
  readonly at: number
}

/** Blanks and comments first, as `//` is no empty regular expression. */
const pattern =
  /(?<blank>[ \t\f]+|(?:\/\/|#)[^\n]*)|(?<line>\r?\n)|(?<text>"(?:[^"\\\n]|\\.)*"i?)|(?<regex>\/(?:[^/\\\n]|\\.)+\/[a-z]*)|(?<rule>_?[a-z](?:[a-z0-9_]|-(?!>))*)|(?<terminal>_?[A-Z](?:[A-Z0-9_]|-(?!>))*)|(?<number>\d+)|(?<directive>%[a-z]+)|(?<sign>->|\.\.|[:|()[\]{}+*?!~,.])/y

/**
 * The tokens of a grammar in Lark, the end last.
 * @throws {HandrailError} `invalid_tool` for what is none.
 */
export function toTokens(definition: Definition): readonly Token[] {
  const { text } = definition
  const tokens: Token[] = []
  for (let at = 0; at < text.length; at = pattern.lastIndex) {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (!found) return wrongAt(definition, at, expectedAt(text[at]!))
    const [kind, value] = Object.entries(found.groups!).find(([, each]) => each !== undefined)!
    if (kind !== 'blank') tokens.push({ kind: kind as Token['kind'], text: value, at })
  }
  return [...tokens, { kind: 'end', text: '', at: text.length }]
}

function expectedAt(character: string): string {
  if (character === '"') return 'a text that ends with a quote in its line'
  if (character === '/') return 'a regular expression that ends with "/" in its line'
  return character === "'" ? 'a text in double quotes' : 'a rule, a terminal, a text or a sign of Lark'
}

export function shownToken({ kind, text }: Token): string {
  if (kind === 'end') return 'the end of the grammar'
  return kind === 'line' ? 'the end of the line' : kind === 'text' ? text : JSON.stringify(text)
}
