/**
 * The letters of QuickJS's own object format, as `JS_WriteObject` writes it and `JS_ReadObject` reads it: a version, a table
 * of property names, one value. Neither side runs code of the guest for it.
 */
export const Tag = {
  null: 1,
  undefined: 2,
  false: 3,
  true: 4,
  int: 5,
  float: 6,
  string: 7,
  object: 8,
  array: 9,
  date: 17,
  boxed: 18,
  reference: 19,
} as const

/** One number and its bytes; every engine that runs wasm is little-endian as wasm is. */
const number = new Float64Array(1)
const numberBytes = new Uint8Array(number.buffer)

/** Code units that one call of `String.fromCharCode` gets. */
const chunk = 4096

const endsEarly = () => new RangeError('Cannot read a value: it ends early')

export class Reader {
  readonly #input: Uint8Array<ArrayBuffer>
  readonly #end: number
  #at: number

  /** What lies from one place to the other. */
  constructor(input: Uint8Array<ArrayBuffer>, from: number, to: number) {
    this.#input = input
    this.#at = from
    this.#end = to
  }

  /** @throws {RangeError} behind the last byte */
  byte(): number {
    if (this.#at >= this.#end) throw endsEarly()
    return this.#input[this.#at++]!
  }

  /** LEB128. */
  uint(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte()
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value >>> 0
    }
  }

  /** Zigzag. */
  int(): number {
    const value = this.uint()
    return (value >>> 1) ^ -(value & 1)
  }

  float(): number {
    for (let i = 0; i < 8; i++) numberBytes[i] = this.byte()
    return number[0]!
  }

  /** Latin-1 or UTF-16, counted: a string may hold U+0000 and lone surrogates. */
  text(): string {
    const head = this.uint()
    const length = head >>> 1
    return head & 1 ? this.#wide(length) : this.#narrow(length)
  }

  #narrow(length: number): string {
    const end = this.#at + length
    if (end > this.#end) throw endsEarly()
    let text = ''
    if (length <= 24) {
      const input = this.#input
      let at = this.#at
      for (; at + 4 <= end; at += 4)
        text += String.fromCharCode(input[at]!, input[at + 1]!, input[at + 2]!, input[at + 3]!)
      while (at < end) text += String.fromCharCode(input[at++]!)
      this.#at = end
      return text
    }
    while (this.#at < end) {
      const next = Math.min(end, this.#at + chunk)
      text += String.fromCharCode.apply(null, this.#input.subarray(this.#at, next) as unknown as number[])
      this.#at = next
    }
    return text
  }

  #wide(length: number): string {
    if (this.#at + length * 2 > this.#end) throw endsEarly()
    const units = new Uint16Array(this.#input.slice(this.#at, this.#at + length * 2).buffer)
    this.#at += length * 2
    let text = ''
    for (let at = 0; at < length; at += chunk) {
      text += String.fromCharCode.apply(null, units.subarray(at, at + chunk) as unknown as number[])
    }
    return text
  }
}

/** Bytes in front of what is written, for what is only known at its end. */
const gap = 1024
/** A longer buffer is not kept for the next value. */
const keptBytes = 1 << 20

/** Writes one value at a time, in a buffer that it keeps. */
export class Writer {
  #at = gap
  #buffer = new Uint8Array(gap + 4096)

  /** Forgets what was written. */
  clear(): void {
    this.#at = gap
    if (this.#buffer.length > keptBytes) this.#buffer = new Uint8Array(gap + 4096)
  }

  /** What was written, after what the head has. */
  after(head: Writer): Uint8Array<ArrayBuffer> {
    const length = head.#at - gap
    if (length > gap) {
      const all = new Uint8Array(length + this.#at - gap)
      all.set(head.#buffer.subarray(gap, head.#at))
      all.set(this.#buffer.subarray(gap, this.#at), length)
      return all
    }
    const start = gap - length
    for (let i = 0; i < length; i++) this.#buffer[start + i] = head.#buffer[gap + i]!
    return this.#buffer.slice(start, this.#at)
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#buffer[this.#at++] = value
  }

  uint(value: number): void {
    this.#reserve(5)
    let left = value
    for (; left > 0x7f; left >>>= 7) this.#buffer[this.#at++] = (left & 0x7f) | 0x80
    this.#buffer[this.#at++] = left
  }

  number(value: number): void {
    if (value === (value | 0)) {
      this.byte(Tag.int)
      this.uint(((value << 1) ^ (value >> 31)) >>> 0)
    } else if (Number.isFinite(value)) {
      this.byte(Tag.float)
      this.#reserve(8)
      number[0] = value
      for (let i = 0; i < 8; i++) this.#buffer[this.#at++] = numberBytes[i]!
    } else this.byte(Tag.null)
  }

  text(value: string): void {
    const { length } = value
    this.#reserve(5 + length)
    const start = this.#at
    this.uint(length << 1)
    for (let i = 0; i < length; i++) {
      const unit = value.charCodeAt(i)
      if (unit > 0xff) {
        this.#at = start
        return this.#wide(value)
      }
      this.#buffer[this.#at++] = unit
    }
  }

  #wide(value: string): void {
    const { length } = value
    this.#reserve(5 + length * 2)
    this.uint(length * 2 + 1)
    for (let i = 0; i < length; i++) {
      const unit = value.charCodeAt(i)
      this.#buffer[this.#at++] = unit & 0xff
      this.#buffer[this.#at++] = unit >> 8
    }
  }

  #reserve(size: number): void {
    if (this.#at + size <= this.#buffer.length) return
    const larger = new Uint8Array(Math.max(this.#buffer.length * 2, this.#at + size))
    larger.set(this.#buffer.subarray(0, this.#at))
    this.#buffer = larger
  }
}
