import type { RunEvent, RunHeader } from '../core/events.js'
import { isEventType, isNewer, logFormat } from '../core/events.js'
import type { Context } from '../core/tool-definition.js'
import { HandrailError } from '../errors.js'
import { eventShapeFault } from '../runtime/event-shapes.js'

/** A run that was recorded: the text of an exported file, or its events, with the context that they name by its hash. */
export type RecordedRun =
  | string
  | readonly RunEvent[]
  | { readonly events: readonly RunEvent[]; readonly context?: Context }

export interface Recording {
  readonly header: RunHeader
  readonly events: readonly RunEvent[]
  readonly context?: Context
}

/** @throws {HandrailError} `invalid_recording`, saying what is wrong with it and in which line or event. */
export function toRecording(run: RecordedRun): Recording {
  const { events, context } = typeof run === 'string' ? fromFile(run) : 'events' in run ? run : { events: run }
  if (!Array.isArray(events)) return refuse('it has no array "events"')
  for (const [i, event] of events.entries())
    if (!isRecord(event) || !isEventType(event.type)) return refuse(`event ${i} is no event that this version knows`)
  const first: RunEvent | undefined = events[0]
  if (first?.type !== 'run-start' || events[1]?.type !== 'user-message')
    return refuse('its events must begin with "run-start" and "user-message"')
  if (isNewer(first)) return refuse(`its log has the format ${first.format}, and this version knows ${logFormat}`)
  for (const [i, event] of events.entries()) {
    const fault = eventShapeFault(event as RunEvent)
    if (fault !== undefined) return refuse(`event ${i}: ${fault}`)
  }
  if (context !== undefined && !isContext(context)) return refuse('its context must have "instructions" and "tools"')
  return { header: first, events, ...(context && { context }) }
}

/** As `exportRun` writes it: what it is, the context, then the events, each in a line. */
function fromFile(text: string): { readonly events: readonly RunEvent[]; readonly context?: Context } {
  const [head, context, ...events] = text
    .split('\n')
    .map((line, i) => ({ line, i }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, i }) => parse(line, i))
  if (!isRecord(head) || head.handrail !== 'run') return refuse('its first line is not that of an exported run')
  if (head.events !== events.length)
    return refuse(`it has ${events.length} events, and its first line says ${String(head.events)}`)
  return { events: events as RunEvent[], ...(context !== null && { context: context as Context }) }
}

function parse(line: string, i: number): unknown {
  try {
    return JSON.parse(line)
  } catch (error) {
    return refuse(`line ${i + 1} is no JSON: ${(error as Error).message}`)
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isContext = (value: unknown): value is Context =>
  isRecord(value) && typeof value.instructions === 'string' && Array.isArray(value.tools)

function refuse(why: string): never {
  throw new HandrailError('invalid_recording', `Cannot read the recorded run: ${why}`)
}
