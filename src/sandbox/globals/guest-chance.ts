/** Chance is that of \`Math.random\`, which begins from the run's seed; time is that of the script's clock. */
export const chance = `kit => {
const { random, now, own, errors, load, bind, getPrototypeOf, getOwnPropertyDescriptor, Symbol: { toStringTag } } = kit
const inBase = bind(Number.prototype.toString)
const kindOf = bind(getOwnPropertyDescriptor(getPrototypeOf(Uint8Array.prototype), toStringTag).get)
const Bytes = Uint8Array
const integers = ['Int8Array', 'Uint8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'BigInt64Array', 'BigUint64Array']
const byte = () => random() * 256 | 0
const hex = (number) => (number < 16 ? '0' : '') + inBase(number, 16)
const crypto = {
  getRandomValues(array) {
    const name = kindOf(array)
    if (name === undefined) throw new errors.TypeError('Cannot get random values: expected a typed array')
    let isInteger = false
    for (let i = 0; i < integers.length; i++) if (integers[i] === name) isInteger = true
    if (!isInteger) throw load('exception').make('Cannot get random values: expected a typed array of integers', 'TypeMismatchError')
    const { buffer, byteOffset, byteLength } = array
    if (byteLength > 65536) throw load('exception').make('Cannot get random values: ' + byteLength + ' bytes, at most 65536', 'QuotaExceededError')
    const bytes = new Bytes(buffer, byteOffset, byteLength)
    for (let i = 0; i < byteLength; i++) bytes[i] = byte()
    return array
  },
  randomUUID() {
    let text = ''
    for (let i = 0; i < 16; i++) {
      const drawn = byte()
      text += (i === 4 || i === 6 || i === 8 || i === 10 ? '-' : '') + hex(i === 6 ? (drawn & 15) | 64 : i === 8 ? (drawn & 63) | 128 : drawn)
    }
    return text
  },
}
own(crypto, toStringTag, 'Crypto', false)
const timeOrigin = now()
const performance = { now: () => now() - timeOrigin, timeOrigin, toJSON: () => ({ timeOrigin }) }
own(performance, toStringTag, 'Performance', false)
return { __proto__: null, crypto, performance }
}`
