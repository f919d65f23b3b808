import { HandrailError, type Run, type Session } from 'handrail'
import type { Ledger } from './ledger.js'
import { placed } from './model.js'

export interface PersonPorts {
  readonly session: Session
  readonly ledger: Ledger
  /** Only one of the tabs starts runs: nobody types in two at once. */
  readonly starts: boolean
  readonly onApprove: () => void
  readonly complain: (about: string) => void
}

/** What a person may be told when somebody was faster, or when what answers died: they look again. */
const passing = new Set([
  'not_asking',
  'stale_approval',
  'not_unknown',
  'run_over',
  'run_open',
  'worker_died',
  'session_busy',
  'lease_lost',
  'session_reloaded',
])

/** Sits before the tab: starts the run, approves, looks up interrupted writes, and says so, until the order is placed. */
export async function beAPerson(ports: PersonPorts): Promise<void> {
  const { session, starts } = ports
  const busy = new Set<string>()
  await session.opened
  while (!isDone(session)) {
    const last = session.runs.at(-1)
    for (const run of session.runs) answer(ports, run, busy)
    const isWaiting = session.openRun !== undefined || session.runs.some((run) => unanswered(session, run).length > 0)
    if (starts && !isWaiting && busy.size === 0) session.run(last ? 'Go on.' : 'Order all parts.')
    await change(session)
  }
}

function answer({ session, ledger, onApprove, complain }: PersonPorts, run: Run, busy: Set<string>): void {
  const once = (id: string, work: () => Promise<void>) => {
    if (busy.has(id)) return
    busy.add(id)
    work()
      .catch((error: unknown) => {
        if (!HandrailError.is(error) || !passing.has(error.code)) complain(`${id}: ${String(error)}`)
      })
      .finally(() => busy.delete(id))
  }
  for (const { callId, hash } of run.approvals)
    once(`approve ${run.id}:${callId}`, async () => {
      const approving = run.approve(callId, { hash })
      onApprove()
      await approving
    })
  for (const callId of unanswered(session, run))
    once(`reconcile ${run.id}:${callId}`, async () => {
      const number = await ledger.settle(`${run.id}:${callId}`)
      await run.reconcile(callId, number !== undefined)
    })
}

/** Writes of unknown outcome of which this person has not said yet what became of them. */
function unanswered({ runs }: Session, run: Run): string[] {
  const answered = new Set<string>()
  for (const { id, events } of runs)
    for (const event of events)
      if (event.type === 'tool-reconciled') answered.add(`${event.runId ?? id}:${event.callId}`)
  return run.unknown.flatMap(({ callId }) => (answered.has(`${run.id}:${callId}`) ? [] : [callId]))
}

function isDone(session: Session): boolean {
  const { runs } = session
  const said = runs.at(-1)?.events.findLast((event) => event.type === 'assistant-message' && event.complete)
  const text = said?.type === 'assistant-message' && said.parts.find((part) => part.type === 'text')
  const isPlaced = text && 'text' in text && text.text === placed
  return Boolean(isPlaced) && !session.openRun && runs.every((run) => unanswered(session, run).length === 0)
}

const change = (session: Session): Promise<void> =>
  new Promise((resolve) => {
    const go = () => {
      stop()
      clearTimeout(timer)
      resolve()
    }
    const stop = session.subscribe(go)
    const timer = setTimeout(go, 100)
  })
