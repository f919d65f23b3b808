/** Where a text stops being JSON. */
export interface JsonFault {
  /** In UTF-16 units, from 0. */
  readonly position: number
  readonly found: string
  readonly expected: string
}

type Expected =
  | 'a value'
  | 'a value or "]"'
  | 'a property name'
  | 'a property name or "}"'
  | '":"'
  | '"," or "]"'
  | '"," or "}"'
  | 'the end'

const scalar = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const blank = /[ \t\n\r]*/y

/**
 * Engines word the errors of JSON.parse differently and some leave the place out; a model repairs its arguments best when it is
 * told both. Does not recurse: the text is the model's.
 */
export function findJsonFault(text: string): JsonFault | undefined {
  const open: ('{' | '[')[] = []
  let expected: Expected = 'a value'
  let at = 0
  const fault = (position: number, wanted: string): JsonFault => ({
    position,
    found: describe(text, position),
    expected: wanted,
  })
  const afterValue = (): Expected => (open.length === 0 ? 'the end' : open.at(-1) === '{' ? '"," or "}"' : '"," or "]"')
  for (;;) {
    at = skip(blank, text, at)
    const char = text[at]
    if (expected === 'the end') return char === undefined ? undefined : fault(at, expected)
    if (char === undefined) return fault(at, expected)
    if (isClosing(char, expected)) {
      open.pop()
      expected = afterValue()
      at++
    } else if (expected === '":"') {
      if (char !== ':') return fault(at, expected)
      expected = 'a value'
      at++
    } else if (expected === '"," or "}"' || expected === '"," or "]"') {
      if (char !== ',') return fault(at, expected)
      expected = open.at(-1) === '{' ? 'a property name' : 'a value'
      at++
    } else if (char === '"') {
      const end = endOfString(text, at)
      if (end.fault !== undefined) return fault(end.at, end.fault)
      expected = expected.startsWith('a property') ? '":"' : afterValue()
      at = end.at
    } else if (expected.startsWith('a property')) {
      return fault(at, `${expected}, in double quotes`)
    } else if (char === '{' || char === '[') {
      open.push(char)
      expected = char === '{' ? 'a property name or "}"' : 'a value or "]"'
      at++
    } else {
      const end = skip(scalar, text, at)
      if (end === at) return fault(at, expected)
      expected = afterValue()
      at = end
    }
  }
}

const isClosing = (char: string, expected: Expected): boolean =>
  (char === '}' || char === ']') && expected.endsWith(`"${char}"`)

function skip(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : from
}

function endOfString(text: string, start: number): { at: number; fault?: string } {
  for (let at = start + 1; at < text.length; at++) {
    const char = text[at]!
    if (char === '"') return { at: at + 1 }
    if (char < ' ') return { at, fault: 'an escape such as \\n: a string holds no control characters' }
    if (char !== '\\') continue
    at++
    if (text[at] === 'u' && /^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5))) at += 4
    else if (at < text.length && !'"\\/bfnrt'.includes(text[at]!))
      return { at, fault: 'a legal escape after the backslash' }
  }
  return { at: text.length, fault: `the quote that ends the string of position ${start}` }
}

function describe(text: string, position: number): string {
  const point = text.codePointAt(position)
  if (point === undefined) return 'the end of the text'
  return point < 0x20 ? `the control character ${point}` : JSON.stringify(String.fromCodePoint(point))
}
