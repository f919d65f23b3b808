import { describe, expect, it } from 'vitest'
import { compileGrammar } from '../../../src/tools/grammar/compile.js'
import { realGrammars } from './real-grammars.js'

const pairs = realGrammars.flatMap(({ good, bad }) => [...good, ...bad])

it('there are enough texts to say so', () => {
  expect(pairs.length).toBeGreaterThanOrEqual(60)
})

describe.each(realGrammars)('$name', ({ grammar, good, bad }) => {
  const check = compileGrammar(grammar, 'tool')

  it.each(good.map((text) => ({ text })))('takes $text', ({ text }) => {
    expect(check(text)).toBeUndefined()
  })

  it.each(bad.map(([text, line, column, found, expected]) => ({ text, line, column, found, expected })))(
    'refuses $text at line $line, column $column',
    ({ text, expected, ...place }) => {
      const fault = check(text)
      expect(fault).toMatchObject(place)
      expect(fault?.expected).toContain(expected)
    },
  )

  it('says the same of a text that it has read before', () => {
    for (const [text] of bad) expect(check(text)).toEqual(compileGrammar(grammar, 'tool')(text))
  })
})
