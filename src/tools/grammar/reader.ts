import { wrongAt, type Definition } from './fault.js'

/** Reads a part of a definition, character by character. */
export class Reader {
  readonly text: string

  constructor(
    readonly definition: Definition,
    public at = 0,
    to = definition.text.length,
  ) {
    this.text = definition.text.slice(0, to)
  }

  /** Empty at the end. */
  peek(): string {
    return this.at < this.text.length ? String.fromCodePoint(this.text.codePointAt(this.at)!) : ''
  }

  take(): string {
    const next = this.peek()
    this.at += next.length
    return next
  }

  eat(character: string): boolean {
    const is = this.peek() === character
    if (is) this.at += character.length
    return is
  }

  /** @param pattern A sticky one. */
  looksAt(pattern: RegExp): boolean {
    pattern.lastIndex = this.at
    return pattern.test(this.text)
  }

  /** @param pattern A sticky one. */
  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text) ?? undefined
    if (found) this.at += found[0].length
    return found
  }

  fail(expected: string): never {
    return wrongAt(this.definition, this.at, expected)
  }
}
