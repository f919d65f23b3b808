/**
 * Evaluates to a function of the guest that is called before any script. It takes what it uses of the language while it is
 * untouched, and gives the host what no script sees: where a call is made, and its functions for the unusual. A global that most scripts do without is an accessor, which evaluates its part on first use and then is the value itself:
 * the engine needs a tenth of a millisecond to compile a thousand characters, and each script is a new instance of it.
 */
export const prelude2 = `((isPromise, host) => {
const { tools, state, print, part, value: answer } = host
const { getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf, defineProperty, hasOwn, freeze } = Object
const { ownKeys, construct, apply, defineProperty: tryDefine } = Reflect
const NativeDate = Date
const bind = Function.prototype.bind.bind(Function.prototype.call)
const slice = bind(String.prototype.slice)
const indexOf = bind(String.prototype.indexOf)
const data = (value, enumerable) => ({ __proto__: null, value, enumerable, writable: true, configurable: true })
const own = (object, name, value, enumerable = true) => defineProperty(object, name, data(value, enumerable))
const errors = { __proto__: null, TypeError, RangeError }
const parts = { __proto__: null }
const load = (name) => (parts[name] ??= part(name)(kit))
/** Asks the host for a value: a pure function of what it is given. */
const ask = (name, ...args) => {
  const given = answer(name, args)
  if (given[0] === 0) return given[1]
  throw errors[given[1]] ? construct(errors[given[1]], [given[2]]) : load('exception').make(given[2], given[1])
}
const kit = {
  __proto__: null, isPromise, host, own, data, load, ask, bind, slice, errors, NativeDate, random: Math.random,
  getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf, defineProperty, hasOwn, ownKeys, construct, apply,
  isArray: Array.isArray, stringify: JSON.stringify, isFinite: Number.isFinite, String, Number, Error, BigInt, Symbol,
  time: bind(Date.prototype.getTime), iso: bind(Date.prototype.toISOString), now: Date.now,
  text: bind(String.prototype.valueOf), number: bind(Number.prototype.valueOf),
  truth: bind(Boolean.prototype.valueOf), big: bind(BigInt.prototype.valueOf),
  mapEach: bind(Map.prototype.forEach), setEach: bind(Set.prototype.forEach), then: bind(Promise.prototype.then),
}

const spaces = { __proto__: null }
const names = ownKeys(tools)
for (let i = 0; i < names.length; i++) {
  const at = indexOf(names[i], '__')
  const space = slice(names[i], 0, at)
  if (at < 1 || at + 2 === names[i].length || hasOwn(tools, space)) continue
  spaces[space] ??= { __proto__: null }
  spaces[space][slice(names[i], at + 2)] = tools[names[i]]
}
for (const space in spaces) own(tools, space, freeze(spaces[space]), false)
freeze(tools)

const global = globalThis
const lazy = (part, names) => {
  for (let i = 0; i < names.length; i++) {
    const name = names[i]
    const set = (value) => { tryDefine(global, name, data(value, false)) }
    const get = () => {
      const value = load(part)[name]
      set(value)
      return value
    }
    defineProperty(global, name, { __proto__: null, get, set, enumerable: false, configurable: true })
  }
}
own(global, 'print', print, false)
own(global, 'text', print, false)
const refuse = () => { throw new errors.TypeError('Cannot assign to state: change what it holds, as in state.name = value') }
defineProperty(global, 'state', { __proto__: null, get: () => state, set: refuse, enumerable: false, configurable: false })
lazy('values', ['ToolError'])
lazy('console', ['console'])
lazy('calls', ['sleep', 'search', 'describe', 'results'])
lazy('timers', ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'queueMicrotask'])
lazy('date', ['Date'])
lazy('intl', ['Intl'])
lazy('clone', ['structuredClone'])
lazy('exception', ['DOMException'])
lazy('url', ['URL', 'URLSearchParams'])
lazy('encoding', ['TextEncoder', 'TextDecoder', 'atob', 'btoa'])
lazy('chance', ['crypto', 'performance'])
const localized = (prototype, names) => {
  for (let i = 0; i < names.length; i++) {
    const name = names[i]
    own(prototype, name, { [name](...args) { return load('locale')[name](this, args) } }[name], false)
  }
}
const toLocale = ['toLocaleString']
localized(Number.prototype, toLocale)
localized(BigInt.prototype, toLocale)
localized(Array.prototype, toLocale)
localized(String.prototype, ['localeCompare', 'toLocaleUpperCase', 'toLocaleLowerCase'])
/** Called at each call of a tool, to know where it was made if it fails. */
const site = () => construct(kit.Error, [])
return [site, () => load('values').ours]
})`
