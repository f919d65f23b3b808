import { describe, expect, it } from 'vitest'
import { canonicalJson, isDeeperThan, isJsonObject, toJson, type Json } from '../../src/core/json.js'

const parsed = (text: string) => JSON.parse(text) as Json

describe('canonicalJson()', () => {
  it.each<[name: string, value: Json, expected: string]>([
    ['null', null, 'null'],
    ['a text', 'a"\u2028', '"a\\"\u2028"'],
    ['half a pair', '\ud800', '"\\ud800"'],
    ['minus zero', -0, '0'],
    ['a large number', 1e21, '1e+21'],
    ['a list, in its order', [2, 1, [], {}], '[2,1,[],{}]'],
    ['keys, sorted', { b: 1, a: { d: 1, c: 2 } }, '{"a":{"c":2,"d":1},"b":1}'],
    ['keys that are numbers', { 10: 0, 9: 0 }, '{"10":0,"9":0}'],
    ['keys by UTF-16 unit', { é: 1, z: 2, Z: 3 }, '{"Z":3,"z":2,"é":1}'],
    ['prototype keys', parsed('{"constructor":1,"__proto__":{"x":1}}'), '{"__proto__":{"x":1},"constructor":1}'],
    ['an empty key', { '': 1 }, '{"":1}'],
  ])('writes %s', (_, value, expected) => {
    expect(canonicalJson(value)).toBe(expected)
    expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
  })

  it('is the same whatever order the keys were set in', () => {
    expect(canonicalJson({ a: 1, b: [{ c: 1, d: 2 }] })).toBe(canonicalJson({ b: [{ d: 2, c: 1 }], a: 1 }))
  })
})

describe('toJson()', () => {
  it.each<[name: string, value: unknown, expected: Json]>([
    ['undefined', undefined, null],
    ['a function', () => 1, null],
    ['NaN', Number.NaN, null],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['a map', new Map([['a', 1]]), {}],
    ['undefined in an object', { a: undefined, b: 1 }, { b: 1 }],
    ['undefined in a list', [undefined], [null]],
    ['an object with toJSON', { toJSON: () => 'own' }, 'own'],
  ])('makes %s what JSON makes of it', (_, value, expected) => {
    expect(toJson(value)).toEqual(expected)
  })

  it('keeps a prototype key as data', () => {
    const value = toJson(JSON.parse('{"__proto__":{"x":1}}'))
    expect(JSON.stringify(value)).toBe('{"__proto__":{"x":1}}')
    expect(value).not.toHaveProperty('x')
  })

  it('throws for what JSON cannot hold', () => {
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    expect(() => toJson(cycle)).toThrow(TypeError)
    expect(() => toJson({ n: 1n })).toThrow(TypeError)
  })
})

describe('isDeeperThan()', () => {
  it.each<[value: Json, depth: number]>([
    [1, 0],
    [null, 0],
    ['[[[', 0],
    [[], 1],
    [[1], 1],
    [{}, 1],
    [{ a: 'x' }, 1],
    [[[]], 2],
    [{ a: [{}] }, 3],
    [[1, [2, [3]], 4], 3],
  ])('finds %j to be %i deep', (value, depth) => {
    expect(isDeeperThan(value, depth)).toBe(false)
    expect(isDeeperThan(value, depth - 1)).toBe(depth > 0)
  })

  it('measures a value that is 100,000 deep, and one that is 100,000 wide', () => {
    const deep = parsed('['.repeat(100_000) + ']'.repeat(100_000))
    expect(isDeeperThan(deep, 99_999)).toBe(true)
    expect(isDeeperThan(deep, 100_000)).toBe(false)
    const keys = parsed('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000))
    expect(isDeeperThan(keys, 64)).toBe(true)
    expect(
      isDeeperThan(
        Array.from({ length: 100_000 }, () => []),
        2,
      ),
    ).toBe(false)
  })
})

describe('isJsonObject()', () => {
  it.each<[value: Json | undefined, expected: boolean]>([
    [{}, true],
    [[], false],
    [null, false],
    ['{}', false],
    [undefined, false],
  ])('of %j is %s', (value, expected) => {
    expect(isJsonObject(value)).toBe(expected)
  })
})
