import { nearest } from '../core/nearest.js'
import { HandrailError } from '../errors.js'

type Check = (value: unknown) => boolean
export type Rule = readonly [is: Check, must: string]
export type Rules<T> = Readonly<Record<keyof T & string, Rule>>

export const isText: Check = (value) => typeof value === 'string' && value.trim() !== ''
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isRule = {
  anything: [() => true, ''],
  text: [isText, 'must be a text that is not empty'],
  string: [(value) => typeof value === 'string', 'must be a text'],
  number: [(value) => typeof value === 'number', 'must be a number'],
  flag: [(value) => typeof value === 'boolean', 'must be true or false'],
  record: [isRecord, 'must be an object'],
  texts: [(value) => Array.isArray(value) && value.every(isText), 'must be an array of texts'],
} satisfies Readonly<Record<string, Rule>>

/** @throws {HandrailError} `invalid_options`, naming the field that is wrong and what it must be */
export function checkFields<T>(
  what: string,
  place: string,
  value: T,
  rules: Rules<T>,
  required: readonly string[] = [],
): void {
  if (!isRecord(value)) return refuse(what, 'the options must be an object')
  const known = Object.keys(rules)
  for (const [key, item] of Object.entries(value)) {
    if (!Object.hasOwn(rules, key)) {
      const near = nearest(key, known)
      refuse(
        what,
        `"${place}${key}" is not an option; ${near ? `did you mean "${near}"?` : `there are ${known.join(', ')}`}`,
      )
    }
    const [is, must] = (rules as Readonly<Record<string, Rule>>)[key]!
    if (item !== undefined && !is(item)) refuse(what, `"${place}${key}" ${must}; it is ${shown(item)}`)
  }
  for (const key of required) if (value[key] === undefined) refuse(what, `"${place}${key}" is missing`)
}

/** Never a whole value: it may hold a secret. */
export const shown = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'an array'
      : typeof value === 'number'
        ? String(value)
        : value === ''
          ? 'empty'
          : `of type ${typeof value}`

export function refuse(what: string, why: string): never {
  throw new HandrailError('invalid_options', `Cannot ${what}: ${why}`)
}
