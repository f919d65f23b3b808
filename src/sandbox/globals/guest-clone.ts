/**
 * The structured clone of the platform, as a list of work instead of recursion: depth costs no stack. It has no word for
 * functions, symbols and promises, and nothing can be transferred.
 */
export const clone = `kit => {
const { isPromise, own, load, bind, errors, ownKeys, hasOwn, getOwnPropertyDescriptor, getPrototypeOf, construct } = kit
const { isArray, time, text, number, truth, big, mapEach, setEach, Date: NativeDate, Error, String: string, Symbol: { toStringTag } } = kit
const classOf = bind({}.toString)
const weakMapHas = bind(WeakMap.prototype.has)
const weakSetHas = bind(WeakSet.prototype.has)
const deref = bind(WeakRef.prototype.deref)
const sliceBuffer = bind(ArrayBuffer.prototype.slice)
const arrayPrototype = getPrototypeOf(Uint8Array.prototype)
const getter = (prototype, name) => bind(getOwnPropertyDescriptor(prototype, name).get)
const kindOf = getter(arrayPrototype, toStringTag)
const bufferOf = getter(arrayPrototype, 'buffer')
const offsetOf = getter(arrayPrototype, 'byteOffset')
const lengthOf = getter(arrayPrototype, 'length')
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
const errorClasses = { __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError }
const attempt = (take, value) => { try { return take(value) } catch { return undefined } }
const isOne = (take, value) => { try { return take(value), true } catch { return false } }
const refuse = (what) => { throw load('exception').make('Cannot clone ' + what, 'DataCloneError') }

function structuredClone(value, options) {
  if (arguments.length === 0) throw new errors.TypeError('Cannot clone: structuredClone takes a value')
  const moved = options === undefined || options === null ? undefined : options.transfer
  if (moved !== undefined && (!isArray(moved) || moved.length > 0)) refuse('with a transfer: leave it out, and the value is copied')
  const seen = new NewMap()
  const work = { __proto__: null, length: 0 }
  const later = (from, to, keys) => { work[work.length++] = { __proto__: null, from, to, keys } }
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
      later(from, to, true)
      return keep(from, to)
    }
    const boxed = attempt(text, from) ?? attempt(number, from) ?? attempt(truth, from) ?? attempt(big, from)
    if (boxed !== undefined) return keep(from, toObject(boxed))
    const at = attempt(time, from)
    if (at !== undefined) return keep(from, new NativeDate(at))
    const kind = kindOf(from)
    if (kind !== undefined) return keep(from, new arrays[kind](copyBuffer(bufferOf(from)), offsetOf(from), lengthOf(from)))
    if (isOne(sliceBuffer, from)) return copyBuffer(from)
    const view = attempt(viewBuffer, from)
    if (view !== undefined) return keep(from, new NewView(copyBuffer(view), viewOffset(from), viewLength(from)))
    const items = { __proto__: null, length: 0 }
    if (isOne((value) => mapEach(value, (item, key) => { items[items.length++] = [key, item] }), from)) {
      const to = keep(from, new NewMap())
      later(items, to, 'map')
      return to
    }
    if (isOne((value) => setEach(value, (item) => { items[items.length++] = item }), from)) {
      const to = keep(from, new NewSet())
      later(items, to, 'set')
      return to
    }
    if (isPromise(from)) return refuse('a promise: await it first')
    if (isOne((value) => weakMapHas(value, value), from)) return refuse('a WeakMap')
    if (isOne((value) => weakSetHas(value, value), from)) return refuse('a WeakSet')
    if (isOne(deref, from)) return refuse('a WeakRef')
    const name = classOf(from)
    if (name === '[object RegExp]') return keep(from, new NewRegExp(source(from), flags(from)))
    if (name === '[object Error]') return copyError(from)
    if (name === '[object Generator]' || name === '[object AsyncGenerator]') return refuse('a generator')
    const to = {}
    later(from, to, true)
    return keep(from, to)
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
    const { from, to, keys } = work[i]
    delete work[i]
    if (keys === 'map') for (let j = 0; j < from.length; j++) mapSet(to, copy(from[j][0]), copy(from[j][1]))
    else if (keys === 'set') for (let j = 0; j < from.length; j++) setAdd(to, copy(from[j]))
    else {
      const names = ownKeys(from)
      for (let j = 0; j < names.length; j++) {
        const name = names[j]
        if (typeof name !== 'symbol' && getOwnPropertyDescriptor(from, name)?.enumerable) own(to, name, copy(from[name]))
      }
    }
  }
  return cloned
}
return { __proto__: null, structuredClone }
}`
