import type { Json, JsonObject } from '../../core/json.js'
import { Reader, Tag, Writer } from './object-format.js'

/** What the engine writes first; it refuses to read any other. */
const version = 5

/** How deep arrays and objects may be nested: in a value that goes into the guest, and in one that comes out. */
export const depthIn = 512
export const depthOut = 128

/** JSON has no word for it: a BigInt, a cycle, binary data, too deep a nesting. */
export class NotJson extends Error {}

/** As JSON, the value has more bytes than it may have. */
export class TooLarge extends Error {}

export interface Decoded {
  readonly value: Json | undefined
  /** Bytes of the value as JSON in UTF-8, or a little more: it is measured exactly only when near the limit. */
  readonly bytes: number
}

interface Reading {
  readonly limit: number
  readonly names: readonly string[]
  /** Each object so far, in the order of the format; undefined for one that nothing may refer to. */
  readonly objects: (Shared | undefined)[]
  /** Bytes of the JSON so far: certainly, and at most. */
  least: number
  most: number
  /** Levels of arrays and objects, from the root, below the one that is being read. */
  deepest: number
}

interface Shared {
  value: Json
  least: number
  most: number
  /** Levels of arrays and objects in it, itself included; none while it is being read. */
  height?: number
}

/**
 * Reads a value that the guest made, as what `JSON.stringify` would make of it if no `toJSON` were there: undefined is left
 * out of objects and else null, NaN and infinities are null, -0 is 0, a Date is its text.
 * @param limit bytes as JSON in UTF-8
 * @param from where in the bytes it begins
 * @param to where it ends
 * @throws {NotJson} when JSON cannot hold it
 * @throws {TooLarge} when it exceeds the limit
 */
export function decode(bytes: Uint8Array<ArrayBuffer>, limit: number, from = 0, to = bytes.length): Decoded {
  const reader = new Reader(bytes, from, to)
  if (reader.byte() !== version) throw new NotJson('Cannot read a value: unknown version of the object format')
  const names: string[] = []
  for (let count = reader.uint(); count > 0; count--) names.push(reader.text())
  const reading: Reading = { limit, names, objects: [], least: 0, most: 0, deepest: 0 }
  const value = read(reader, reading, 0)
  if (reading.most <= limit) return { value, bytes: reading.most }
  const exact = jsonBytes(value ?? null)
  if (exact > limit) throw new TooLarge(`Cannot read a value: it has ${exact} bytes as JSON, the limit is ${limit}`)
  return { value, bytes: exact }
}

/** Whether the bytes hold undefined or a fraction, which a print shows as JavaScript writes it: `undefined`, `NaN`. */
export const isBare = (bytes: Uint8Array): boolean =>
  bytes[1] === 0 && (bytes[2] === Tag.undefined || bytes[2] === Tag.float)

export const jsonBytes = (value: Json): number => new TextEncoder().encode(JSON.stringify(value)).length

function count(reading: Reading, least: number, most: number): void {
  reading.least += least
  reading.most += most
  if (reading.least > reading.limit)
    throw new TooLarge(`Cannot read a value: it has more than ${reading.limit} bytes as JSON`)
}

function read(reader: Reader, reading: Reading, depth: number): Json | undefined {
  const tag = reader.byte()
  switch (tag) {
    case Tag.null:
      count(reading, 4, 4)
      return null
    case Tag.undefined:
      return undefined
    case Tag.false:
    case Tag.true:
      count(reading, 4, 5)
      return tag === Tag.true
    case Tag.int:
      count(reading, 1, 11)
      return reader.int()
    case Tag.float: {
      count(reading, 1, 25)
      const number = reader.float()
      return Number.isFinite(number) ? number + 0 : null
    }
    case Tag.string: {
      const text = reader.text()
      count(reading, text.length + 2, text.length * 6 + 2)
      return text
    }
    case Tag.object:
    case Tag.array:
      return readNested(reader, reading, tag === Tag.array, depth)
    case Tag.date: {
      reading.objects.push(undefined)
      if (depth >= depthOut) throw tooDeep()
      const time = read(reader, reading, depth + 1)
      const date = new Date(typeof time === 'number' ? time : NaN)
      count(reading, 0, 32)
      return Number.isNaN(date.getTime()) ? null : date.toISOString()
    }
    case Tag.boxed:
      reading.objects.push(undefined)
      if (depth >= depthOut) throw tooDeep()
      return read(reader, reading, depth + 1)
    case Tag.reference: {
      const target = reading.objects[reader.uint()]
      if (target?.height === undefined) throw new NotJson('Cannot read a value: it refers to itself')
      if (depth + target.height > depthOut) throw tooDeep()
      reading.deepest = Math.max(reading.deepest, depth + target.height)
      // What is found twice counts twice: thirty arrays of two would else be a billion values.
      count(reading, target.least, target.most)
      return target.value
    }
    default:
      throw new NotJson(`Cannot read a value: JSON has nothing for tag ${tag} of the object format`)
  }
}

const tooDeep = () => new NotJson(`Cannot read a value: it is nested deeper than ${depthOut}`)

function readNested(reader: Reader, reading: Reading, isArray: boolean, depth: number): Json {
  if (depth >= depthOut) throw tooDeep()
  const outer = reading.deepest
  reading.deepest = depth + 1
  const self: Shared = { value: null, least: -reading.least, most: -reading.most }
  reading.objects.push(self)
  count(reading, 2, 2)
  self.value = isArray ? readItems(reader, reading, depth) : readFields(reader, reading, depth)
  self.least += reading.least
  self.most += reading.most
  self.height = reading.deepest - depth
  reading.deepest = Math.max(outer, reading.deepest)
  return self.value
}

function readItems(reader: Reader, reading: Reading, depth: number): Json[] {
  const items: Json[] = []
  for (let left = reader.uint(); left > 0; left--) {
    const item = read(reader, reading, depth + 1)
    count(reading, item === undefined ? 4 : 0, item === undefined ? 5 : 1)
    items.push(item ?? null)
  }
  return items
}

function readFields(reader: Reader, reading: Reading, depth: number): JsonObject {
  const fields: Record<string, Json> = {}
  for (let left = reader.uint(); left > 0; left--) {
    const atom = reader.uint()
    const name = atom & 1 ? String(atom >>> 1) : reading.names[(atom >>> 1) - 1]
    if (name === undefined) throw new NotJson('Cannot read a value: unknown property name')
    const item = read(reader, reading, depth + 1)
    if (item === undefined) continue
    count(reading, name.length + 3, name.length * 6 + 4)
    if (name === '__proto__') defineOwn(fields, name, item)
    else fields[name] = item
  }
  return fields
}

/** `__proto__` is a name like any other. */
const defineOwn = (target: object, name: string, value: Json): object =>
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })

/**
 * Writes a value for the guest.
 * @throws {NotJson} when it is nested deeper than {@link depthIn}, or holds what is not JSON
 */
export function encode(value: Json): Uint8Array<ArrayBuffer> {
  const names = new Map<string, number>()
  body.clear()
  write(body, names, value, 0)
  head.clear()
  head.byte(version)
  head.uint(names.size)
  for (const name of names.keys()) head.text(name)
  return body.after(head)
}

const head = new Writer()
const body = new Writer()

function write(body: Writer, names: Map<string, number>, value: unknown, depth: number): void {
  switch (typeof value) {
    case 'undefined':
      return body.byte(Tag.null)
    case 'boolean':
      return body.byte(value ? Tag.true : Tag.false)
    case 'number':
      return body.number(value)
    case 'string':
      body.byte(Tag.string)
      return body.text(value)
    case 'object':
      if (value === null) return body.byte(Tag.null)
      if (depth >= depthIn) throw new NotJson(`Cannot write a value: it is nested deeper than ${depthIn}`)
      if (Array.isArray(value)) {
        body.byte(Tag.array)
        body.uint(value.length)
        for (const item of value) write(body, names, item, depth + 1)
        return
      }
      return writeFields(body, names, value as JsonObject, depth)
    default:
      throw new NotJson(`Cannot write a value: JSON has nothing for a ${typeof value}`)
  }
}

function writeFields(body: Writer, names: Map<string, number>, value: JsonObject, depth: number): void {
  const keys = Object.keys(value)
  let present = 0
  for (const name of keys) if (value[name] !== undefined) present++
  body.byte(Tag.object)
  body.uint(present)
  for (const name of keys) {
    const item = value[name]
    if (item === undefined) continue
    let index = names.get(name)
    if (index === undefined) names.set(name, (index = names.size + 1))
    body.uint(index << 1)
    write(body, names, item, depth + 1)
  }
}
