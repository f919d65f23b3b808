/** Bytes cross to the host as a text of one character a byte. */
export const encoding = `kit => {
const { ask, own, bind, errors, String: string, slice, apply, getOwnPropertyDescriptor, getPrototypeOf, Symbol: { toStringTag } } = kit
const { Uint8Array: Bytes, encodeURIComponent: encode, unescape } = globalThis
const { fromCharCode } = String
const charCodeAt = bind(String.prototype.charCodeAt)
const toWellFormed = bind(String.prototype.toWellFormed)
const subarray = bind(Bytes.prototype.subarray)
const arrayPrototype = getPrototypeOf(Bytes.prototype)
const kindOf = bind(getOwnPropertyDescriptor(arrayPrototype, toStringTag).get)
const isView = ArrayBuffer.isView
const toText = (value) => {
  if (typeof value === 'symbol') throw new errors.TypeError('Cannot convert a symbol to a text')
  return string(value)
}
/** UTF-8, as one character a byte. */
const toBinary = (text) => unescape(encode(toWellFormed(toText(text))))
const toBytes = (input) => {
  if (input === undefined) return new Bytes(0)
  if (isView(input)) return new Bytes(input.buffer, input.byteOffset, input.byteLength)
  try {
    return new Bytes(getBuffer(input))
  } catch {
    throw new errors.TypeError('Cannot decode: expected an ArrayBuffer or a view of one')
  }
}
const lengthOfBuffer = bind(getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength').get)
const getBuffer = (value) => { lengthOfBuffer(value); return value }
const fromBytes = (bytes) => {
  let text = ''
  for (let at = 0; at < bytes.length; at += 4096) text += apply(fromCharCode, undefined, subarray(bytes, at, at + 4096))
  return text
}

class TextEncoder {
  get encoding() { return 'utf-8' }
  encode(text = '') {
    const binary = toBinary(text)
    const bytes = new Bytes(binary.length)
    for (let i = 0; i < binary.length; i++) bytes[i] = charCodeAt(binary, i)
    return bytes
  }
  encodeInto(text, bytes) {
    if (kindOf(bytes) !== 'Uint8Array') throw new errors.TypeError('Cannot encode: expected a Uint8Array to write into')
    const source = toWellFormed(toText(text))
    let read = 0
    let written = 0
    while (read < source.length) {
      const unit = charCodeAt(source, read)
      const units = unit >= 0xd800 && unit < 0xdc00 ? 2 : 1
      const binary = toBinary(slice(source, read, read + units))
      if (written + binary.length > bytes.length) break
      for (let i = 0; i < binary.length; i++) bytes[written + i] = charCodeAt(binary, i)
      read += units
      written += binary.length
    }
    return { read, written }
  }
}

/** Bytes at the end that may be the beginning of a character of UTF-8. */
const unfinished = (binary) => {
  for (let back = 1; back <= 3 && back <= binary.length; back++) {
    const byte = charCodeAt(binary, binary.length - back)
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
  }
  return 0
}
class TextDecoder {
  #label
  #fatal
  #ignoreBOM
  #held = ''
  #begun = false
  constructor(label = 'utf-8', options = {}) {
    this.#label = ask('encoding', toText(label))
    this.#fatal = !!options?.fatal
    this.#ignoreBOM = !!options?.ignoreBOM
  }
  get encoding() { return this.#label }
  get fatal() { return this.#fatal }
  get ignoreBOM() { return this.#ignoreBOM }
  decode(input, options) {
    const isPart = !!options?.stream
    if (isPart && this.#label !== 'utf-8') throw new errors.RangeError('Cannot decode in parts: only utf-8 can be')
    let binary = this.#held + fromBytes(toBytes(input))
    const left = isPart ? unfinished(binary) : 0
    this.#held = left > 0 ? slice(binary, -left) : ''
    if (left > 0) binary = slice(binary, 0, -left)
    const text = ask('decode', binary, this.#label, this.#fatal, this.#ignoreBOM || this.#begun)
    this.#begun = isPart && (this.#begun || binary.length > 0)
    return text
  }
}
own(TextEncoder.prototype, toStringTag, 'TextEncoder', false)
own(TextDecoder.prototype, toStringTag, 'TextDecoder', false)
return {
  __proto__: null,
  TextEncoder,
  TextDecoder,
  atob(text) { return ask('atob', toText(text)) },
  btoa(text) { return ask('btoa', toText(text)) },
}
}`
