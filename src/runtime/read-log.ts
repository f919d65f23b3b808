import { logFormat, type RunEvent } from '../core/events.js'
import { eventFault } from '../core/stored-event.js'
import { toFailure } from '../errors.js'
import type { RunHead, Store, StoredEvent } from '../store/store.js'
import { LogCheck } from './chain.js'
import { eventShapeFault } from './event-shapes.js'

/** While some events are checked and folded, the store gets the next ones: that is most of the time that either takes. */
const eventsAtOnce = 2_000

export interface LogReader {
  /** The next event of the log. What it throws is a damage too. */
  readonly take: (event: RunEvent) => void
  /** An event that is damaged or comes after one that is: to be shown, not to be believed. */
  readonly show: (event: RunEvent) => void
}

export interface LogEnd {
  /** Of the last event that was taken. */
  readonly chain?: string
  /** Where the log is not what was written, and why: `event 3: ...`. */
  readonly damage?: string
}

export async function readLog(store: Store, head: RunHead, { take, show }: LogReader): Promise<LogEnd> {
  const check = new LogCheck(head)
  let damage: string | undefined
  let count = 0
  for await (const records of pagesOf(store, head.runId)) {
    for (const record of records) {
      let isTaken = false
      try {
        damage ??= check.fault(record)
        isTaken = damage === undefined
        if (isTaken) take(record.event as RunEvent)
      } catch (error) {
        damage = `event ${count}: ${toFailure(error).message}`
      }
      if (!isTaken && isWhole(record.event)) show(record.event)
      count++
    }
  }
  if (count === 0) damage ??= 'event 0: it is missing'
  return { chain: check.chain, damage }
}

const isWhole = (event: unknown): event is RunEvent =>
  !eventFault(event, logFormat) && !eventShapeFault(event as RunEvent)

/** What is stored as JSON. A database may hold what is none: `null` stands in its place. */
export function storedJson(event: unknown): string {
  try {
    return JSON.stringify(event) ?? 'null'
  } catch {
    return 'null'
  }
}

/** What is stored of a log, in order, as it is. */
export async function* pagesOf(store: Store, runId: string): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  let reading = store.records(runId, 0, eventsAtOnce)
  for (;;) {
    const records = await reading
    const last = records.at(-1)?.seq
    // Keys that are no numbers come after all that are.
    const isLast = records.length < eventsAtOnce || typeof last !== 'number'
    if (!isLast) reading = store.records(runId, last + 1, eventsAtOnce)
    yield records
    if (isLast) return
  }
}
