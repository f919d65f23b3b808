/** Built-in calls, which check their arguments in the script: what is wrong is thrown where it is written. */
export const calls = `kit => {
const { host, errors, slice, stringify, String: string } = kit
const what = (value) => {
  if (typeof value === 'string') return stringify(slice(value, 0, 40))
  if (typeof value === 'function') return 'a function'
  return typeof value === 'object' && value !== null ? 'an object' : string(value)
}
const refuse = (call, name, value, wanted) => {
  throw new errors.TypeError('Cannot ' + call + ': ' + name + ' is ' + what(value) + ', expected ' + wanted)
}
return {
  __proto__: null,
  sleep: (ms) => {
    if (typeof ms !== 'number' || ms !== ms || ms === Infinity) refuse('sleep', 'ms', ms, 'a number of milliseconds')
    return host.sleep({ ms: ms > 0 ? ms : 0 })
  },
  search: (query, limit) => {
    if (typeof query !== 'string' || query === '') refuse('search', 'query', query, 'a text, as in search("open orders", 5)')
    if (limit !== undefined && !(typeof limit === 'number' && limit >= 1 && limit % 1 === 0))
      refuse('search', 'limit', limit, 'a positive integer')
    return host.search({ query, limit })
  },
  describe: (name) => {
    if (typeof name !== 'string' || name === '') refuse('describe', 'name', name, 'the name of a tool as a text')
    return host.describe({ name })
  },
  results: (handle) => {
    if (typeof handle !== 'string' || handle === '') refuse('get results', 'handle', handle, 'a handle as a text')
    return host.results({ handle })
  },
}
}`
