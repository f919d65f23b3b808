import type { RunEvent } from '../src/core/events.js'
import { next } from '../src/core/next.js'
import { evolve, fold, initialState } from '../src/core/state.js'
import { transcript } from '../src/core/transcript.js'
import { compare, timeOf, type Comparison, type Plan } from './compare.js'
import { createLog } from './create-log.js'

const count = 20_000

export async function measure(): Promise<Comparison[]> {
  const events = createLog(count)
  const text = JSON.stringify(events)
  const plan = (what: string, subject: string, work: () => unknown, aim?: Plan['aim']): Plan => ({
    what: `${what} of ${count} events`,
    unit: 'log',
    rounds: 15,
    subject: { what: subject, run: () => timeOf(work) },
    baseline: { what: 'JSON.parse of the same log', run: () => timeOf(() => JSON.parse(text)) },
    aim,
  })
  return [
    await compare(plan('Fold', 'fold', () => fold(events), { of: 'subject', under: 200 })),
    await compare(plan('Transcript', 'transcript', () => transcript(events))),
    await compare(plan('Live fold', 'fold with next() after each event, as the loop does', () => follow(events))),
  ]
}

function follow(events: readonly RunEvent[]): number {
  let state = initialState
  let due = 0
  for (const event of events) {
    state = evolve(state, event)
    due += next(state).length
  }
  return due
}
