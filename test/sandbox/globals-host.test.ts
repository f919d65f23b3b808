import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/json.js'
import { decode, encode } from '../../src/sandbox/isolate/codec.js'
import { parts } from '../../src/sandbox/globals/guest-parts.js'
import { createHostValues } from '../../src/sandbox/globals/host-values.js'
import { createTimeZone } from '../../src/sandbox/globals/time-zone.js'

const create = (locale = 'de-DE', timeZone = 'Europe/Berlin') =>
  createHostValues({ locale, timeZone, zone: createTimeZone(timeZone) })

/** As a copy, because the codec writes into a buffer that it keeps. */
const bytesOf = (value: Json) => new Uint8Array(encode(value))
const ask = (host: ReturnType<typeof create>, question: Json) => decode(host.answer(bytesOf(question)), Infinity).value

/** What the parts of the prelude ask for. */
const names = [
  ...new Set(Object.values(parts).flatMap((part) => [...part.matchAll(/ask\('([\w.]+)'/g)].map(([, name]) => name!))),
]

describe('what a script asks the host for', () => {
  it('is known by every name that the prelude uses', () => {
    expect(names.length).toBeGreaterThan(15)
    for (const name of names) expect(ask(create(), [name])).not.toEqual([1, 'TypeError', `There is no ${name}`])
  })

  it.each<[string, Json]>([
    ['nothing', []],
    ['no name', [5]],
    ['no list', { name: 'atob' }],
    ['a name that objects have', ['constructor']],
    ['a prototype', ['__proto__', 1]],
    ['a method that is none of a formatter', ['intl.once', 'Collator', 'any', [], [], 'constructor', [1]]],
    ['a formatter that was not made', ['intl.call', 7, 'format', [1]]],
    ['a kind that is none', ['intl.make', 'Segmenter', 'any', [], []]],
    ['a usage that is none', ['intl.once', 'DateTimeFormat', 'x', [], [], 'format', [1]]],
    ['origin as what is set', ['url.set', 'https://a.b', 'origin', 'x']],
    ['a method of URLs as what is set', ['url.set', 'https://a.b', 'toString', 'x']],
    ['an address that is none', ['url.set', 'x', 'href', 'https://a.b']],
  ])('is refused when it is %s', (_, question) => {
    expect(ask(create(), question)).toEqual([1, expect.stringMatching(/^(Type|Range)Error$/), expect.any(String)])
  })

  it('is answered, whatever it is', () => {
    const host = create()
    let random = 1
    const draw = (below: number) => {
      random = (Math.imul(random, 1664525) + 1013904223) >>> 0
      return Math.floor((random / 2 ** 32) * below)
    }
    const leaves: Json[] = [
      null,
      true,
      0,
      -1,
      1.5,
      1e300,
      '',
      'x',
      'en',
      'NumberFormat',
      'any',
      'format',
      '%',
      'https://a.b',
      'utf-8',
      '\ud800',
    ]
    const value = (depth: number): Json => {
      const kind = draw(depth > 3 ? 3 : 5)
      if (kind < 3) return leaves[draw(leaves.length)]!
      const items = Array.from({ length: draw(4) }, () => value(depth + 1))
      return kind === 3
        ? items
        : Object.fromEntries(items.map((item, i) => [['style', 'big', 'text', 'number'][i]!, item]))
    }
    const seen = { 0: 0, 1: 0 }
    for (let i = 0; i < 20_000; i++) {
      const answer = ask(host, [names[draw(names.length)]!, ...Array.from({ length: draw(7) }, () => value(0))])
      const [fault, name, message] = answer as [0 | 1, Json, Json]
      if (fault === 1 && (typeof name !== 'string' || typeof message !== 'string'))
        throw new Error(`An odd answer: ${JSON.stringify(answer)}`)
      seen[fault]++
    }
    expect(seen[0]).toBeGreaterThan(500)
    expect(seen[1]).toBeGreaterThan(500)
  })

  it('is refused when it is no JSON', () => {
    expect(decode(create().answer(undefined), Infinity).value).toEqual([1, 'TypeError', 'Expected JSON'])
  })

  it('depends on nothing that was asked before, but for the numbers of formatters', () => {
    const question: Json = ['intl.once', 'NumberFormat', 'any', [], [], 'format', [1.5]]
    const host = create()
    for (let i = 0; i < 20; i++) ask(host, ['intl.make', 'NumberFormat', 'any', ['en'], [{ minimumFractionDigits: i }]])
    expect(ask(host, question)).toEqual(ask(create(), question))
    expect(ask(create('en-US'), question)).toEqual([0, '1.5'])
  })
})
