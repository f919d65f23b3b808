import { formatOf, isFields, recordFault, shownFault, type Fault } from '../core/stored-event.js'
import type { RunEvent } from '../core/events.js'
import type { Context } from '../core/tool-definition.js'
import { HandrailError } from '../errors.js'
import type { RunHead, StoredEvent } from './store.js'

/*
 * What comes out of a database was written by any version of the app, and perhaps by other code of its origin.
 */

/**
 * The events of these records, which begin at position `from`; `first` is the record of the log's first event.
 * @throws {HandrailError} `store_failed` if one is missing, or is no event of its format.
 */
export function checkLog(runId: string, from: number, first: unknown, records: readonly StoredEvent[]): RunEvent[] {
  const start = isFields(first) ? first.event : undefined
  const format = formatOf(start)
  if (format === undefined)
    throw damaged(`event 0 of run "${runId}"`, {
      expected: 'a run-start with a format',
      found: isFields(start) ? start.type : undefined,
    })
  return records.map((record, i) => {
    const fault = recordFault(record, from + i, format)
    if (fault) throw damaged(`event ${from + i} of run "${runId}"`, fault)
    return record.event as RunEvent
  })
}

/** @throws {HandrailError} `store_failed` */
export function checkHead(record: unknown): RunHead {
  const head = isFields(record) ? record : {}
  const isHead =
    [head.runId, head.owner, head.session].every((text) => typeof text === 'string') &&
    [head.index, head.startedAt].every((number) => Number.isFinite(number))
  if (!isHead)
    throw damaged('the head of a run', { expected: 'runId, owner, session, index and startedAt', found: record })
  const { runId, owner, session, index, startedAt, format, imported, deleted } = record as RunHead
  return {
    runId,
    owner,
    session,
    index,
    startedAt,
    ...(typeof format === 'number' && { format }),
    ...(imported === true && { imported }),
    ...(deleted === true && { deleted }),
  }
}

/** @throws {HandrailError} `store_failed` */
export function checkContext(hash: string, record: unknown): Context | undefined {
  if (record === undefined) return undefined
  const isContext = isFields(record) && typeof record.instructions === 'string' && Array.isArray(record.tools)
  if (!isContext) throw damaged(`context "${hash}"`, { expected: 'instructions and tools', found: record })
  return record as unknown as Context
}

/** The hash of the context that a run refers to, by its first event. */
export const contextHashOf = (first: unknown): string | undefined =>
  isFields(first) && typeof first.contextHash === 'string' ? first.contextHash : undefined

const damaged = (where: string, fault: Fault): HandrailError =>
  new HandrailError('store_failed', `Cannot read ${where}: ${shownFault(fault)}`)
