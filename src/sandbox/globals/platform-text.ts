import { Fault } from './fault.js'

// Taken before the worker gives its globals up.
const { URL, URLSearchParams, TextDecoder, atob, btoa } = globalThis

export interface UrlParts {
  readonly [name: string]: string
}
const parts = [
  'href',
  'origin',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const
const settable: readonly string[] = parts.filter((name) => name !== 'origin')

const toParts = (url: URL): UrlParts => Object.fromEntries(parts.map((name) => [name, url[name]]))

/** Characters of an address, which grow to six times as many. */
const longest = 1_000_000
/** The platform takes a microsecond and more for each. */
const mostPairs = 10_000

function checkLength(text: string): void {
  if (text.length > longest) throw new RangeError(`A URL of more than ${longest} characters is not taken`)
}

export function parseUrl(text: string, base: string | undefined): UrlParts | null {
  checkLength(text)
  if (base !== undefined) checkLength(base)
  try {
    return toParts(new URL(text, base))
  } catch {
    return null
  }
}

/** What cannot be set is left as it is, but for the whole address. */
export function setUrl(href: string, name: string, value: string): UrlParts {
  checkLength(value)
  const url = new URL(href)
  if (!settable.includes(name)) throw new TypeError(`Cannot set ${name} of a URL`)
  if (name === 'href' && parseUrl(value, undefined) === null)
    throw new TypeError(`Invalid URL: ${JSON.stringify(value.slice(0, 200))}`)
  Reflect.set(url, name, value)
  return toParts(url)
}

export function parseParams(text: string): string[][] {
  checkLength(text)
  let count = 1
  for (let at = text.indexOf('&'); at >= 0 && count <= mostPairs; at = text.indexOf('&', at + 1)) count++
  checkCount(count)
  return [...new URLSearchParams(text)]
}

export function paramsToText(pairs: string[][]): string {
  checkCount(pairs.length)
  return new URLSearchParams(pairs).toString()
}

function checkCount(count: number): void {
  if (count > mostPairs) throw new RangeError(`More than ${mostPairs} parameters of a URL are not taken`)
}

/** The platform's name of an encoding. */
export function encodingOf(label: string): string {
  try {
    return new TextDecoder(label).encoding
  } catch {
    throw new RangeError(`Cannot decode: there is no encoding "${label.slice(0, 50)}"`)
  }
}

/** @param binary one character a byte */
export function decodeText(binary: string, label: string, fatal: boolean, ignoreBOM: boolean): string {
  const decoder = new TextDecoder(label, { fatal, ignoreBOM })
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  try {
    return decoder.decode(bytes)
  } catch {
    throw new TypeError(`Cannot decode: these bytes are not ${label}`)
  }
}

export function fromBase64(text: string): string {
  try {
    return atob(text)
  } catch {
    throw new Fault('InvalidCharacterError', 'Cannot decode: the text is not base64')
  }
}

export function toBase64(text: string): string {
  try {
    return btoa(text)
  } catch {
    throw new Fault(
      'InvalidCharacterError',
      'Cannot encode: the text has characters above U+00FF. Encode it with TextEncoder first',
    )
  }
}
