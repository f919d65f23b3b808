/** The host takes addresses apart; what a URL and its parameters share is kept here. */
export const url = `kit => {
const { ask, own, bind, errors, ownKeys, isArray, String: string, defineProperty, getOwnPropertyDescriptor, apply } = kit
const { Symbol: { toStringTag, iterator } } = kit
const toWellFormed = bind(String.prototype.toWellFormed)
const sort = bind(Array.prototype.toSorted)
const toText = (value) => {
  if (typeof value === 'symbol') throw new errors.TypeError('Cannot convert a symbol to a text')
  return toWellFormed(string(value))
}
const need = (name, given, wanted) => {
  if (given < wanted) throw new errors.TypeError('Cannot call ' + name + ': it takes ' + wanted + (wanted === 1 ? ' argument' : ' arguments'))
}
const toPair = (entry) => {
  const pair = typeof entry === 'object' && entry !== null ? [...entry] : []
  if (pair.length !== 2) throw new errors.TypeError('Cannot make URLSearchParams: each entry is a pair of name and value')
  return [toText(pair[0]), toText(pair[1])]
}
const toPairs = (init) => {
  if (init === undefined) return []
  if ((typeof init === 'object' && init !== null) || typeof init === 'function') {
    const pairs = []
    if (init[iterator] !== undefined && init[iterator] !== null) {
      for (const entry of init) own(pairs, pairs.length, toPair(entry))
      return pairs
    }
    const names = ownKeys(init)
    for (let i = 0; i < names.length; i++)
      if (getOwnPropertyDescriptor(init, names[i])?.enumerable) own(pairs, pairs.length, [toText(names[i]), toText(init[names[i]])])
    return pairs
  }
  return ask('params.parse', toText(init))
}

let link
let pairsOf
class URLSearchParams {
  #pairs
  #changed
  static {
    link = (params, changed) => { params.#changed = changed }
    pairsOf = (params, pairs) => { params.#pairs = pairs }
  }
  constructor(init) { this.#pairs = toPairs(init) }
  get size() { return this.#pairs.length }
  get(name) {
    need('get', arguments.length, 1)
    const wanted = toText(name)
    for (let i = 0; i < this.#pairs.length; i++) if (this.#pairs[i][0] === wanted) return this.#pairs[i][1]
    return null
  }
  getAll(name) {
    need('getAll', arguments.length, 1)
    const wanted = toText(name)
    const values = []
    for (let i = 0; i < this.#pairs.length; i++) if (this.#pairs[i][0] === wanted) own(values, values.length, this.#pairs[i][1])
    return values
  }
  has(name, value) {
    need('has', arguments.length, 1)
    const wanted = toText(name)
    const only = value === undefined ? undefined : toText(value)
    for (let i = 0; i < this.#pairs.length; i++)
      if (this.#pairs[i][0] === wanted && (only === undefined || this.#pairs[i][1] === only)) return true
    return false
  }
  append(name, value) {
    need('append', arguments.length, 2)
    own(this.#pairs, this.#pairs.length, [toText(name), toText(value)])
    this.#changed?.()
  }
  delete(name, value) {
    need('delete', arguments.length, 1)
    const wanted = toText(name)
    const only = value === undefined ? undefined : toText(value)
    this.#keep((pair) => pair[0] !== wanted || (only !== undefined && pair[1] !== only))
    this.#changed?.()
  }
  set(name, value) {
    need('set', arguments.length, 2)
    const wanted = toText(name)
    const to = toText(value)
    let isSet = false
    this.#keep((pair) => {
      if (pair[0] !== wanted) return true
      if (isSet) return false
      pair[1] = to
      return (isSet = true)
    })
    if (!isSet) own(this.#pairs, this.#pairs.length, [wanted, to])
    this.#changed?.()
  }
  #keep(isKept) {
    const kept = []
    for (let i = 0; i < this.#pairs.length; i++) if (isKept(this.#pairs[i])) own(kept, kept.length, this.#pairs[i])
    this.#pairs = kept
  }
  sort() {
    this.#pairs = sort(this.#pairs, (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0))
    this.#changed?.()
  }
  toString() { return ask('params.text', this.#pairs) }
  forEach(callback, self) {
    if (typeof callback !== 'function') throw new errors.TypeError('Cannot call forEach: expected a function')
    for (let i = 0; i < this.#pairs.length; i++) apply(callback, self, [this.#pairs[i][1], this.#pairs[i][0], this])
  }
  *entries() { for (let i = 0; i < this.#pairs.length; i++) yield [this.#pairs[i][0], this.#pairs[i][1]] }
  *keys() { for (let i = 0; i < this.#pairs.length; i++) yield this.#pairs[i][0] }
  *values() { for (let i = 0; i < this.#pairs.length; i++) yield this.#pairs[i][1] }
}
own(URLSearchParams.prototype, iterator, URLSearchParams.prototype.entries, false)
own(URLSearchParams.prototype, toStringTag, 'URLSearchParams', false)

const parse = (url, base) => ask('url.parse', toText(url), base === undefined ? null : toText(base))
let partOf
let setPart
class URL {
  #parts
  #params
  static {
    partOf = (url, name) => url.#parts[name]
    // For what reads values: a URL is its text, as JSON has it.
    kit.hrefOf = (value) => (#parts in value ? value.#parts.href : undefined)
    setPart = (url, name, value) => {
      url.#parts = ask('url.set', url.#parts.href, name, value)
      if (url.#params && (name === 'search' || name === 'href')) pairsOf(url.#params, toPairs(url.#parts.search))
    }
  }
  constructor(url, base) {
    need('URL', arguments.length, 1)
    const parts = parse(url, base)
    if (parts === null)
      throw new errors.TypeError('Invalid URL: ' + kit.stringify(kit.slice(toText(url), 0, 200)) + (base === undefined ? '' : ' with base ' + kit.stringify(kit.slice(toText(base), 0, 200))))
    this.#parts = parts
    defineProperty(this, 'href', href)
  }
  static canParse(url, base) { return parse(url, base) !== null }
  static parse(url, base) { return parse(url, base) === null ? null : new URL(url, base) }
  get searchParams() {
    if (this.#params) return this.#params
    const params = new URLSearchParams(this.#parts.search)
    link(params, () => { this.#parts = ask('url.set', this.#parts.href, 'search', params.toString()) })
    return (this.#params = params)
  }
  toString() { return this.#parts.href }
  toJSON() { return this.#parts.href }
}
const names = ['href', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash']
for (let i = 0; i < names.length; i++) {
  const name = names[i]
  const get = function () { return partOf(this, name) }
  const set = function (value) { setPart(this, name, toText(value)) }
  defineProperty(URL.prototype, name, { __proto__: null, get, set, enumerable: true, configurable: true })
}
/** Also of each object: the object format would take it for an empty object, and refuses getters. */
const href = kit.setPrototypeOf(getOwnPropertyDescriptor(URL.prototype, 'href'), null)
const origin = function () { return partOf(this, 'origin') }
defineProperty(URL.prototype, 'origin', { __proto__: null, get: origin, set: undefined, enumerable: true, configurable: true })
own(URL.prototype, toStringTag, 'URL', false)
return { __proto__: null, URL, URLSearchParams }
}`
