import type { EventBody } from '../core/events.js'
import type { Effect } from '../core/next.js'
import { HandrailError, toFailure } from '../errors.js'
import type { RunLog } from './log.js'

/** Does one effect, and answers with the one event that came of it. */
export type Perform = (effect: Effect, signal: AbortSignal) => Promise<EventBody>

/**
 * Performs every effect that is due until the run is over, or until `stop`. Live and resumed runs are the same loop: what is
 * due is a function of the log alone. An effect's signal is aborted when it is no longer due, or is due with `abort`.
 * @throws {HandrailError} when an append fails, or an effect breaks: the log can then be driven again under a new epoch only.
 */
export async function drive(log: RunLog, perform: Perform, stop: AbortSignal): Promise<void> {
  /** What is being done, until it is appended; without a controller once there is nothing left to abort. */
  const inFlight = new Map<string, AbortController | undefined>()
  const changes = watch(log, stop)
  let failure: HandrailError | undefined

  const begin = async (effect: Effect, { signal }: AbortController): Promise<void> => {
    try {
      const body = await perform(effect, signal)
      inFlight.set(effect.id, undefined)
      const appended = await log.perform(effect.id, body)
      if (appended && log.due.some(({ id }) => id === effect.id))
        throw new HandrailError('internal', `Effect "${effect.id}" is still due after it was performed`)
    } catch (error) {
      const isOurs = log.due.some(({ id }) => id === effect.id)
      if (isOurs || HandrailError.is(error)) failure ??= toError(error)
    } finally {
      inFlight.delete(effect.id)
      changes.touch()
    }
  }

  try {
    while (!stop.aborted && !failure && log.state.status === 'running') {
      // A person's word that could not be stored, too: nothing could be appended after it.
      if (log.failure) throw log.failure
      const due = new Map(log.due.map((effect) => [effect.id, effect]))
      for (const [id, work] of inFlight) {
        const effect = due.get(id)
        if (!effect || ('abort' in effect && effect.abort)) work?.abort()
      }
      for (const [id, effect] of due) {
        if (inFlight.has(id)) continue
        const work = new AbortController()
        if ('abort' in effect && effect.abort) work.abort()
        inFlight.set(id, work)
        void begin(effect, work)
      }
      await changes.next()
    }
  } finally {
    changes.end()
    for (const work of inFlight.values()) work?.abort()
  }
  if (failure) throw failure
}

function watch(log: RunLog, stop: AbortSignal) {
  let isDirty = false
  let wake = () => {}
  const touch = () => {
    isDirty = true
    wake()
  }
  const unsubscribe = log.subscribe(touch)
  for (const signal of [stop, log.refused]) signal.addEventListener('abort', touch)
  return {
    touch,
    async next(): Promise<void> {
      if (!isDirty) await new Promise<void>((resolve) => (wake = resolve))
      isDirty = false
    },
    end() {
      unsubscribe()
      for (const signal of [stop, log.refused]) signal.removeEventListener('abort', touch)
    },
  }
}

const toError = (error: unknown): HandrailError =>
  HandrailError.is(error)
    ? error
    : new HandrailError('internal', `The loop broke: ${toFailure(error).message}`, { cause: error })
