import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/core/json.js'
import { NotJson, TooLarge, decode, encode } from '../../src/sandbox/isolate/codec.js'
import { Engine } from '../../src/sandbox/isolate/engine.js'
import { createInstance } from '../../src/sandbox/isolate/instance.js'
import { wasmModule } from './wasm-module.js'

const roundTrip = (value: Json) => JSON.parse(JSON.stringify(value)) as Json
async function createEngine(): Promise<Engine> {
  const engine = new Engine(await createInstance(wasmModule, 256 << 20))
  engine.begin({
    stack: 128 << 10,
    now: () => 0,
    offsetAt: () => 0,
    call: (_, [first]) => first!,
    shouldStop: () => false,
  })
  return engine
}

describe('the codec and the engine', () => {
  it('agree on 2,000 random values, and mean what JSON means', async () => {
    const guest = await createEngine()
    const draw = createDraw(42)
    for (let i = 0; i < 2000; i++) {
      const value = randomJson(draw, 0)
      const handle = guest.read(encode(value))
      const { value: read } = decode(guest.write(handle)!, 1e9)
      guest.free(handle)
      expect(JSON.stringify(read)).toBe(JSON.stringify(roundTrip(value)))
    }
  })

  it('agree with the JSON of the engine itself', async () => {
    const guest = await createEngine()
    const draw = createDraw(7)
    const { value: parse } = guest.evaluate('JSON.parse', 'x.js')
    for (let i = 0; i < 300; i++) {
      const text = JSON.stringify(randomJson(draw, 0))
      const handle = guest.read(encode(text))
      const { value: parsed } = guest.call(parse!, handle)
      expect(JSON.stringify(decode(guest.write(parsed!)!, 1e9).value)).toBe(JSON.stringify(JSON.parse(text)))
      guest.free(handle, parsed!)
    }
  })
})

describe('decode()', () => {
  it('ends in an error of its own for whatever bytes it is given', () => {
    const draw = createDraw(3)
    const good = encode({ a: [1, 'x', { b: null }], c: 'é€' })
    for (let i = 0; i < 5000; i++) {
      const bytes = new Uint8Array(good)
      for (let flips = 0; flips < 3; flips++)
        bytes[1 + Math.floor(draw() * (bytes.length - 1))] = Math.floor(draw() * 256)
      expect(kindOf(() => decode(bytes, 1000))).not.toBe('hang or foreign error')
    }
  })

  it('counts an object that is found twice twice', () => {
    let nested: Json = ['0123456789']
    for (let i = 0; i < 10; i++) nested = [nested, nested]
    const bytes = encode(nested)
    expect(() => decode(bytes, 5000)).toThrow(TooLarge)
    expect(decode(bytes, 20_000).bytes).toBeLessThanOrEqual(20_000)
  })

  it('measures exactly near the limit', () => {
    const value = { text: '"\u0001é€😀', n: -1.5, list: [true, null] }
    const bytes = Buffer.byteLength(JSON.stringify(value))
    expect(decode(encode(value), bytes).value).toEqual(value)
    expect(() => decode(encode(value), bytes - 1)).toThrow(TooLarge)
  })
})

describe('encode()', () => {
  it('refuses what is not JSON, and what is nested too deep', () => {
    expect(() => encode({ a: 1n } as unknown as Json)).toThrow(NotJson)
    expect(() => encode({ a: () => 1 } as unknown as Json)).toThrow(NotJson)
    const cycle: Json[] = []
    cycle.push(cycle)
    expect(() => encode(cycle)).toThrow('it is nested deeper than 512')
  })
})

function kindOf(run: () => unknown): string {
  try {
    run()
    return 'value'
  } catch (error) {
    if (error instanceof NotJson || error instanceof TooLarge) return 'refused'
    return error instanceof RangeError ? 'out of bytes' : 'hang or foreign error'
  }
}

const characters = [
  'a',
  'Z',
  '0',
  ' ',
  '\0',
  '\n',
  '"',
  '\\',
  'é',
  'ÿ',
  '€',
  '\ud800',
  '\udc00',
  '😀',
  '\u2028',
  '__proto__',
  'constructor',
  '12',
]
const numbers = [
  0,
  -0,
  1,
  -1,
  0.5,
  1e21,
  -1e-7,
  2 ** 31,
  2 ** 31 - 1,
  -(2 ** 31),
  -(2 ** 31) - 1,
  2 ** 53,
  Number.MIN_VALUE,
  Number.MAX_VALUE,
]

function randomJson(draw: () => number, depth: number): Json {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(draw() * list.length)]!
  const text = () => Array.from({ length: Math.floor(draw() * 5) }, () => pick(characters)).join('')
  const size = () => Math.floor(draw() * 5)
  switch (Math.floor(draw() * (depth > 5 ? 5 : 8))) {
    case 0:
      return null
    case 1:
      return draw() < 0.5
    case 2:
      return pick(numbers)
    case 3:
      return Math.floor((draw() - 0.5) * 2 ** 34)
    case 4:
      return text()
    case 5:
      return Array.from({ length: size() }, () => randomJson(draw, depth + 1))
    default:
      return Object.fromEntries(Array.from({ length: size() }, () => [text(), randomJson(draw, depth + 1)]))
  }
}

function createDraw(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    return ((state ^ (state >>> 12)) >>> 0) / 2 ** 32
  }
}
