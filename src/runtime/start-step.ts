import type { EventBody } from '../core/events.js'
import type { EffectOf } from '../core/next.js'
import { sleep } from './sleep.js'

/** A step that failed waits before it is tried again: 0.5 s, doubled at each attempt, at most 8 s. */
export async function startStep(
  { step, attempt, afterFailure }: EffectOf<'start-step'>,
  signal: AbortSignal,
): Promise<EventBody> {
  if (afterFailure) await sleep(Math.min(8_000, 500 * 2 ** Math.max(0, attempt - 2)), signal)
  return { type: 'step-start', step, attempt }
}
