/**
 * The structured clone of the platform, as a list of work instead of recursion: depth costs no stack. It has no word for
 * functions, symbols and promises, and nothing can be transferred.
 */
export const clone = `kit => {
const { own, load, bind, errors, hasOwn, getOwnPropertyDescriptor, getPrototypeOf, construct } = kit
const { isArray, time, text, number, truth, big, mapEach, setEach, Date: NativeDate, Error, String: string, Symbol: { toStringTag } } = kit
const classOf = bind({}.toString)
const sliceBuffer = bind(ArrayBuffer.prototype.slice)
const arrayPrototype = getPrototypeOf(Uint8Array.prototype)
const getter = (prototype, name) => bind(getOwnPropertyDescriptor(prototype, name).get)
const kindOf = getter(arrayPrototype, toStringTag)
const bufferOf = getter(arrayPrototype, 'buffer')
const offsetOf = getter(arrayPrototype, 'byteOffset')
const lengthOf = getter(arrayPrototype, 'length')
const lengthOfBuffer = getter(ArrayBuffer.prototype, 'byteLength')
const viewBuffer = getter(DataView.prototype, 'buffer')
const viewOffset = getter(DataView.prototype, 'byteOffset')
const viewLength = getter(DataView.prototype, 'byteLength')
const source = getter(RegExp.prototype, 'source')
const flags = getter(RegExp.prototype, 'flags')
const mapSet = bind(Map.prototype.set)
const mapGet = bind(Map.prototype.get)
const mapHas = bind(Map.prototype.has)
const setAdd = bind(Set.prototype.add)
const { Object: toObject, Map: NewMap, Set: NewSet, RegExp: NewRegExp, DataView: NewView } = globalThis
const arrays = { __proto__: null }
for (const Kind of [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, BigInt64Array, BigUint64Array, Float16Array, Float32Array, Float64Array])
  arrays[Kind.name] = Kind
const { prototype: plainPrototype, keys: keysOf } = toObject
/** What inherits from one of these is looked at; all else is a plain object, whatever its class. */
const kinds = new NewMap()
const kindsOf = (kind, ...types) => { for (const { prototype } of types) mapSet(kinds, prototype, kind) }
kindsOf('boxed', String, Number, Boolean, BigInt)
kindsOf('date', NativeDate)
kindsOf('array', getPrototypeOf(Uint8Array))
kindsOf('buffer', ArrayBuffer)
kindsOf('view', DataView)
kindsOf('map', NewMap)
kindsOf('set', NewSet)
kindsOf('pattern', RegExp)
kindsOf('error', Error)
kindsOf('a symbol', Symbol)
kindsOf('a promise: await it first', Promise)
kindsOf('a WeakMap', WeakMap)
kindsOf('a WeakSet', WeakSet)
kindsOf('a WeakRef', WeakRef)
kindsOf('a generator', getPrototypeOf(function* () {}), getPrototypeOf(async function* () {}))
const errorClasses = { __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError }
const attempt = (take, value) => { try { return take(value) } catch { return undefined } }
const refuse = (what) => { throw load('exception').make('Cannot clone ' + what, 'DataCloneError') }

function structuredClone(value, options) {
  if (arguments.length === 0) throw new errors.TypeError('Cannot clone: structuredClone takes a value')
  const moved = options === undefined || options === null ? undefined : options.transfer
  if (moved !== undefined && (!isArray(moved) || moved.length > 0)) refuse('with a transfer: leave it out, and the value is copied')
  const seen = new NewMap()
  const work = { __proto__: null, length: 0 }
  const later = (from, to, kind) => { work[work.length++] = { __proto__: null, from, to, kind } }
  const keep = (from, to) => { mapSet(seen, from, to); return to }
  const copyBuffer = (buffer) => mapHas(seen, buffer) ? mapGet(seen, buffer) : keep(buffer, sliceBuffer(buffer, 0))

  const copy = (from) => {
    if (typeof from === 'function') return refuse('a function')
    if (typeof from === 'symbol') return refuse('a symbol')
    if (typeof from !== 'object' || from === null) return from
    if (mapHas(seen, from)) return mapGet(seen, from)
    if (isArray(from)) {
      const to = []
      to.length = from.length
      later(from, to)
      return keep(from, to)
    }
    for (let at = getPrototypeOf(from); at !== null && at !== plainPrototype; at = getPrototypeOf(at)) {
      const kind = mapGet(kinds, at)
      if (kind === undefined) continue
      const special = copySpecial(kind, from)
      if (special !== undefined) return special
      break
    }
    const to = {}
    later(from, to)
    return keep(from, to)
  }

  /** Undefined: it only inherits from such a prototype. */
  const copySpecial = (kind, from) => {
    if (kind === 'boxed') {
      const boxed = attempt(text, from) ?? attempt(number, from) ?? attempt(truth, from) ?? attempt(big, from)
      return boxed === undefined ? undefined : keep(from, toObject(boxed))
    }
    if (kind === 'date') {
      const at = attempt(time, from)
      return at === undefined ? undefined : keep(from, new NativeDate(at))
    }
    if (kind === 'array') {
      const name = kindOf(from)
      return name && keep(from, new arrays[name](copyBuffer(bufferOf(from)), offsetOf(from), lengthOf(from)))
    }
    if (kind === 'buffer') return attempt(lengthOfBuffer, from) === undefined ? undefined : copyBuffer(from)
    if (kind === 'view') {
      const view = attempt(viewBuffer, from)
      return view && keep(from, new NewView(copyBuffer(view), viewOffset(from), viewLength(from)))
    }
    if (kind === 'map' || kind === 'set') {
      const items = { __proto__: null, length: 0 }
      const isMap = kind === 'map'
      const each = isMap ? (item, key) => { items[items.length++] = [key, item] } : (item) => { items[items.length++] = item }
      if (!attempt((value) => { (isMap ? mapEach : setEach)(value, each); return true }, from)) return undefined
      const to = keep(from, isMap ? new NewMap() : new NewSet())
      later(items, to, kind)
      return to
    }
    if (kind === 'pattern') return classOf(from) === '[object RegExp]' ? keep(from, new NewRegExp(source(from), flags(from))) : undefined
    if (kind === 'error') return classOf(from) === '[object Error]' ? copyError(from) : undefined
    return refuse(kind)
  }

  const copyError = (from) => {
    const message = getOwnPropertyDescriptor(from, 'message')
    const to = keep(from, construct(errorClasses[string(from.name)] ?? Error, []))
    if (message && hasOwn(message, 'value')) own(to, 'message', string(message.value), false)
    const stack = getOwnPropertyDescriptor(from, 'stack')
    if (stack && typeof stack.value === 'string') own(to, 'stack', stack.value, false)
    if (hasOwn(from, 'cause')) own(to, 'cause', copy(from.cause), false)
    return to
  }

  const cloned = copy(value)
  for (let i = 0; i < work.length; i++) {
    const { from, to, kind } = work[i]
    delete work[i]
    if (kind === 'map') for (let j = 0; j < from.length; j++) mapSet(to, copy(from[j][0]), copy(from[j][1]))
    else if (kind === 'set') for (let j = 0; j < from.length; j++) setAdd(to, copy(from[j]))
    else {
      const names = keysOf(from)
      for (let j = 0; j < names.length; j++) own(to, names[j], copy(from[names[j]]))
    }
  }
  return cloned
}
return { __proto__: null, structuredClone }
}`
