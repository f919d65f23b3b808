import type { Json } from '../../core/json.js'
import { NotJson, decode, encode } from '../isolate/codec.js'
import { Fault } from './fault.js'
import { optionsOf } from './intl-options.js'
import { canonical, createFormatters, supported, valuesOf, type Usage } from './platform-intl.js'
import {
  decodeText,
  encodingOf,
  fromBase64,
  paramsToText,
  parseParams,
  parseUrl,
  setUrl,
  toBase64,
} from './platform-text.js'
import type { TimeZone } from './time-zone.js'

/** Bytes in the engine's format that one question may have: what the platform does with them takes milliseconds. */
const mostBytes = 4 << 20

/**
 * What a script asks the platform for, and is answered at once: pure functions of JSON, of the script's locale and its time
 * zone. A script may call them with anything. Their time is the script's.
 */
export interface HostValues {
  /**
   * In the engine's object format.
   * @param question `[name, ...args]`; none when it was not JSON
   * @returns `[0, value]`, or `[1, name, message]` of what is to be thrown
   */
  answer(question: Uint8Array<ArrayBuffer> | undefined): Uint8Array<ArrayBuffer>
}

type HostFunction = (...args: Json[]) => Json

export function createHostValues(options: { locale: string; timeZone: string; zone: TimeZone }): HostValues {
  const { zone } = options
  const formatters = createFormatters(options)
  const make = (kind: Json | undefined, usage: Json | undefined, locales: Json | undefined, given: Json | undefined) =>
    formatters.make(toText(kind), toText(usage) as Usage, toLocales(locales), toList(given)[0])

  const functions: Readonly<Record<string, HostFunction>> = {
    'intl.options': (kind) => optionsOf(toText(kind)),
    'intl.make': (kind, usage, locales, given) => make(kind, usage, locales, given),
    'intl.call': (id, method, args) => formatters.call(Number(id), toText(method), toList(args)),
    'intl.once': (kind, usage, locales, given, method, args) =>
      formatters.call(make(kind, usage, locales, given), toText(method), toList(args)),
    'intl.supported': (kind, locales, given) => supported(toText(kind), toLocales(locales), toList(given)[0]),
    'intl.canonical': (locales) => canonical(toLocales(locales)),
    'intl.values': (key) => valuesOf(toText(key)),
    'case.ordinary': () => !/^(tr|az|lt|el)\b/i.test(options.locale),
    upper: (text, locales) => toText(text).toLocaleUpperCase(formatters.resolve(toLocales(locales))),
    lower: (text, locales) => toText(text).toLocaleLowerCase(formatters.resolve(toLocales(locales))),
    'url.parse': (url, base) => parseUrl(toText(url), base === null ? undefined : toText(base)),
    'url.set': (href, name, value) => setUrl(toText(href), toText(name), toText(value)),
    'params.parse': (text) => parseParams(toText(text)),
    'params.text': (pairs) => paramsToText(toList(pairs).map(toTexts)),
    encoding: (label) => encodingOf(toText(label)),
    decode: (binary, label, fatal, ignoreBOM) =>
      decodeText(toText(binary), toText(label), fatal === true, ignoreBOM === true),
    atob: (text) => fromBase64(toText(text)),
    btoa: (text) => toBase64(toText(text)),
    'zone.fixed': () => zone.isUtc(),
    'zone.utc': (local) => zone.toUtc(Number(local)),
  }

  function run(question: Uint8Array<ArrayBuffer> | undefined): Json {
    if (!question) throw new TypeError('Expected JSON')
    if (question.length > mostBytes) throw new RangeError(`More than ${mostBytes} bytes are not taken at once`)
    const [asked, ...args] = toList(decode(question, Infinity).value)
    const name = toText(asked)
    if (!Object.hasOwn(functions, name)) throw new TypeError(`There is no ${name.slice(0, 50)}`)
    return functions[name]!(...args)
  }

  return {
    answer(question) {
      try {
        return encode([0, run(question)])
      } catch (error) {
        return encode([1, ...toThrown(error)])
      }
    },
  }
}

/** What the guest throws for it; anything unforeseen is the host's. */
function toThrown(error: unknown): [name: string, message: string] {
  if (error instanceof Fault) return [error.name, error.message]
  if (error instanceof NotJson) return ['TypeError', error.message]
  const isOverflow = error instanceof RangeError && /call stack/i.test(error.message)
  if (isOverflow || !(error instanceof TypeError || error instanceof RangeError)) throw error
  return [error.name, error.message]
}

function toText(value: Json | undefined): string {
  if (typeof value !== 'string') throw new TypeError('Expected a text')
  return value
}

function toList(value: Json | undefined): readonly Json[] {
  if (!Array.isArray(value)) throw new TypeError('Expected a list')
  return value as readonly Json[]
}

const toTexts = (value: Json | undefined): string[] => toList(value).map(toText)

/** Locales of one list. */
const mostLocales = 100

function toLocales(value: Json | undefined): string[] {
  const locales = toTexts(value)
  if (locales.length > mostLocales) throw new RangeError(`A list of more than ${mostLocales} locales is not taken`)
  return locales
}
