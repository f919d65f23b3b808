/**
 * `Intl` is the platform's. Getters, iterators and conversions of what a script passes run where they belong, in the script;
 * what crosses is data.
 */
export const format = `kit => {
const { ask, own, errors, time, now, isFinite, String: string, Number: toNumber, Symbol: { toPrimitive: exoticKey } } = kit
const { Object: Base } = globalThis
const optionNames = { __proto__: null }
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
  const names = (optionNames[kind] ??= ask('intl.options', kind))
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
  const exotic = value[exoticKey]
  if (exotic !== undefined && exotic !== null) return exotic.call(value, 'number')
  const plain = value.valueOf()
  return isObject(plain) ? value.toString() : plain
}
const toTime = (value) => {
  if (value === undefined) return now()
  if (isObject(value)) try { return toNumeric(time(value)) } catch {}
  return toNumeric(toNumber(value))
}
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
return { __proto__: null, isObject, toText, toLocales, toOptions, given, toNumeric, toTime, once, compare }
}`
