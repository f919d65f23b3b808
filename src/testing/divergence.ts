import type { EventBody, RunEvent } from '../core/events.js'
import type { Effect } from '../core/next.js'
import { comparable, diffOf, type Difference } from './difference.js'
import { nameOf } from './listing.js'

/** The first place at which a replay does not do what was recorded. */
export interface Divergence {
  /** Of the recorded event in its log, from 0. */
  readonly position: number
  readonly callId?: string
  /** The recorded event. */
  readonly expected: RunEvent
  /** What the replay did in its place; absent: it does nothing there. */
  readonly actual?: EventBody
  /** JSON Pointer to the first difference within the event. */
  readonly path: string
  /** All of it, to be read. */
  readonly text: string
}

/** Another event, or another content of it. */
export function divergenceOf(
  position: number,
  expected: RunEvent,
  actual: EventBody,
  { path, ...sides }: Difference,
  names: ReadonlyMap<string, string>,
): Divergence {
  const isOther = actual.type !== expected.type
  const diff = isOther ? diffOf(comparable(expected), comparable(actual)) : diffOf(sides.expected, sides.actual)
  const place = isOther ? '' : ` at ${path || '/'}`
  const text = `The replay differs at event ${position}, ${nameOf(expected, names)}${place}. Recorded (-), and now (+):\n${diff}`
  return { ...base(position, expected), actual, path: isOther ? '/type' : path, text }
}

/** The run would not do that now at all. */
export function nothingOf(
  position: number,
  expected: RunEvent,
  instead: readonly Effect[] | string,
  names: ReadonlyMap<string, string>,
): Divergence {
  const does = typeof instead === 'string' ? instead : doing(instead, names)
  const text = `The replay differs at event ${position}, ${nameOf(expected, names)}: that was recorded, and now ${does}`
  return { ...base(position, expected), path: '', text }
}

const base = (position: number, expected: RunEvent) => ({
  position,
  ...('callId' in expected && { callId: expected.callId }),
  expected,
})

function doing(due: readonly Effect[], names: ReadonlyMap<string, string>): string {
  if (due.length === 0) return 'nothing is due: the run is over, or waits for a person.'
  const list = due.map((effect) => {
    const callId = 'call' in effect ? effect.call.callId : undefined
    return callId === undefined ? effect.type : `${effect.type} ${callId} (${names.get(callId) ?? '?'})`
  })
  return `the run would do this: ${list.join(', ')}.`
}
