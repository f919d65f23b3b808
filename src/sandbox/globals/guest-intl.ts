/** Each object of `Intl` is the number of a formatter that the host keeps. */
export const intl = `kit => {
const { ask, own, load, bind, errors, construct, defineProperty, Symbol: { toStringTag } } = kit
const { isObject, toText, toLocales, toOptions, given, toNumeric, toTime } = load('format')
const { WeakMap: Ids, Object: Base } = globalThis
const idOf = bind(Ids.prototype.get)
const setId = bind(Ids.prototype.set)
/** Both ends of a range must be there. */
const toEnd = (take) => (value) => {
  if (value === undefined) throw new errors.TypeError('Cannot format a range: it takes two values')
  return take(value)
}
const toItems = (list) => {
  const items = []
  if (list === undefined) return items
  for (const item of list) {
    if (typeof item !== 'string') throw new errors.TypeError('Cannot format a list: item ' + items.length + ' is not a text')
    own(items, items.length, item)
  }
  return items
}
const bound = (take, name) => ({ __proto__: null, take, name, isBound: true })
const plain = (name, ...take) => ({ __proto__: null, take, name })
const shapes = {
  NumberFormat: [bound([toNumeric], 'format'), plain('formatToParts', toNumeric), plain('formatRange', toEnd(toNumeric), toEnd(toNumeric)), plain('formatRangeToParts', toEnd(toNumeric), toEnd(toNumeric))],
  DateTimeFormat: [bound([toTime], 'format'), plain('formatToParts', toTime), plain('formatRange', toEnd(toTime), toEnd(toTime)), plain('formatRangeToParts', toEnd(toTime), toEnd(toTime))],
  ListFormat: [plain('format', toItems), plain('formatToParts', toItems)],
  PluralRules: [plain('select', toNumeric), plain('selectRange', toEnd(toNumeric), toEnd(toNumeric))],
  RelativeTimeFormat: [plain('format', toNumeric, toText), plain('formatToParts', toNumeric, toText)],
  Collator: [bound([toText, toText], 'compare')],
  DisplayNames: [plain('of', toText)],
}
const callable = { __proto__: null, NumberFormat: true, DateTimeFormat: true, Collator: true }
const Intl = {}
const kinds = ['NumberFormat', 'DateTimeFormat', 'ListFormat', 'PluralRules', 'RelativeTimeFormat', 'Collator', 'DisplayNames']
for (let k = 0; k < kinds.length; k++) {
  const kind = kinds[k]
  const ids = new Ids()
  const find = (formatter, name) => {
    const id = isObject(formatter) ? idOf(ids, formatter) : undefined
    if (id === undefined) throw new errors.TypeError('Cannot call ' + name + ': this is not an Intl.' + kind)
    return id
  }
  const Kind = { [kind]: function (locales, options) {
    if (new.target === undefined && !callable[kind]) throw new errors.TypeError('Cannot call Intl.' + kind + ': write new Intl.' + kind + '(...)')
    const id = ask('intl.make', kind, 'any', toLocales(locales), given(toOptions(kind, options)))
    const made = construct(Base, [], new.target ?? Kind)
    setId(ids, made, id)
    return made
  } }[kind]
  const { prototype } = Kind
  for (let s = 0; s < shapes[kind].length; s++) {
    const { name, take, isBound } = shapes[kind][s]
    const [first, second] = take
    const run = (id, values) =>
      ask('intl.call', id, name, second ? [first(values[0]), second(values[1])] : [first(values[0])])
    if (isBound) {
      const functions = new Ids()
      const get = function () {
        const id = find(this, name)
        const found = idOf(functions, this)
        if (found) return found
        const made = (...values) => run(id, values)
        setId(functions, this, made)
        return made
      }
      defineProperty(prototype, name, { __proto__: null, get, set: undefined, enumerable: false, configurable: true })
    } else own(prototype, name, { [name](...values) { return run(find(this, name), values) } }[name], false)
  }
  own(prototype, 'resolvedOptions', function resolvedOptions() { return ask('intl.call', find(this, 'resolvedOptions'), 'resolvedOptions', []) }, false)
  own(prototype, 'constructor', Kind, false)
  own(prototype, toStringTag, 'Intl.' + kind, false)
  defineProperty(Kind, 'prototype', { __proto__: null, writable: false })
  own(Kind, 'supportedLocalesOf', function supportedLocalesOf(locales, options) {
    return ask('intl.supported', kind, toLocales(locales), given(toOptions(kind, options)))
  }, false)
  own(Intl, kind, Kind, false)
}
own(Intl, 'getCanonicalLocales', function getCanonicalLocales(locales) { return ask('intl.canonical', toLocales(locales)) }, false)
own(Intl, 'supportedValuesOf', function supportedValuesOf(key) { return ask('intl.values', toText(key)) }, false)
own(Intl, toStringTag, 'Intl', false)
return { __proto__: null, Intl }
}`
