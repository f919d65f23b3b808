/**
 * Local times as the script's zone has them. The engine takes the offset of a local time as if it was one of UTC, which is
 * wrong for some hours around each change of the clock: what makes an instant of a local time asks the host.
 */
export const date = `kit => {
const { ask, host, own, load, bind, errors, time, Date: NativeDate, construct, apply, String: string, Number: toNumber, Symbol: { toPrimitive } } = kit
const { prototype } = NativeDate
const isFixed = ask('zone.fixed')
const zoneOffset = bind(prototype.getTimezoneOffset)
const setTime = bind(prototype.setTime)
const { UTC, parse: nativeParse, now } = NativeDate
const toUtc = (local) => (local !== local ? NaN : ask('zone.utc', local))
const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function'

const toPlain = (value) => {
  if (!isObject(value)) return value
  const exotic = value[toPrimitive]
  if (exotic !== undefined && exotic !== null) return apply(exotic, value, ['default'])
  const plain = value.valueOf()
  return isObject(plain) ? value.toString() : plain
}
const parseText = (text) => {
  host.local(true)
  const parsed = nativeParse(text)
  host.local(false)
  return parsed
}
const toNumbers = (values) => {
  const numbers = []
  for (let i = 0; i < values.length && i < 7; i++) own(numbers, i, toNumber(values[i]))
  return numbers
}
const local = (values) => toUtc(apply(UTC, undefined, toNumbers(values)))
const toInstant = (value) => {
  if (isObject(value)) try { return time(value) } catch {}
  const plain = toPlain(value)
  return typeof plain === 'string' ? parseText(plain) : toNumber(plain)
}

const Local = function Date(year, month, date, hours, minutes, seconds, milliseconds) {
  if (new.target === undefined) return NativeDate()
  const count = arguments.length
  if (count === 0) return construct(NativeDate, [], new.target)
  return construct(NativeDate, [count === 1 ? toInstant(year) : local(arguments)], new.target)
}
const replace = () => {
  Object.defineProperty(Local, 'prototype', { __proto__: null, value: prototype, writable: false })
  own(prototype, 'constructor', Local, false)
  own(Local, 'now', now, false)
  own(Local, 'UTC', UTC, false)
  own(Local, 'parse', function parse(text) {
    if (typeof text === 'symbol') throw new errors.TypeError('Cannot convert a symbol to a text')
    return parseText(string(text))
  }, false)
  const setter = (name, utcName) => {
    const setUtc = prototype[utcName]
    own(prototype, name, { [name](...values) {
      const at = time(this)
      const numbers = toNumbers(values)
      if (at !== at && name !== 'setFullYear') return NaN
      const shadow = construct(NativeDate, [at !== at ? 0 : at - zoneOffset(this) * 60000])
      apply(setUtc, shadow, numbers)
      return setTime(this, toUtc(time(shadow)))
    } }[name], false)
  }
  const units = ['Milliseconds', 'Seconds', 'Minutes', 'Hours', 'Date', 'Month', 'FullYear']
  for (let i = 0; i < units.length; i++) setter('set' + units[i], 'setUTC' + units[i])
  const { setFullYear } = prototype
  own(prototype, 'setYear', function setYear(year) {
    const short = toNumber(year)
    return apply(setFullYear, this, [short >= 0 && short < 100 ? 1900 + (short | 0) : short])
  }, false)
}
if (!isFixed) replace()

const localized = (name, usage) => {
  own(prototype, name, { [name](locales, options) {
    const at = time(this)
    return at !== at ? 'Invalid Date' : load('format').once('DateTimeFormat', usage, locales, options, 'format', [at])
  } }[name], false)
}
localized('toLocaleString', 'both')
localized('toLocaleDateString', 'date')
localized('toLocaleTimeString', 'time')
return { __proto__: null, Date: isFixed ? NativeDate : Local }
}`
