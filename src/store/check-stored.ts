import { isEventType, logFormat, type RunEvent } from '../core/events.js'
import type { Context } from '../core/tool-definition.js'
import { HandrailError } from '../errors.js'
import type { RunHead } from './store.js'

/*
 * What comes out of a database was written by any version of the app, and perhaps by other code of its origin.
 */

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/**
 * The events of these records, which begin at position `from`; `first` is the record of the log's first event.
 * @throws {HandrailError} `store_failed` if one is missing, or is no event of its format.
 */
export function checkLog(runId: string, from: number, first: unknown, records: readonly unknown[]): RunEvent[] {
  const start = isFields(first) && isFields(first.event) ? first.event : undefined
  const format = start?.type === 'run-start' ? start.format : undefined
  if (typeof format !== 'number') throw damaged(`event 0 of run "${runId}"`, 'a run-start with a format', start?.type)
  return records.map((record, i) => {
    const where = `event ${from + i} of run "${runId}"`
    const { seq, event } = isFields(record) ? record : {}
    if (seq !== from + i) throw damaged(where, `position ${from + i}`, seq)
    if (!isFields(event)) throw damaged(where, 'an object', event)
    const isKnown = format > logFormat ? typeof event.type === 'string' : isEventType(event.type)
    if (!isKnown) throw damaged(where, 'a known type', event.type)
    if (!Number.isFinite(event.at)) throw damaged(where, 'a time "at"', event.at)
    return event as unknown as RunEvent
  })
}

/** @throws {HandrailError} `store_failed` */
export function checkHead(record: unknown): RunHead {
  const head = isFields(record) ? record : {}
  const isHead =
    [head.runId, head.owner, head.session].every((text) => typeof text === 'string') &&
    [head.index, head.startedAt].every((number) => Number.isFinite(number))
  if (!isHead) throw damaged('the head of a run', 'runId, owner, session, index and startedAt', record)
  return record as RunHead
}

/** @throws {HandrailError} `store_failed` */
export function checkContext(hash: string, record: unknown): Context | undefined {
  if (record === undefined) return undefined
  const isContext = isFields(record) && typeof record.instructions === 'string' && Array.isArray(record.tools)
  if (!isContext) throw damaged(`context "${hash}"`, 'instructions and tools', record)
  return record as unknown as Context
}

const damaged = (where: string, expected: string, found: unknown): HandrailError =>
  new HandrailError('store_failed', `Cannot read ${where}: expected ${expected}, got ${shown(found)}`)

/** Short, and without what a damaged record may hold of a person's data. */
const shown = (value: unknown): string => {
  if (typeof value === 'string') return `"${value.slice(0, 40)}"`
  return typeof value === 'object' && value !== null ? 'another object' : String(value)
}
