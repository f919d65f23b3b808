/** A calendar day, as `2026-11-30`. */
export type Day = string

const dayLength = 86_400_000

/** The day it is where the person is. */
export function today(now = new Date()): Day {
  const utc = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate())
  return new Date(utc).toISOString().slice(0, 10)
}

export const addDays = (day: Day, days: number): Day =>
  new Date(Date.parse(day) + days * dayLength).toISOString().slice(0, 10)

export const daysBetween = (from: Day, to: Day): number => Math.round((Date.parse(to) - Date.parse(from)) / dayLength)

const longDate = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })

/** `30 Nov 2026`. */
export const showDay = (day: Day): string => longDate.format(Date.parse(day))

export const countDays = (days: number): string => (days === 1 ? '1 day' : `${days} days`)
