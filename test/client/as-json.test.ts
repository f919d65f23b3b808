import { describe, expect, it } from 'vitest'
import { asJson } from '../../src/client/as-json.js'

const cycle: Record<string, unknown> = { a: { b: 1 } }
cycle.rows = [cycle.a, { back: cycle }]
const shared = { n: 1 }

describe('asJson()', () => {
  const accepted: readonly { readonly name: string; readonly value: unknown; readonly expected: unknown }[] = [
    { name: 'nothing', value: undefined, expected: null },
    {
      name: 'a value in two places',
      value: { a: shared, b: [shared, shared] },
      expected: { a: { n: 1 }, b: [{ n: 1 }, { n: 1 }] },
    },
    {
      name: 'what JSON makes of undefined and NaN',
      value: { a: undefined, b: [undefined, Number.NaN] },
      expected: { b: [null, null] },
    },
    { name: 'a Date as its text', value: { at: new Date(0) }, expected: { at: '1970-01-01T00:00:00.000Z' } },
  ]
  it.each(accepted)('takes $name', ({ value, expected }) => {
    expect(asJson(value, 'output_not_json', 'the output')).toEqual(expected)
  })

  it('keeps __proto__ and constructor as data', () => {
    const output = asJson(JSON.parse('{"__proto__":{"admin":true},"constructor":1}'), 'output_not_json', 'the output')
    expect(JSON.stringify(output)).toBe('{"__proto__":{"admin":true},"constructor":1}')
    expect((output as { admin?: unknown }).admin).toBeUndefined()
  })

  const deep = (): unknown => {
    let value: unknown = 1
    for (let i = 0; i < 100_000; i++) value = [value]
    return value
  }
  const refused: readonly { readonly name: string; readonly value: unknown; readonly says: RegExp }[] = [
    { name: 'a function', value: { items: [{ id: 1 }, { id: 2, run() {} }] }, says: /a function at \/items\/1\/run/ },
    { name: 'a function as a whole', value: () => 1, says: /there is a function$/ },
    { name: 'a symbol', value: { a: Symbol('x') }, says: /a symbol at \/a/ },
    { name: 'a BigInt', value: { a: { b: [1, 2n] }, c: 3 }, says: /a bigint at \/a\/b\/1/ },
    { name: 'a cycle', value: cycle, says: /a cycle at \/rows\/1\/back/ },
    {
      name: 'a getter that throws',
      value: Object.defineProperty({}, 'a', { enumerable: true, get: () => decodeURI('%') }),
      says: /cannot be read/,
    },
    { name: 'what is nested too deep to write', value: deep(), says: /cannot be read/ },
  ]
  it.each(refused)('refuses $name and says where it is', ({ value, says }) => {
    expect(() => asJson(value, 'output_not_json', 'the output of x')).toThrow(
      expect.objectContaining({ code: 'output_not_json', message: expect.stringMatching(says) }),
    )
  })
})
