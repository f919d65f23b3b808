import type { RunEvent, RunHeader } from '../core/events.js'
import { isEventType, isNewer, logFormat } from '../core/events.js'
import type { Context } from '../core/tool-definition.js'
import { HandrailError } from '../errors.js'

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
    if (!isRecord(event) || !isEventType(event.type) || typeof event.at !== 'number')
      return refuse(`event ${i} is no event that this version knows`)
  const first: RunEvent | undefined = events[0]
  if (first?.type !== 'run-start' || events[1]?.type !== 'user-message')
    return refuse('its events must begin with "run-start" and "user-message"')
  if (isNewer(first)) return refuse(`its log has the format ${first.format}, and this version knows ${logFormat}`)
  if (context !== undefined && !isContext(context)) return refuse('its context must have "instructions" and "tools"')
  return { header: first, events, ...(context && { context }) }
}

function fromFile(text: string): { readonly events: readonly RunEvent[]; readonly context?: Context } {
  const events: RunEvent[] = []
  let context: Context | undefined
  for (const [i, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const value = parse(line, i)
    if (isContext(value)) context ??= value
    else if (isRecord(value) && isContext(value.context)) context ??= value.context
    else if (isRecord(value) && isEventType(value.type)) events.push(value as unknown as RunEvent)
    else if (i > 0) return refuse(`line ${i + 1} is neither a context nor an event that this version knows`)
  }
  return { events, ...(context && { context }) }
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
