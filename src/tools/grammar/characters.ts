/** Characters, as a test of a code point. */
export interface CharacterSet {
  has(point: number): boolean
  /** As a model reads it. */
  readonly shown: string
}

type Test = CharacterSet['has']

/** A RegExp folds case as Unicode says, and as Rust does. */
const byRegExp = (source: string, ignoreCase: boolean): Test => {
  const pattern = new RegExp(`^${source}$`, ignoreCase ? 'iu' : 'u')
  return (point) => pattern.test(String.fromCodePoint(point))
}

const escaped = (point: number): string => `\\u{${point.toString(16)}}`

export const range = (low: number, high: number, ignoreCase: boolean): Test =>
  ignoreCase ? byRegExp(`[${escaped(low)}-${escaped(high)}]`, true) : (point) => point >= low && point <= high

export const not =
  (test: Test): Test =>
  (point) =>
    !test(point)

export const union =
  (tests: readonly Test[]): Test =>
  (point) =>
    tests.some((test) => test(point))

/** How Rust combines two sets in brackets. */
export const operations: Readonly<Record<string, (a: Test, b: Test) => Test>> = {
  '&&': (a, b) => (point) => a(point) && b(point),
  '--': (a, b) => (point) => a(point) && !b(point),
  '~~': (a, b) => (point) => a(point) !== b(point),
}

export const literal = (point: number, ignoreCase = false): CharacterSet => ({
  has: range(point, point, ignoreCase),
  shown: JSON.stringify(String.fromCodePoint(point)),
})

const unicodeClasses: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  s: '\\p{White_Space}',
  w: '[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]',
}
const asciiClasses: Readonly<Record<string, string>> = { d: '[0-9]', s: '[\\t\\n\\v\\f\\r ]', w: '[0-9A-Za-z_]' }

/** `\d`, `\s` and `\w`; a capital is the opposite. */
export function perlClass(letter: string, unicode: boolean): Test | undefined {
  const source = (unicode ? unicodeClasses : asciiClasses)[letter.toLowerCase()]
  if (source === undefined) return undefined
  const test = byRegExp(source, false)
  return letter < 'a' ? not(test) : test
}

const posixClasses: Readonly<Record<string, string>> = {
  alnum: '[0-9A-Za-z]',
  alpha: '[A-Za-z]',
  ascii: '[\\0-\\x7f]',
  blank: '[\\t ]',
  cntrl: '[\\0-\\x1f\\x7f]',
  digit: '[0-9]',
  graph: '[!-~]',
  lower: '[a-z]',
  print: '[ -~]',
  punct: '[!-\\/:-@\\[-`\\{-~]',
  space: '[\\t\\n\\v\\f\\r ]',
  upper: '[A-Z]',
  word: '[0-9A-Za-z_]',
  xdigit: '[0-9A-Fa-f]',
}

export const posixClass = (name: string, ignoreCase: boolean): Test | undefined =>
  Object.hasOwn(posixClasses, name) ? byRegExp(posixClasses[name]!, ignoreCase) : undefined

/** `Greek`, `L`, `lowercase letter`, `sc=greek`: Rust leaves out what JavaScript wants to be told. */
export function propertyClass(name: string, ignoreCase: boolean): Test | undefined {
  const [value = '', key] = name.split('=').reverse()
  const capital = value
    .trim()
    .split(/[\s_-]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('_')
  const kinds = key === undefined ? ['', 'Script='] : [kindsOf[key.trim().toLowerCase()]]
  for (const kind of kinds)
    for (const each of [value, capital]) {
      if (kind === undefined || !/^\w+$/.test(each)) continue
      try {
        return byRegExp(`\\p{${kind}${each}}`, ignoreCase)
      } catch {
        // The engine knows no such property: the next spelling may be one.
      }
    }
  return undefined
}

const kindsOf: Readonly<Record<string, string>> = {
  gc: '',
  general_category: '',
  sc: 'Script=',
  script: 'Script=',
  scx: 'Script_Extensions=',
  script_extensions: 'Script_Extensions=',
}

/** What is beside a place: nothing, a line break, a letter of a word, or anything else. */
export const sides = { none: 0, line: 1, asciiWord: 2, word: 3, other: 4 } as const
export type Side = (typeof sides)[keyof typeof sides]

const isWord = perlClass('w', true)!

export function sideOf(point: number | undefined): Side {
  if (point === undefined) return sides.none
  if (point === 10) return sides.line
  if (!isWord(point)) return sides.other
  return point < 128 ? sides.asciiWord : sides.word
}
