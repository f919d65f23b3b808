/**
 * Each wait of a timer is a numbered call of `sleep`, so its order among results is in the log. One that is cleared cannot be
 * unsent: it comes to nothing. What a callback throws, or the promise that it returns rejects with, ends the script as any
 * exception does that nobody catches: nothing else waits for it.
 */
export const timers = `kit => {
const { isPromise, host: { sleep, fail }, errors, apply, then, Number: toNumber } = kit
const settled = Promise.resolve()
const active = { __proto__: null }
let last = 0
const run = (callback, args) => {
  try {
    const returned = apply(callback, undefined, args)
    if (isPromise(returned)) then(returned, undefined, fail)
  } catch (thrown) {
    fail(thrown)
  }
}
const check = (name, callback) => {
  if (typeof callback !== 'function')
    throw new errors.TypeError('Cannot call ' + name + ': its callback is ' + (callback === null ? 'null' : typeof callback) + ', expected a function')
}
/** As browsers do it: what is not a number is 0, and so is more than 2 ** 31 - 1. */
const toDelay = (ms) => { const delay = toNumber(ms) | 0; return delay > 0 ? delay : 0 }
const wait = (id, ms, tick) => { then(sleep({ ms }), () => { if (active[id]) tick() }, fail) }
const clear = (id) => { if (typeof id === 'number' || typeof id === 'string') delete active[id] }
return {
  __proto__: null,
  setTimeout(callback, ms, ...args) {
    check('setTimeout', callback)
    const delay = toDelay(ms)
    const id = ++last
    active[id] = true
    wait(id, delay, () => {
      delete active[id]
      run(callback, args)
    })
    return id
  },
  setInterval(callback, ms, ...args) {
    check('setInterval', callback)
    const delay = toDelay(ms)
    const id = ++last
    active[id] = true
    const next = () => wait(id, delay, () => {
      run(callback, args)
      if (active[id]) next()
    })
    next()
    return id
  },
  clearTimeout(id) { clear(id) },
  clearInterval(id) { clear(id) },
  queueMicrotask(callback) {
    check('queueMicrotask', callback)
    then(settled, () => run(callback, []))
  },
}
}`
