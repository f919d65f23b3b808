import type { Json, JsonObject } from '../../core/json.js'
import { isJsonObject } from '../../core/json.js'

const { Intl } = globalThis

/** Different formatters that one script may make: each is kept, and one of dates takes a tenth of a megabyte. */
const mostFormatters = 500
/** Characters of a number: the platform's time grows with their square. */
const mostDigits = 1000
const mostItems = 1000
/** Characters of all that one call is given. */
const mostCharacters = 100_000

type Options = JsonObject | undefined
/** A date's own methods fill in what a formatter would not: `toLocaleTimeString` shows no date. */
export type Usage = 'any' | 'both' | 'date' | 'time'

type Method = (...args: Json[]) => unknown
interface Formatter {
  readonly [method: string]: Method | undefined
}

/** The script's formatters, by number: made once for each kind, list of locales and options. */
export interface Formatters {
  make(kind: string, usage: Usage, locales: readonly string[], options: Json | undefined): number
  call(id: number, method: string, args: readonly Json[]): Json
  /** The list, with what is used when there is nothing for any of it: never what this machine is set to. */
  resolve(locales: readonly string[]): string[]
}

export function createFormatters({ locale, timeZone }: { locale: string; timeZone: string }): Formatters {
  const ids = new Map<string, number>()
  const formatters: Formatter[] = []
  let isChecked = false
  function resolve(locales: readonly string[]): string[] {
    if (!isChecked) checkLocale(locale)
    isChecked = true
    return [...locales, locale, 'en']
  }

  return {
    resolve,
    make(kind, usage, locales, options) {
      const key = JSON.stringify([kind, usage, locales, options])
      const known = ids.get(key)
      if (known !== undefined) return known
      if (key.length > mostCharacters) throw tooLong()
      if (formatters.length >= mostFormatters)
        throw new RangeError(`Cannot make a formatter: a script may make ${mostFormatters} different ones`)
      const made = create(kind, resolve(locales), usage, options, timeZone)
      ids.set(key, formatters.length)
      return formatters.push(made) - 1
    },
    call(id, method, args) {
      const formatter = formatters[id]
      const run = formatter && Object.hasOwn(formatter, method) ? formatter[method] : undefined
      if (!run) throw new TypeError(`Cannot call ${method.slice(0, 50)} of formatter ${id}`)
      return run(...args) as Json
    },
  }
}

function create(kind: string, locales: string[], usage: Usage, options: Json | undefined, timeZone: string): Formatter {
  // The platform refuses what is no object in its own words, or takes it as one.
  const plain = options as Options
  switch (kind) {
    case 'NumberFormat': {
      const format = new Intl.NumberFormat(locales, plain)
      return {
        format: (value) => format.format(toNumeric(value)),
        formatToParts: (value) => format.formatToParts(toNumeric(value)),
        formatRange: (from, to) => format.formatRange(toNumeric(from), toNumeric(to)),
        formatRangeToParts: (from, to) => format.formatRangeToParts(toNumeric(from), toNumeric(to)),
        resolvedOptions: () => format.resolvedOptions(),
      }
    }
    case 'DateTimeFormat': {
      const format = new Intl.DateTimeFormat(locales, plain === null ? plain : dateOptions(usage, plain, timeZone))
      return {
        format: (value) => format.format(toTime(value)),
        formatToParts: (value) => format.formatToParts(toTime(value)),
        formatRange: (from, to) => format.formatRange(toTime(from), toTime(to)),
        formatRangeToParts: (from, to) => format.formatRangeToParts(toTime(from), toTime(to)),
        resolvedOptions: () => format.resolvedOptions(),
      }
    }
    case 'ListFormat': {
      const format = new Intl.ListFormat(locales, plain)
      return {
        format: (items) => format.format(toItems(items)),
        formatToParts: (items) => format.formatToParts(toItems(items)),
        resolvedOptions: () => format.resolvedOptions(),
      }
    }
    case 'PluralRules': {
      const rules = new Intl.PluralRules(locales, plain) as Intl.PluralRules & {
        selectRange(from: number, to: number): string
      }
      return {
        select: (value) => rules.select(Number(toNumeric(value))),
        selectRange: (from, to) => rules.selectRange(Number(toNumeric(from)), Number(toNumeric(to))),
        resolvedOptions: () => rules.resolvedOptions(),
      }
    }
    case 'RelativeTimeFormat': {
      const format = new Intl.RelativeTimeFormat(locales, plain)
      return {
        format: (value, unit) => format.format(Number(toNumeric(value)), toText(unit) as Intl.RelativeTimeFormatUnit),
        formatToParts: (value, unit) =>
          format.formatToParts(Number(toNumeric(value)), toText(unit) as Intl.RelativeTimeFormatUnit),
        resolvedOptions: () => format.resolvedOptions(),
      }
    }
    case 'Collator': {
      const collator = new Intl.Collator(locales, plain)
      return {
        compare: (a, b) => collator.compare(toText(a), toText(b)),
        resolvedOptions: () => collator.resolvedOptions(),
      }
    }
    case 'DisplayNames': {
      const names = new Intl.DisplayNames(locales, plain as unknown as Intl.DisplayNamesOptions)
      return { of: (code) => names.of(toText(code)) ?? null, resolvedOptions: () => names.resolvedOptions() }
    }
    default:
      throw new TypeError(`There is no Intl.${kind.slice(0, 50)}`)
  }
}

const dateFields = ['weekday', 'year', 'month', 'day']
const timeFields = ['dayPeriod', 'hour', 'minute', 'second', 'fractionalSecondDigits']

function dateOptions(usage: Usage, options: Options, timeZone: string): Intl.DateTimeFormatOptions {
  const given: JsonObject = isJsonObject(options) ? { timeZone, ...options } : { timeZone }
  if (usage === 'any') return given
  const { dateStyle, timeStyle } = given
  if (dateStyle !== undefined || timeStyle !== undefined) {
    if (usage === 'date' && timeStyle !== undefined) throw new TypeError('Invalid option : timeStyle')
    if (usage === 'time' && dateStyle !== undefined) throw new TypeError('Invalid option : dateStyle')
    return given
  }
  const wanted = { both: [...dateFields, ...timeFields], date: dateFields, time: timeFields }[usage]
  if (wanted.some((name) => given[name] !== undefined)) return given
  return {
    ...(usage !== 'time' && { year: 'numeric', month: 'numeric', day: 'numeric' }),
    ...(usage !== 'date' && { hour: 'numeric', minute: 'numeric', second: 'numeric' }),
    ...given,
  }
}

/** What can be named with a locale, as lists of the platform. */
export const valuesOf = (key: string): string[] => Intl.supportedValuesOf(key as 'currency')
export const canonical = (locales: string[]): string[] => Intl.getCanonicalLocales(locales)
export function supported(kind: string, locales: string[], options: Json | undefined): string[] {
  if (!Object.hasOwn(kindsWithLocales, kind)) throw new TypeError(`There is no Intl.${kind.slice(0, 50)}`)
  return kindsWithLocales[kind]!.supportedLocalesOf(locales, options as undefined)
}
const kindsWithLocales: Readonly<
  Record<string, { supportedLocalesOf(locales: string[], options?: undefined): string[] }>
> = {
  NumberFormat: Intl.NumberFormat,
  DateTimeFormat: Intl.DateTimeFormat,
  ListFormat: Intl.ListFormat,
  PluralRules: Intl.PluralRules,
  RelativeTimeFormat: Intl.RelativeTimeFormat,
  Collator: Intl.Collator,
  DisplayNames: Intl.DisplayNames,
}

function checkLocale(locale: string): void {
  try {
    Intl.getCanonicalLocales(locale)
  } catch (error) {
    throw new RangeError(`Cannot format: the script's locale "${locale}" is none`, { cause: error })
  }
}

/** A number, or what JSON has no word for: `{ big }`, `{ text }` with all its digits, `{ number }` that is not finite or -0. */
function toNumeric(value: Json | undefined): number {
  if (typeof value === 'number') return value
  const { big, text, number } = isJsonObject(value) ? value : {}
  const digits = toText(big ?? text ?? number)
  if (digits.length > mostDigits) throw new RangeError(`A number of more than ${mostDigits} digits is not formatted`)
  if (big !== undefined) return BigInt(digits) as unknown as number
  return text === undefined ? Number(digits) : (digits as unknown as number)
}

const toTime = (value: Json | undefined): number => Number(toNumeric(value))

function toText(value: Json | undefined): string {
  if (typeof value !== 'string') throw new TypeError('Expected a text')
  if (value.length > mostCharacters) throw tooLong()
  return value
}

function toItems(value: Json | undefined): string[] {
  if (!Array.isArray(value)) throw new TypeError('Expected a list of texts')
  if (value.length > mostItems) throw new RangeError(`A list of more than ${mostItems} items is not formatted`)
  const items = value.map(toText)
  if (items.reduce((sum, item) => sum + item.length, 0) > mostCharacters) throw tooLong()
  return items
}

const tooLong = () => new RangeError(`More than ${mostCharacters} characters are not formatted`)
