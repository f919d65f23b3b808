import { isEventType, logFormat } from './events.js'

export interface Fault {
  readonly expected: string
  readonly found: unknown
}

type Fields = Readonly<Record<string, unknown>>

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/** The format that the first event of a log says it has, if it says one. */
export const formatOf = (first: unknown): number | undefined =>
  isFields(first) && first.type === 'run-start' && typeof first.format === 'number' ? first.format : undefined

/** What is wrong with an event of a log of this format, as far as one sees without the others. Of a newer one: less is known. */
export function eventFault(event: unknown, format: number): Fault | undefined {
  if (!isFields(event)) return { expected: 'an object', found: event }
  const isKnown = format > logFormat ? typeof event.type === 'string' : isEventType(event.type)
  if (!isKnown) return { expected: 'a known type', found: event.type }
  if (!Number.isFinite(event.at)) return { expected: 'a time "at"', found: event.at }
  return undefined
}

/** The same of what a store holds of it: `{ seq, event }`. */
export function recordFault(record: unknown, seq: number, format: number): Fault | undefined {
  const { seq: found, event } = isFields(record) ? record : {}
  return found === seq ? eventFault(event, format) : { expected: `position ${seq}`, found }
}

/** Short, and without what a damaged record may hold of a person's data. */
export const shownFault = ({ expected, found }: Fault): string => `expected ${expected}, got ${shown(found)}`

const shown = (value: unknown): string => {
  if (typeof value === 'string') return `"${value.slice(0, 40)}"`
  return isFields(value) ? 'another object' : String(value)
}
