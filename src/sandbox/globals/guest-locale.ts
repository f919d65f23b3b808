/** The methods of numbers, texts and arrays that ask for a locale. Each gets what it is called on, and its arguments. */
export const locale = `kit => {
const { ask, load, errors, number, big, isArray, String: string, bind } = kit
const { once, compare, toLocales, toNumeric } = load('format')
const formatNumber = (value, locales, options) => once('NumberFormat', 'any', locales, options, 'format', [toNumeric(value)])
const toUpperCase = bind(String.prototype.toUpperCase)
const toLowerCase = bind(String.prototype.toLowerCase)
/** Few languages have letters of their own for it. */
const changeCase = (change, name, text, locales) => {
  isOrdinary ??= ask('case.ordinary')
  return locales === undefined && isOrdinary ? change(text) : ask(name, text, toLocales(locales))
}
let isOrdinary
const toText = (value) => {
  if (value === undefined || value === null || typeof value === 'symbol') throw new errors.TypeError('Cannot convert ' + string(value) + ' to a text')
  return string(value)
}
/** The arrays around the one that is written: one that holds itself is empty there, as the platform has it. */
let around
const array = (self, args) => {
  if (self === undefined || self === null) throw new errors.TypeError('Cannot convert ' + self + ' to a text')
  for (let at = around; at; at = at.around) if (at.self === self) return ''
  const outer = around
  around = { __proto__: null, self, around }
  try {
    let text = ''
    const { length } = self
    for (let i = 0; i < length; i++) {
      const item = self[i]
      text += (i === 0 ? '' : ',') + (item === undefined || item === null ? '' : toText(item.toLocaleString(args[0], args[1])))
    }
    return text
  } finally {
    around = outer
  }
}
/** What is compared may be anything, and undefined is a text then. */
const other = (value) => (value === undefined ? 'undefined' : value === null ? 'null' : toText(value))
return {
  __proto__: null,
  Number: { toLocaleString: (self, args) => formatNumber(number(self), args[0], args[1]) },
  BigInt: { toLocaleString: (self, args) => formatNumber(big(self), args[0], args[1]) },
  Array: { toLocaleString: array },
  String: {
    localeCompare: (self, args) => compare(toText(self), other(args[0]), args[1], args[2]),
    toLocaleUpperCase: (self, args) => changeCase(toUpperCase, 'upper', toText(self), args[0]),
    toLocaleLowerCase: (self, args) => changeCase(toLowerCase, 'lower', toText(self), args[0]),
  },
}
}`
