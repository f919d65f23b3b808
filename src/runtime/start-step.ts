import type { EventBody } from '../core/events.js'
import type { EffectOf } from '../core/next.js'
import type { RunPorts } from './ports.js'
import { sleep } from './sleep.js'

/** Milliseconds. A model of ours that is asked to wait longer fails for good; one from outside may ask for anything. */
const longestWait = 60_000

/** Milliseconds in which a command arrives that had the run driven. */
const commandTime = 100

/**
 * A step that failed waits before it is tried again: what the provider asked for, else 0.5 s, doubled at each attempt, at most
 * 8 s. By chance up to a half more, so that many pages do not come back together.
 */
export async function startStep(
  { log, checkRoom }: Pick<RunPorts, 'log' | 'checkRoom'>,
  { step, attempt, afterFailure }: EffectOf<'start-step'>,
  signal: AbortSignal,
): Promise<EventBody> {
  if (afterFailure) {
    const asked = log.state.step.failure?.retryAfter
    const wait = asked ?? Math.min(8_000, 500 * 2 ** Math.max(0, attempt - 2))
    await sleep(Math.min(wait, longestWait) * (1 + Math.random() / 2), signal)
  }
  try {
    await checkRoom()
  } catch (error) {
    // A run that stood is driven again by the first command: one that is cancelled by it needs no room to end.
    await sleep(commandTime, signal)
    if (!log.state.stop) throw error
  }
  return { type: 'step-start', step, attempt }
}
