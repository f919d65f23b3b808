/** Each method prints its values as `print` does. What is rarely used is evaluated when it is. */
export const console = `kit => {
const { host: { print }, own, load, apply } = kit
const console = { log: print, info: print, warn: print, error: print, debug: print }
const rare = ['dir', 'dirxml', 'table', 'trace', 'assert', 'group', 'groupCollapsed', 'groupEnd', 'clear', 'time', 'timeLog', 'timeEnd', 'count', 'countReset']
for (let i = 0; i < rare.length; i++) {
  const name = rare[i]
  own(console, name, { [name](...values) { return apply(load('consoleMore')[name], undefined, values) } }[name])
}
own(console, kit.Symbol.toStringTag, 'console', false)
return { __proto__: null, console }
}`

/** Times are those of the script's clock. */
export const consoleMore = `kit => {
const { host: { print }, now, own, hasOwn, isArray, String: string } = kit
const started = { __proto__: null }
const counts = { __proto__: null }
const passed = (label) => now() - started[label] + ' ms'
const picked = (row, columns) => {
  if (typeof row !== 'object' || row === null) return row
  const copy = {}
  for (let i = 0; i < columns.length; i++) if (hasOwn(row, columns[i])) own(copy, columns[i], row[columns[i]])
  return copy
}
return {
  __proto__: null,
  dir(value) { print(value) },
  dirxml: print,
  table(rows, columns) {
    if (!isArray(rows) || !isArray(columns)) return print(rows)
    const shown = []
    for (let i = 0; i < rows.length; i++) own(shown, i, picked(rows[i], columns))
    print(shown)
  },
  trace(...values) { print('Trace:', ...values) },
  assert(isRight, ...values) { if (!isRight) print('Assertion failed' + (values.length > 0 ? ':' : ''), ...values) },
  group(...label) { if (label.length > 0) print(...label) },
  groupCollapsed(...label) { if (label.length > 0) print(...label) },
  groupEnd() {},
  clear() {},
  time(label = 'default') { started[string(label)] = now() },
  timeLog(label = 'default', ...values) { if (string(label) in started) print(label + ': ' + passed(string(label)), ...values) },
  timeEnd(label = 'default') {
    if (!(string(label) in started)) return
    print(label + ': ' + passed(string(label)))
    delete started[string(label)]
  },
  count(label = 'default') { print(label + ': ' + (counts[string(label)] = (counts[string(label)] ?? 0) + 1)) },
  countReset(label = 'default') { delete counts[string(label)] },
}
}`
