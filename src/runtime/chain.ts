import { isChained, logFormat, type RunEvent, type RunHeader } from '../core/events.js'
import { formatOf, recordFault, shownFault } from '../core/stored-event.js'
import type { RunHead, StoredEvent } from '../store/store.js'
import { sha256 } from '../tools/hash.js'

/*
 * The chain finds what was changed by accident, or by somebody who did not think of it. Code of the page's origin can compute it
 * anew, and a log whose last events are gone looks as if they had never been.
 */

/** The event with its chain as the last field. `previous`: the chain before it; of the first event `''`. */
export const chained = (event: RunEvent, previous: string): RunEvent => ({
  ...event,
  chain: sha256(previous + JSON.stringify(event)),
})

/** What of the event's text the chain is not made of: its last field. */
const chainLength = ',"chain":""'.length + 64

/** Whether the event's chain is what it must be after `previous`. */
function isNext(event: RunEvent, previous: string): boolean {
  const text = JSON.stringify(event)
  const end = text.length - chainLength - 1
  return (
    text.startsWith(`,"chain":"${event.chain}"}`, end) && sha256(`${previous}${text.slice(0, end)}}`) === event.chain
  )
}

/** Reads a log from its first event on, and finds the first place at which it is not what was written. */
export class LogCheck {
  #format: number | undefined
  #chain = ''
  #seq = 0

  constructor(private readonly head: RunHead) {}

  /** The chain after what was read. Undefined in a log of a format that has none. */
  get chain(): string | undefined {
    return isChained(this.#format) ? this.#chain : undefined
  }

  /** Why this is not the next event, with its position; undefined if it is. */
  fault(record: StoredEvent): string | undefined {
    const seq = this.#seq++
    const fault = seq === 0 ? this.#begin(record.event) : undefined
    if (fault) return `event 0: ${fault}`
    const wrong = recordFault(record, seq, this.#format!)
    if (wrong) return `event ${seq}: ${shownFault(wrong)}`
    const event = record.event as RunEvent
    if (!isChained(this.#format)) {
      if (event.chain === undefined || this.#format! > logFormat) return undefined
      return `event ${seq}: it has a chain, which a log of format ${this.#format} does not have`
    }
    if (typeof event.chain !== 'string') return `event ${seq}: it has no chain`
    if (!isNext(event, this.#chain)) return `event ${seq}: its chain does not fit it and the events before it`
    this.#chain = event.chain
    return undefined
  }

  #begin(event: unknown): string | undefined {
    this.#format = formatOf(event)
    if (this.#format === undefined) return 'expected a run-start with a format'
    const { format, imported, ...head } = this.head
    if (format !== undefined && format !== this.#format)
      return `its format is ${this.#format}, and the log was started with ${format}`
    if (!isChained(this.#format)) return undefined
    const header = event as RunHeader
    const names = imported ? (['runId'] as const) : (['runId', 'session', 'owner'] as const)
    const other = names.find((name) => header[name] !== head[name])
    return other && `its ${other} is another than that of the run`
  }
}
