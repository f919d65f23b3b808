import type { Json } from '../../core/json.js'

/**
 * Evaluates to a function of the guest that is called before any script. It takes what we use of the language while it is
 * untouched, and gives the host what no script sees: where a call is made, and its functions for the unusual. A global that
 * most scripts do without is an accessor, which evaluates its part on first use and then is the value itself. Each script is
 * a new instance of the engine, and a thousand characters take a tenth of a millisecond to compile: what can be is a table.
 */
export const prelude2 = `host => {
const { state, print, isPromise, part, value: answer, table } = host
const global = globalThis
const { defineProperty } = Object
const { construct, defineProperty: tryDefine } = Reflect
const bind = Function.prototype.bind.bind(Function.prototype.call)
const data = (value, enumerable) => ({ __proto__: null, value, enumerable, writable: true, configurable: true })
const own = (object, name, value, enumerable = true) => defineProperty(object, name, data(value, enumerable))
const { TypeError, RangeError } = global
const errors = { __proto__: null, TypeError, RangeError }
const parts = { __proto__: null }
const load = (name) => (parts[name] ??= part(name)(kit))
/** Asks the host for a value: a pure function of what it is given. */
const ask = (...question) => {
  const given = answer(question)
  if (given[0] === 0) return given[1]
  throw errors[given[1]] ? construct(errors[given[1]], [given[2]]) : load('exception').make(given[2], given[1])
}
const kit = { __proto__: null, host, isPromise, bind, own, errors, load, ask }
for (const name of table.globals) kit[name] = global[name]
for (const [object, names] of table.functions) for (const name of names) kit[name] = global[object][name]
for (const [type, name, as] of table.methods) kit[as] = bind(global[type].prototype[name])

for (const [part, names] of table.lazy) for (const name of names) {
  const set = (value) => { tryDefine(global, name, data(value, false)) }
  const get = () => {
    const value = load(part)[name]
    set(value)
    return value
  }
  defineProperty(global, name, { __proto__: null, get, set, enumerable: false, configurable: true })
}
for (const [type, names] of table.localized) for (const name of names)
  own(global[type].prototype, name, { [name](...args) { return load('locale')[type][name](this, args) } }[name], false)
own(global, 'print', print, false)
own(global, 'text', print, false)
const set = () => { throw new TypeError('Cannot assign to state: change what it holds, as in state.name = value') }
defineProperty(global, 'state', { __proto__: null, get: () => state, set, enumerable: false, configurable: false })
return [kit.Error, () => load('values').ours, kit.freeze]
}`

/** What the prelude takes of the language, and which globals it makes of which part. */
export const table2 = {
  globals: ['Date', 'Error', 'Number', 'String', 'Symbol'],
  functions: [
    ['Object', ['defineProperty', 'freeze', 'getOwnPropertyDescriptor', 'getPrototypeOf', 'hasOwn', 'setPrototypeOf']],
    ['Reflect', ['apply', 'construct', 'ownKeys']],
    ['Array', ['isArray']],
    ['Date', ['now']],
    ['JSON', ['stringify']],
    ['Math', ['random']],
    ['Number', ['isFinite']],
  ],
  methods: [
    ['String', 'slice', 'slice'],
    ['Date', 'getTime', 'time'],
    ['Date', 'toISOString', 'iso'],
    ['String', 'valueOf', 'text'],
    ['Number', 'valueOf', 'number'],
    ['Boolean', 'valueOf', 'truth'],
    ['BigInt', 'valueOf', 'big'],
    ['Map', 'forEach', 'mapEach'],
    ['Set', 'forEach', 'setEach'],
    ['Promise', 'then', 'then'],
  ],
  lazy: [
    ['values', ['ToolError']],
    ['console', ['console']],
    ['calls', ['sleep', 'search', 'describe', 'results']],
    ['timers', ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'queueMicrotask']],
    ['date', ['Date']],
    ['intl', ['Intl']],
    ['clone', ['structuredClone']],
    ['exception', ['DOMException']],
    ['url', ['URL', 'URLSearchParams']],
    ['encoding', ['TextEncoder', 'TextDecoder', 'atob', 'btoa']],
    ['chance', ['crypto', 'performance']],
  ],
  localized: [
    ['Number', ['toLocaleString']],
    ['BigInt', ['toLocaleString']],
    ['Array', ['toLocaleString']],
    ['String', ['localeCompare', 'toLocaleUpperCase', 'toLocaleLowerCase']],
  ],
} satisfies Json
