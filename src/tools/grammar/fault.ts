import { HandrailError } from '../../errors.js'
import { refuse } from '../refuse.js'

/** Where a text stops matching its grammar: all before it could be right. */
export interface GrammarFault {
  /** In UTF-16 units, from 0. */
  readonly position: number
  /** From 1. */
  readonly line: number
  /** In characters, from 1. */
  readonly column: number
  /** What may be there, each as a model reads it. */
  readonly expected: readonly string[]
  readonly found: string
}

/** Steps that a check may still take. */
export interface Meter {
  left: number
}

/** @throws {HandrailError} `input_too_complex` if there are no more. */
export function spend(meter: Meter, steps: number): void {
  meter.left -= steps
  if (meter.left < 0)
    throw new HandrailError('input_too_complex', 'The text takes too many steps to be checked against its grammar')
}

/** The text of a grammar, and whose it is. */
export interface Definition {
  readonly toolName: string
  readonly text: string
}

/** @throws {HandrailError} `invalid_tool`, with the place in the grammar. */
export function wrong({ toolName, text }: Definition, position: number, what: string): never {
  const { line, column } = placeOf(text, position)
  return refuse(toolName, `"grammar.definition" is wrong at line ${line}, column ${column}: ${what}`)
}

export function wrongAt(definition: Definition, position: number, expected: string, found?: string): never {
  return wrong(
    definition,
    position,
    `there is ${found ?? foundAt(definition.text, position)} where ${expected} must be`,
  )
}

export function placeOf(text: string, position: number): { readonly line: number; readonly column: number } {
  const lines = text.slice(0, position).split('\n')
  return { line: lines.length, column: Array.from(lines.at(-1)!).length + 1 }
}

/** The word or the character of a place. */
export function foundAt(text: string, position: number): string {
  const [found] = /^(?:[\p{L}\p{N}_]{1,40}|[^])/u.exec(text.slice(position, position + 80)) ?? []
  return found === undefined ? 'the end of the text' : JSON.stringify(found)
}
