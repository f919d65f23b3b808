import { outOfMemory } from './poisoned.js'
import type { Emscripten, Functions, Instance } from './instance.js'

/** A value of the guest: the address of its cell in the wasm memory. Whoever gets one frees it, once. */
export type Handle = number & { readonly handle: true }

/** Bytes of the longest value that goes in through the buffer which stays. */
const roomBytes = 16_384

/** The wasm memory of an instance, and the buffers of the guest that lie in it. */
export class GuestMemory {
  readonly #functions: Functions
  readonly #emscripten: Emscripten
  readonly #context: number
  /** Room for a value that goes in, and the buffer of the guest that it is. */
  readonly #room: { readonly address: number; readonly buffer: number }
  /** Made anew when the memory has grown. */
  #words = new Int32Array(0)

  constructor({ functions, emscripten, context }: Instance) {
    this.#functions = functions
    this.#emscripten = emscripten
    this.#context = context
    const address = this.allocate(roomBytes)
    this.#room = { address, buffer: this.#newBuffer(address, roomBytes) }
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#emscripten.HEAPU8
  }

  wordAt(address: number): number {
    return this.#current()[address >> 2]!
  }

  setWord(address: number, value: number): void {
    this.#current()[address >> 2] = value
  }

  /** @throws {Poisoned} when there is no room */
  allocate(bytes: number): number {
    const address = this.#emscripten._malloc(bytes)
    if (address === 0) throw outOfMemory()
    return address
  }

  free(address: number): void {
    this.#emscripten._free(address)
  }

  /** Puts a text there, in UTF-8 with a zero at its end; the length is without it. */
  place(text: string): { readonly address: number; readonly length: number } {
    const length = this.#emscripten.lengthBytesUTF8(text)
    const address = this.allocate(length + 1)
    this.#emscripten.stringToUTF8(text, address, length + 1)
    return { address, length }
  }

  /** A buffer of the guest that begins with these bytes. */
  toBuffer(bytes: Uint8Array): number {
    const { length } = bytes
    const isLong = length > roomBytes
    const address = isLong ? this.allocate(length) : this.#room.address
    this.bytes.set(bytes, address)
    return isLong ? this.#newBuffer(address, length) : this.#room.buffer
  }

  freeBuffer(buffer: number): void {
    if (buffer !== this.#room.buffer) this.#functions.QTS_FreeValuePointer(this.#context, buffer)
  }

  /** What a buffer of the guest has, copied to where {@link free} takes it from. */
  copyOf(buffer: number): { readonly address: number; readonly length: number } {
    const length = this.#functions.QTS_GetArrayBufferLength(this.#context, buffer)
    const address = this.#functions.QTS_GetArrayBuffer(this.#context, buffer)
    if (address === 0) throw outOfMemory()
    return { address, length }
  }

  #newBuffer(address: number, length: number): number {
    const buffer = this.#functions.QTS_NewArrayBuffer(this.#context, address, length)
    if (buffer === 0) throw outOfMemory()
    return buffer
  }

  #current(): Int32Array {
    const { buffer } = this.#emscripten.HEAPU8
    if (this.#words.buffer !== buffer) this.#words = new Int32Array(buffer)
    return this.#words
  }
}
