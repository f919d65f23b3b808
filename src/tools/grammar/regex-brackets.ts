import { not, operations, perlClass, posixClass, propertyClass, range, union } from './characters.js'
import { wrong, wrongAt } from './fault.js'
import { mostDeep } from './pattern.js'
import type { Reader } from './reader.js'

type Test = (point: number) => boolean
type Flags = ReadonlySet<string>

const controls: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, f: 12, v: 11, a: 7 }
const digitsOf: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

/** After a backslash: a class of characters, if there is one. */
export function readClass(reader: Reader, flags: Flags): Test | undefined {
  const start = reader.at
  const letter = reader.peek()
  if (letter === 'p' || letter === 'P') {
    reader.take()
    const found = reader.match(/\{(\^?)([^}]*)\}|()(\p{L})/uy)
    const [, caret = '', long, , short] = found ?? []
    const test = propertyClass(long ?? short ?? '', flags.has('i'))
    if (!test)
      return wrongAt(reader.definition, start - 1, 'a property that there is, such as \\p{L} or \\p{Greek}', found?.[0])
    return (letter === 'P') === (caret === '') ? not(test) : test
  }
  const test = letter === '' ? undefined : perlClass(letter, flags.has('u'))
  if (test) reader.take()
  return test
}

/** After a backslash: one character. */
export function readEscape(reader: Reader): number {
  const start = reader.at - 1
  const letter = reader.take()
  if (letter !== '' && /^[^0-9A-Za-z<>\u0080-\u{10ffff}]$/u.test(letter)) return letter.codePointAt(0)!
  if (Object.hasOwn(controls, letter)) return controls[letter]!
  const length = Object.hasOwn(digitsOf, letter) ? digitsOf[letter]! : 0
  const hex = length > 0 ? reader.match(new RegExp(`\\{([0-9a-fA-F]+)\\}|([0-9a-fA-F]{${length}})`, 'y')) : undefined
  const point = hex ? Number.parseInt(hex[1] ?? hex[2]!, 16) : Infinity
  if (point <= 0x10ffff) return point
  if (/^\d$/.test(letter)) return wrong(reader.definition, start, 'references to groups are not supported')
  return wrongAt(reader.definition, start, 'an escape that there is', JSON.stringify(`\\${letter}`))
}

/** After the bracket that opens them: a set, which may have others in it. */
export function readBrackets(reader: Reader, flags: Flags, depth: number): Test {
  const start = reader.at - 1
  if (depth > mostDeep) wrong(reader.definition, start, `it is nested deeper than ${mostDeep} levels`)
  const negated = reader.eat('^')
  let test = readMembers(reader, flags, depth, start, true)
  for (;;) {
    const operation = reader.match(/&&|--|~~/y)?.[0]
    if (operation === undefined) break
    test = operations[operation]!(test, readMembers(reader, flags, depth, start, false))
  }
  reader.take()
  return negated ? not(test) : test
}

/** Up to the bracket that closes them, or to an operation. A bracket that comes first is a member. */
function readMembers(reader: Reader, flags: Flags, depth: number, start: number, canBracket: boolean): Test {
  const tests: Test[] = []
  for (let isFirst = canBracket; ; isFirst = false) {
    if (flags.has('x')) reader.match(/\s+/y)
    const at = reader.at
    const next = reader.peek()
    if (next === '') return reader.fail(`the "]" of ${JSON.stringify(reader.text.slice(start, start + 20))}`)
    if (!isFirst && (next === ']' || reader.looksAt(/&&|--(?!\])|~~/y))) return union(tests)
    const [posix, caret, name] = reader.match(/\[:(\^?)([a-z]+):\]/y) ?? []
    if (posix !== undefined) {
      const test = posixClass(name!, flags.has('i'))
      if (!test) return wrongAt(reader.definition, at, 'a class such as [:alpha:]', posix)
      tests.push(caret === '' ? test : not(test))
      continue
    }
    reader.take()
    if (next === '[') tests.push(readBrackets(reader, flags, depth + 1))
    else tests.push((next === '\\' && readClass(reader, flags)) || readSpan(reader, next, flags.has('i')))
  }
}

/** One character, or from one to another. */
function readSpan(reader: Reader, first: string, ignoreCase: boolean): Test {
  const start = reader.at - first.length
  const low = first === '\\' ? readEscape(reader) : first.codePointAt(0)!
  if (!reader.looksAt(/-(?![\]-])/y)) return range(low, low, ignoreCase)
  reader.take()
  const at = reader.at
  const last = reader.take()
  if (last === '' || last === '[' || (last === '\\' && /^[dswp]$/i.test(reader.peek())))
    wrongAt(reader.definition, at, 'the last character of a range')
  const high = last === '\\' ? readEscape(reader) : last.codePointAt(0)!
  const written = reader.text.slice(start, reader.at)
  if (low > high) wrong(reader.definition, start, `the range ${written} goes backwards`)
  return range(low, high, ignoreCase)
}
