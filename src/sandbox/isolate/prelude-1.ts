/** Characters of an error's text that leave the isolate. */
const errorLength = 2000

/**
 * As it was for scripts that began on version 1: never changed, so that their logs go on. Evaluates to a function of the guest that is called before any script, and gives the host five functions that no script
 * ever sees. What they use of the language they took when it was untouched, so a script that tampers with it changes only
 * itself. They serve the unusual: a value that the object format refuses, a print, an error. Calls and results do without.
 */
export const prelude1 = `((isPromise, tools) => {
const { getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf, defineProperty, hasOwn, freeze } = Object
const { ownKeys, construct } = Reflect
const { isArray } = Array
const { stringify } = JSON
const { isFinite } = Number
const bind = Function.prototype.bind.bind(Function.prototype.call)
const slice = bind(String.prototype.slice)
const time = bind(Date.prototype.getTime)
const iso = bind(Date.prototype.toISOString)
const text = bind(String.prototype.valueOf)
const number = bind(Number.prototype.valueOf)
const truth = bind(Boolean.prototype.valueOf)
const big = bind(BigInt.prototype.valueOf)
const mapEach = bind(Map.prototype.forEach)
const setEach = bind(Set.prototype.forEach)
const string = String
const own = (object, name, value, enumerable = true) =>
  defineProperty(object, name, { __proto__: null, value, enumerable, writable: true, configurable: true })
const list = () => setPrototypeOf([], null)
const attempt = (take, value) => { try { return take(value) } catch { return undefined } }
const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function'

const ToolError = class ToolError extends Error {
  constructor(message, { code = 'failed', retryable = false } = {}) {
    super(message)
    own(this, 'code', code)
    own(this, 'retryable', retryable)
  }
}
own(ToolError.prototype, 'name', 'ToolError', false)
own(globalThis, 'ToolError', ToolError, false)
freeze(tools)
const classes = { __proto__: null, TypeError, RangeError, ToolError }
const bases = { __proto__: null, TypeError, RangeError, ToolError: Error }

/** A data property, the object's own or inherited. Never calls a getter. */
const read = (object, name) => {
  for (let at = object, i = 0; isObject(at) && i < 8; at = getPrototypeOf(at), i++) {
    const found = getOwnPropertyDescriptor(at, name)
    if (found) return hasOwn(found, 'value') ? found.value : undefined
  }
}
const readText = (object, name) => {
  const value = read(object, name)
  return typeof value === 'string' ? slice(value, 0, ${errorLength}) : undefined
}
/** Errors have a stack of their own, and a name and message from somewhere. */
const isError = (value) => typeof readText(value, 'message') === 'string' && typeof readText(value, 'stack') === 'string'

/** A plain copy with the meaning that JSON gives. What JSON has no word for goes to unfit, with its path. */
const plain = (value, path, parents, unfit) => {
  if (typeof value === 'function') return unfit(path, 'a function', 'leave it out', value)
  if (typeof value === 'symbol') return unfit(path, 'a symbol', 'leave it out', value)
  if (typeof value === 'bigint') return unfit(path, 'a BigInt', 'convert it with Number() or String()', value)
  if (typeof value !== 'object' || value === null) return value
  if (isPromise(value)) return unfit(path, 'a Promise', 'await it first', value)
  let depth = 0
  for (let at = parents; at; at = at.up) {
    if (at.value === value) return unfit(path, 'a cycle', 'an object may not contain itself', value)
    depth++
  }
  if (depth >= 128) return unfit(path, 'nested deeper than 128', 'flatten it', value)
  const boxed = attempt(text, value) ?? attempt(number, value) ?? attempt(truth, value) ?? attempt(big, value)
  if (boxed !== undefined) return plain(boxed, path, parents, unfit)
  const date = attempt(time, value)
  if (date !== undefined) return isFinite(date) ? iso(value) : null
  const special = unfit === mark ? shown(value) : undefined
  if (special !== undefined) return special
  const inner = { __proto__: null, value, up: parents }
  const field = (name, at) => {
    const found = getOwnPropertyDescriptor(value, name)
    if (!found) return undefined
    if (!hasOwn(found, 'value')) return unfit(at, 'a getter', 'copy its value', value)
    return plain(found.value, at, inner, unfit)
  }
  if (isArray(value)) {
    const copy = list()
    const { length } = value
    for (let i = 0; i < length; i++) copy[i] = field(i, path + '[' + i + ']')
    return copy
  }
  const copy = { __proto__: null }
  const names = setPrototypeOf(ownKeys(value), null)
  for (let i = 0; i < names.length; i++) {
    const name = names[i]
    if (typeof name === 'symbol' || !getOwnPropertyDescriptor(value, name)?.enumerable) continue
    const item = field(name, path + '.' + slice(name, 0, 100))
    if (item !== undefined) copy[name] = item
  }
  return copy
}
const refuse = (path, what, hint) => {
  throw construct(bases.TypeError, [path + ' is ' + what + ': ' + hint], classes.TypeError)
}
const mark = (path, what, hint, value) =>
  typeof value === 'bigint' ? value + 'n' : typeof value === 'symbol' ? string(value) : '[' + what + ']'
/** What JSON would show as an empty object, in a print. */
const shown = (value) => {
  if (isError(value)) return (readText(value, 'name') || 'Error') + ': ' + readText(value, 'message')
  const items = list()
  if (attempt(() => (mapEach(value, (item, key) => { items[items.length] = plain([key, item], '', { value, up: null }, mark) }), true)))
    return { __proto__: null, Map: items }
  if (attempt(() => (setEach(value, (item) => { items[items.length] = plain(item, '', { value, up: null }, mark) }), true)))
    return { __proto__: null, Set: items }
}

const copy = (value, path) => plain(value, path, null, refuse)
const show = (value) => {
  if (typeof value === 'object' && value !== null) return plain(value, '', null, mark)
  return typeof value === 'bigint' ? value + 'n' : typeof value === 'function' ? '[a function]' : string(value)
}
const describe = (thrown) => {
  if (!isObject(thrown)) return { __proto__: null, message: slice(string(thrown), 0, ${errorLength}) }
  const message = readText(thrown, 'message') ?? slice(stringify(show(thrown)), 0, ${errorLength})
  return { __proto__: null, name: readText(thrown, 'name'), message, code: readText(thrown, 'code'), stack: readText(thrown, 'stack') }
}
/** Called at each call of a tool, to know where it was made if it fails. */
const site = () => construct(Error, [])
const makeError = (failure, site) => {
  const error = construct(bases[failure.type], [failure.message], classes[failure.type])
  own(error, 'code', failure.code)
  if (failure.type === 'ToolError') own(error, 'retryable', failure.retryable)
  if (site) own(error, 'stack', readText(site, 'stack'), false)
  return error
}
return [copy, show, describe, makeError, site]
})`
