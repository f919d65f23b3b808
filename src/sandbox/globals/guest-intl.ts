/**
 * `Intl` is the platform's. Here are its shapes: each object is the number of a formatter that the host keeps, and getters,
 * iterators and conversions of what a script passes run where they belong, in the script.
 */
export const intl = `kit => {
const { ask, own, bind, errors, time, now, number, big, isFinite, construct, isArray, String: string, Number: toNumber, defineProperty } = kit
const { Symbol: { toStringTag, iterator }, stringify, slice } = kit
const { WeakMap: Ids, Object: Base } = globalThis
const idOf = bind(Ids.prototype.get)
const setId = bind(Ids.prototype.set)
const shared = ['localeMatcher', 'numberingSystem']
const digits = ['minimumIntegerDigits', 'minimumFractionDigits', 'maximumFractionDigits', 'minimumSignificantDigits', 'maximumSignificantDigits', 'roundingIncrement', 'roundingMode', 'roundingPriority', 'trailingZeroDisplay', 'notation', 'compactDisplay']
const optionNames = {
  __proto__: null,
  NumberFormat: [...shared, ...digits, 'style', 'currency', 'currencyDisplay', 'currencySign', 'unit', 'unitDisplay', 'useGrouping', 'signDisplay'],
  DateTimeFormat: [...shared, 'calendar', 'hour12', 'hourCycle', 'timeZone', 'weekday', 'era', 'year', 'month', 'day', 'dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits', 'timeZoneName', 'formatMatcher', 'dateStyle', 'timeStyle'],
  ListFormat: ['localeMatcher', 'type', 'style'],
  PluralRules: ['localeMatcher', 'type', ...digits],
  RelativeTimeFormat: [...shared, 'style', 'numeric'],
  Collator: ['localeMatcher', 'usage', 'collation', 'numeric', 'caseFirst', 'sensitivity', 'ignorePunctuation'],
  DisplayNames: ['localeMatcher', 'style', 'type', 'fallback', 'languageDisplay'],
}
const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function'
const toText = (value) => {
  if (typeof value === 'symbol') throw new errors.TypeError('Cannot convert a symbol to a text')
  return string(value)
}
const toLocales = (locales) => {
  if (locales === undefined) return []
  if (typeof locales === 'string') return [locales]
  if (locales === null) throw new errors.TypeError('Cannot use null as a locale: leave it out')
  const list = []
  const { length = 0 } = Base(locales)
  if (length > 100) throw new errors.RangeError('A list of more than 100 locales is not taken')
  for (let i = 0; i < length; i++) {
    if (typeof locales[i] !== 'string' && !isObject(locales[i])) throw new errors.TypeError('A locale is a text, as in "de-DE"')
    own(list, i, toText(locales[i]))
  }
  return list
}
/** What options hold now, as data. */
const toOptions = (kind, options) => {
  if (!isObject(options)) return options === undefined || options === null ? options : typeof options === 'symbol' ? 0 : toText(options)
  const names = optionNames[kind]
  const plain = { __proto__: null }
  for (let i = 0; i < names.length; i++) {
    const value = options[names[i]]
    if (value === undefined) continue
    plain[names[i]] = value === null || typeof value === 'boolean' || (typeof value === 'number' && isFinite(value)) ? value : toText(value)
  }
  return plain
}
const given = (options) => (options === undefined ? [] : [options])
/** JSON has no word for some numbers. */
const toNumeric = (value) => {
  if (typeof value === 'bigint') return { big: string(value) }
  if (typeof value === 'string') return { text: value }
  if (isObject(value)) return toNumeric(toPrimitive(value))
  const plain = toNumber(value)
  return isFinite(plain) && (plain !== 0 || 1 / plain > 0) ? plain : { number: plain === 0 ? '-0' : string(plain) }
}
const toPrimitive = (value) => {
  const exotic = value[kit.Symbol.toPrimitive]
  if (exotic !== undefined && exotic !== null) return exotic.call(value, 'number')
  const plain = value.valueOf()
  return isObject(plain) ? value.toString() : plain
}
const toTime = (value) => {
  if (value === undefined) return now()
  if (isObject(value)) try { return toNumeric(time(value)) } catch {}
  return toNumeric(toNumber(value))
}
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

/** One formatting with a formatter that nobody keeps. */
const once = (kind, usage, locales, options, name, args) =>
  ask('intl.once', kind, usage, toLocales(locales), given(toOptions(kind, options)), name, args)
/** For sorts, which ask often: one formatter for each text of a locale. */
const collators = { __proto__: null }
const compare = (a, b, locales, options) => {
  if (options !== undefined || (locales !== undefined && typeof locales !== 'string')) return once('Collator', 'any', locales, options, 'compare', [a, b])
  const id = (collators[locales ?? ''] ??= ask('intl.make', 'Collator', 'any', toLocales(locales), []))
  return ask('intl.call', id, 'compare', [a, b])
}
return { __proto__: null, Intl, once, compare, toLocales, toNumeric }
}`
