import type { EventBody, RunEvent } from '../../src/core/events.js'
import { defaultBudget } from '../../src/core/usage.js'
import { HandrailError } from '../../src/errors.js'
import type { RunHead } from '../../src/store/store.js'

/** A run's head and its first event, in a list. */
export function runOf(runId: string, head: Partial<RunHead> = {}): { head: RunHead; first: [RunEvent] } {
  const whole = { runId, owner: 'ann', session: 's1', index: 0, startedAt: 1000, ...head }
  const { owner, session, startedAt } = whole
  const first: EventBody = {
    type: 'run-start',
    format: 1,
    runId,
    session,
    owner,
    epoch: 1,
    model: { provider: 'scripted', model: 'one' },
    contextHash: 'c1',
    seed: 7,
    locale: 'en',
    timeZone: 'UTC',
    budget: defaultBudget,
  }
  return { head: whole, first: [{ ...first, at: startedAt }] }
}

export const say = (text: string, at = 2000): RunEvent => ({ type: 'user-message', text, at })

/** The code that an operation is refused with. */
export async function codeOf(operation: Promise<unknown>): Promise<string> {
  try {
    await operation
  } catch (error) {
    if (HandrailError.is(error)) return error.code
    throw error
  }
  return 'none'
}
