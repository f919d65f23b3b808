import type { EventBody } from '../core/events.js'
import type { EffectOf } from '../core/next.js'
import { sleep } from './sleep.js'

/** A step that is tried again waits first: 0.5 s, doubled at each attempt, at most 8 s. */
export async function startStep({ step, attempt }: EffectOf<'start-step'>, signal: AbortSignal): Promise<EventBody> {
  if (attempt > 1) await sleep(Math.min(8_000, 500 * 2 ** (attempt - 2)), signal)
  return { type: 'step-start', step, attempt }
}
