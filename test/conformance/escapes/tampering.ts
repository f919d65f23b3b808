import type { Json } from '../../../src/core/json.js'
import type { Attack, Family } from './attack.js'

/** What a script changes of its language. Whatever it is, the host must still be told the truth. */
const tamperings: readonly (readonly [name: string, code: string])[] = [
  ['Promise.prototype.then', `Promise.prototype.then = function () { return 'mine' }`],
  ['Promise', `globalThis.Promise = class { static resolve() { throw 1 } }`],
  ['Symbol.species of Promise', `Object.defineProperty(Promise, Symbol.species, { get() { throw 1 } })`],
  ['Promise.prototype.constructor', `Promise.prototype.constructor = function () { throw 1 }`],
  ['JSON.stringify and JSON.parse', `JSON.stringify = () => '{"a":99}'; JSON.parse = () => ({ a: 99 })`],
  ['toJSON of every object', `Object.prototype.toJSON = () => ({ a: 99 })`],
  ['toJSON of arrays and numbers', `Array.prototype.toJSON = Number.prototype.toJSON = () => 99`],
  [
    'a getter of Object.prototype',
    `Object.defineProperty(Object.prototype, 'extra', { get() { return 99 }, enumerable: true })`,
  ],
  [
    'setters of Object.prototype',
    `for (const k of ['a', 'list', 'n', 'value']) Object.defineProperty(Object.prototype, k, { set() { throw 1 } })`,
  ],
  [
    'then of every object',
    `Object.defineProperty(Object.prototype, 'then', { value: undefined, writable: true }); Object.prototype.extra = 99`,
  ],
  [
    'setters of Array.prototype',
    `for (const k of [0, 1]) Object.defineProperty(Array.prototype, k, { set() { throw 1 } })`,
  ],
  [
    'Array.prototype',
    `for (const k of ['push', 'map', 'join', 'slice', 'forEach']) Array.prototype[k] = () => { throw 1 }`,
  ],
  ['iteration', `Array.prototype[Symbol.iterator] = () => { throw 1 }`],
  [
    'Function.prototype',
    `Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw 1 }`,
  ],
  [
    'Object and Reflect',
    `const { getOwnPropertyNames } = Object; for (const o of [Object, Reflect]) for (const k of getOwnPropertyNames(o)) { try { o[k] = () => { throw 1 } } catch {} }`,
  ],
  ['Error', `globalThis.Error = globalThis.TypeError = function () { throw 1 }`],
  [
    'Error.prototype',
    `Error.prototype.name = Error.prototype.message = 'mine'; Error.prototype.toString = () => { throw 1 }`,
  ],
  ['Error.prepareStackTrace', `Error.prepareStackTrace = () => { for (;;); }`],
  ['Error.stackTraceLimit', `Error.stackTraceLimit = -1; Error.captureStackTrace = () => { throw 1 }`],
  ['Symbol.toPrimitive', `Object.prototype[Symbol.toPrimitive] = () => { throw 1 }`],
  ['Symbol.toStringTag', `Object.prototype[Symbol.toStringTag] = 'mine'`],
  ['String.prototype', `String.prototype.slice = String.prototype.valueOf = () => { throw 1 }`],
  ['Number.prototype', `Number.prototype.toString = Number.prototype.valueOf = () => { throw 1 }`],
  ['Date', `globalThis.Date = class { static now() { return 99 } }`],
  [
    'Map and Set',
    `Map.prototype.forEach = Set.prototype.forEach = () => { throw 1 }; globalThis.Map = globalThis.Set = 1`,
  ],
  ['Proxy', `globalThis.Proxy = function () { throw 1 }`],
  ['globalThis', `Object.freeze(Object.prototype); Object.freeze(Array.prototype); Object.freeze(Promise)`],
  ['its own global object', `Object.preventExtensions(globalThis)`],
  [
    'every global that it can',
    `for (const k of Object.getOwnPropertyNames(globalThis)) { try { if (k !== 'globalThis') globalThis[k] = undefined } catch {} }`,
  ],
  ['the prototype of tools', `Object.prototype.echo = () => ({ a: 99 }); Object.prototype.call = 99`],
  ['console', `try { console.log = () => { throw 1 } } catch {} try { globalThis.console = 1 } catch {}`],
]

const told: Json = { a: 1, list: [1, 2] }

const lies = tamperings.map(([name, code]): Attack => ({
  name: `tells the host something else by a change of ${name}`,
  code: `${code}\n;await tools.echo({ a: 1, list: [1, 2] })`,
  ends: 'ok',
  told: [told],
  answer: () => ({ status: 'ok', value: { n: 1 } }),
}))

const words = tamperings.map(([name, code]): Attack => ({
  name: `hides its failure by a change of ${name}`,
  code: `${code}\n;await tools.echo({ a: 1n })`,
  ends: 'thrown',
  message: /^(TypeError: tools.echo: input.a is a BigInt|1$)/,
  told: [],
}))

const returns = tamperings.map(([name, code]): Attack => ({
  name: `returns something else by a change of ${name}`,
  code: `${code}\n;return { a: 1, list: [1, 2] }`,
  ends: 'ok',
  value: told,
}))

/** Changes of the language that a script runs in, to lie to the host or to hide. */
export const tampering: Family = {
  name: 'tampering',
  allowed: ['ok', 'thrown'],
  attacks: [...lies, ...words, ...returns],
}
