import type { Grammar } from '../../core/tool-definition.js'
import { Automaton } from './automaton.js'
import { recognise } from './earley.js'
import { foundAt, placeOf, wrong, type GrammarFault, type Meter } from './fault.js'
import { toProductions } from './productions.js'
import { parseRegex } from './regex-syntax.js'

/**
 * Where a text stops matching, or nothing if it matches. Never goes back, so that no text takes long.
 * @throws {HandrailError} `input_too_complex` if it takes more steps than the meter has left; absent: 10 million.
 */
export type CheckText = (text: string, meter?: Meter) => GrammarFault | undefined

/** A second or two. */
const mostSteps = 10_000_000

/** @throws {HandrailError} `invalid_tool` if the grammar is wrong, with the place in it and what must be there. */
export function compileGrammar({ syntax, definition: text }: Grammar, toolName: string): CheckText {
  const definition = { toolName, text }
  if (syntax === 'lark') {
    const productions = toProductions(definition)
    return (given, meter = { left: mostSteps }) => recognise(given, productions, meter)
  }
  const lineBreak = text.search(/[\r\n]/)
  if (lineBreak >= 0) wrong(definition, lineBreak, 'it must be one line; write \\n for the end of a line')
  const automaton = new Automaton(parseRegex(definition, { lazy: true }), definition)
  return (given, meter = { left: mostSteps }) => {
    const run = automaton.run(given, 0, meter)
    const { end, stopped } = run
    if (end === given.length) return undefined
    const ways = [...automaton.expected(given, run), ...(end === stopped ? ['the end of the text'] : [])]
    return { position: stopped, ...placeOf(given, stopped), expected: ways, found: foundAt(given, stopped) }
  }
}
