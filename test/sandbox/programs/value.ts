import type { Json } from '../../../src/core/json.js'
import type { Draw } from './draw.js'

const characters = [
  'a',
  'Z',
  ' ',
  '\0',
  '\n',
  '"',
  '\\',
  '\u007f',
  '\u0080',
  'é',
  'ÿ',
  'Ā',
  '€',
  '\ud800',
  '\udbff',
  '\udc00',
  '\udfff',
  '😀',
  '\u2028',
  '\ufeff',
  '\uffff',
]

const names = [
  '',
  'a',
  'id',
  '__proto__',
  'constructor',
  'prototype',
  'toJSON',
  'then',
  'length',
  '0',
  '1',
  '-1',
  '01',
  '1.5',
  '1e3',
  '2147483647',
  '2147483648',
  '4294967294',
  '4294967295',
  '4294967296',
  '9007199254740993',
]

const numbers = [
  0,
  -0,
  1,
  -1,
  63,
  64,
  -64,
  -65,
  0.1,
  -1.5,
  1e21,
  1e-7,
  2 ** 30,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31),
  -(2 ** 31) - 1,
  2 ** 32,
  2 ** 53,
  -(2 ** 53),
  Number.MIN_VALUE,
  Number.MAX_VALUE,
  Number.EPSILON,
]

/** Lengths around the borders of the codec: of its short texts, and of a byte of a count. */
const lengths = [0, 1, 2, 3, 12, 13, 24, 25, 63, 64, 65, 127, 128]

function randomText(draw: Draw): string {
  if (draw.chance(0.1)) return draw.pick(characters).repeat(draw.pick(lengths))
  if (draw.chance(0.002)) return draw.pick(characters).repeat(draw.whole(4095, 4098))
  return Array.from({ length: draw.whole(0, 6) }, () => draw.pick(characters)).join('')
}

const randomName = (draw: Draw): string => (draw.chance(0.6) ? draw.pick(names) : randomText(draw))

function randomNumber(draw: Draw): number {
  if (draw.chance(0.4)) return draw.pick(numbers)
  if (draw.chance(0.5)) return Math.floor((draw.next() - 0.5) * 2 ** draw.whole(1, 54))
  return (draw.next() - 0.5) * 10 ** draw.whole(-300, 300)
}

/** Mostly small, and sometimes deep or long. */
export function randomJson(draw: Draw, depth = 0): Json {
  switch (draw.whole(0, depth > 4 ? 4 : 7)) {
    case 0:
      return draw.pick([null, true, false])
    case 1:
    case 2:
      return randomNumber(draw)
    case 3:
    case 4:
      return randomText(draw)
    case 5:
      if (draw.chance(0.02)) return Array.from({ length: draw.whole(0, 120) }).reduce<Json>((deep) => [deep], 'deep')
      return Array.from({ length: draw.whole(0, 4) }, () => randomJson(draw, depth + 1))
    default: {
      const object: Record<string, Json> = {}
      for (let i = draw.whole(0, 4); i > 0; i--) {
        const value = randomJson(draw, depth + 1)
        Object.defineProperty(object, randomName(draw), { value, enumerable: true, configurable: true, writable: true })
      }
      return object
    }
  }
}

/** JavaScript of a value whose parts JSON has no words for, but its rules. It may name the four items of `shared`. */
export function randomExpression(draw: Draw, depth = 0): string {
  const inner = () => randomExpression(draw, depth + 1)
  const several = (each: () => string) => Array.from({ length: draw.whole(0, 4) }, each)
  switch (draw.whole(0, depth > 3 ? 6 : 12)) {
    case 0:
      return draw.pick(
        ['undefined', 'NaN', 'Infinity', '-Infinity', '-0', 'null', '[]', '{}'].map((text) => `(${text})`),
      )
    case 1:
      return String(randomNumber(draw)).replace(/^-.*$/, '($&)')
    case 2:
      return JSON.stringify(randomText(draw))
    case 3:
      return `new Date(${draw.pick(['0', 'NaN', '1e12', '-1', '8.64e15', '8.64e15 + 1', '1.5', '-62198755200000', '253402300800000'])})`
    case 4:
      return `Object(${draw.pick(['"s"', '"€"', '1', '-0', 'NaN', 'true', 'false'])})`
    case 5:
    case 6:
      return `shared[${draw.whole(0, 3)}]`
    case 7:
    case 8:
      return `[${several(() => (draw.chance(0.2) ? '' : inner())).join(', ')}]`
    case 9:
      return `((a) => { a.length = ${draw.whole(0, 6)}; delete a[${draw.whole(0, 3)}]; a.extra = 1; return a })([${several(inner).join(', ')}])`
    case 10:
      return `((o) => { delete o[${JSON.stringify(randomName(draw))}]; o[Symbol('x')] = 1; return o })({${several(() => field(draw, inner)).join(', ')}})`
    case 11:
      return `Object.defineProperty({${several(() => field(draw, inner)).join(', ')}}, 'hidden', { value: ${inner()} })`
    default:
      return `({${several(() => field(draw, inner)).join(', ')}})`
  }
}

/** Computed, for `__proto__` is a name too. */
const field = (draw: Draw, inner: () => string): string => `[${JSON.stringify(randomName(draw))}]: ${inner()}`
