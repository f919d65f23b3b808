import { describe, expect, it } from 'vitest'
import { findJsonFault } from '../../src/tools/json-fault.js'

describe('findJsonFault()', () => {
  it.each([
    ['', 0, 'the end of the text', 'a value'],
    ['{"a": }', 6, '"}"', 'a value'],
    ['{"a": 1,}', 8, '"}"', 'a property name, in double quotes'],
    ['[1, 2', 5, 'the end of the text', '"," or "]"'],
    ['[1 2]', 3, '"2"', '"," or "]"'],
    ['{a: 1}', 1, '"a"', 'a property name or "}", in double quotes'],
    ["{'a': 1}", 1, '"\'"', 'a property name or "}", in double quotes'],
    ['{"a" 1}', 5, '"1"', '":"'],
    ['{"a": "x', 8, 'the end of the text', 'the quote that ends the string of position 6'],
    ['"a\nb"', 2, 'the control character 10', 'an escape such as \\n: a string holds no control characters'],
    ['"\\x41"', 2, '"x"', 'a legal escape after the backslash'],
    ['"\\u12"', 2, '"u"', 'a legal escape after the backslash'],
    ['{"a": 1} {"a": 2}', 9, '"{"', 'the end'],
    ['```json\n{}', 0, '"`"', 'a value'],
    ['[01]', 2, '"1"', '"," or "]"'],
    ['[1.]', 2, '"."', '"," or "]"'],
    ['[undefined]', 1, '"u"', 'a value or "]"'],
    ['[😀]', 1, '"😀"', 'a value or "]"'],
    ['{"a": [1}', 8, '"}"', '"," or "]"'],
  ])('%j: position %i', (text, position, found, expected) => {
    expect(findJsonFault(text)).toEqual({ position, found, expected })
  })

  it('agrees with JSON.parse on what is JSON, whatever is cut, dropped or put in', () => {
    const good = '{"a":[1,-2.5e+3,true,null,{"b":"\\u00e9\\n\\"","":[]}], "c": {} }'
    const texts = [good]
    for (let i = 0; i <= good.length; i++) {
      texts.push(good.slice(0, i), good.slice(0, i) + good.slice(i + 1))
      for (const char of ['"', ',', ':', '}', ']', '{', '[', '\\', '0', '-', ' ', '\n', 'u', 'e'])
        texts.push(good.slice(0, i) + char + good.slice(i))
    }
    let faults = 0
    for (const text of texts) {
      const fault = findJsonFault(text)
      expect([text, fault === undefined]).toEqual([text, isJson(text)])
      if (fault) faults++
    }
    expect(faults).toBeGreaterThan(texts.length / 2)
    expect(faults).toBeLessThan(texts.length)
  })

  it('does not end the stack on a text that only opens', () => {
    expect(findJsonFault('['.repeat(1_000_000))).toMatchObject({ position: 1_000_000 })
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}
