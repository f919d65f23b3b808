/** The methods of numbers, texts and arrays that ask for a locale. Each gets what it is called on, and its arguments. */
export const locale = `kit => {
const { ask, load, errors, number, big, isArray, String: string } = kit
const { once, toLocales, toNumeric } = load('intl')
const formatNumber = (value, locales, options) => once('NumberFormat', 'any', locales, options, 'format', [toNumeric(value)])
const toText = (value) => {
  if (value === undefined || value === null || typeof value === 'symbol') throw new errors.TypeError('Cannot convert ' + string(value) + ' to a text')
  return string(value)
}
const attempt = (take, value) => { try { return take(value) } catch { return undefined } }
return {
  __proto__: null,
  toLocaleString(self, args) {
    const value = attempt(number, self) ?? attempt(big, self)
    if (value !== undefined) return formatNumber(value, args[0], args[1])
    if (self === undefined || self === null) throw new errors.TypeError('Cannot convert ' + self + ' to a text')
    let text = ''
    const { length } = self
    for (let i = 0; i < length; i++) {
      const item = self[i]
      text += (i === 0 ? '' : ',') + (item === undefined || item === null ? '' : toText(item.toLocaleString(args[0], args[1])))
    }
    return text
  },
  localeCompare: (self, args) => once('Collator', 'any', args[1], args[2], 'compare', [toText(self), args[0] === undefined ? 'undefined' : args[0] === null ? "null" : toText(args[0])]),
  toLocaleUpperCase: (self, args) => ask('upper', toText(self), toLocales(args[0])),
  toLocaleLowerCase: (self, args) => ask('lower', toText(self), toLocales(args[0])),
}
}`
