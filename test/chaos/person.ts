import { HandrailError, type Run, type Session } from 'handrail'
import { placed, type Order } from './model.js'

export interface PersonPorts {
  readonly session: Session
  readonly order: Order
  /** Only one of the tabs starts runs: nobody types in two at once. */
  readonly starts: boolean
  /** Appends fail in this plan. */
  readonly mayFail: boolean
  readonly onApprove: () => void
  /** What became of an interrupted write: whether it was done; if not, it never will be. */
  readonly settle: (key: string) => Promise<boolean>
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
  'session_closed',
  'lease_lost',
  'session_reloaded',
])
const failing = new Set(['store_full', 'store_failed'])

/**
 * Sits before the tab: starts the run, answers each ask once for its hash, looks up interrupted writes and says what became of
 * them, until all is ordered.
 * @returns whether it is; else the session cannot go on here, and has to be opened again.
 */
export async function beAPerson(ports: PersonPorts): Promise<boolean> {
  const { session, order, starts, mayFail, complain } = ports
  const busy = new Set<string>()
  const answered = new Set<string>()
  let isFailed = false
  const fail = (what: string) => (error: unknown) => {
    const code = HandrailError.is(error) ? error.code : ''
    if (failing.has(code) && mayFail) isFailed = true
    else if (!passing.has(code)) complain(`${what}: ${String(error)}`)
  }
  const once = (id: string, work: () => Promise<unknown>) => {
    if (busy.has(id)) return
    busy.add(id)
    work()
      .then(() => {
        if (answered.has(id)) complain(`${id} was accepted twice`)
        answered.add(id)
      }, fail(id))
      .finally(() => busy.delete(id))
  }
  const watched = new Set<Run>()
  await session.opened.catch(fail('open'))
  while (!isFailed && !isDone(session)) {
    const last = session.runs.at(-1)
    for (const run of session.runs) {
      if (!watched.has(run)) run.answer.catch(fail(`run ${run.id} ended`))
      watched.add(run)
      answer(ports, run, once)
    }
    const isWaiting = session.openRun !== undefined || session.runs.some((run) => unanswered(session, run).length > 0)
    if (starts && !isWaiting && busy.size === 0) session.run(last ? 'Go on.' : JSON.stringify(order))
    await change(session)
  }
  return !isFailed
}

function answer({ session, order, onApprove, settle }: PersonPorts, run: Run, once: Once): void {
  for (const { callId, hash } of run.approvals)
    once(`approval of ${run.id}:${callId} ${hash}`, async () => {
      // Where the calls of a script come one after the other, the first answer is for all of them.
      const rest = order.shape === 'loop' && callId.includes('/') ? { rest: forTheRest } : {}
      const approving = run.approve(callId, { hash, ...rest })
      onApprove()
      await approving
    })
  for (const callId of unanswered(session, run))
    once(`reconciliation of ${run.id}:${callId}`, async () => {
      const isDone = await settle(`${run.id}:${callId}`)
      await run.reconcile(callId, isDone)
    })
}

const forTheRest = { count: 2, fixed: ['/session'] }

type Once = (id: string, work: () => Promise<unknown>) => void

/** Writes of unknown outcome of which this person has not said yet what became of them. */
function unanswered({ runs }: Session, run: Run): string[] {
  const told = new Set<string>()
  for (const { id, events } of runs)
    for (const event of events) if (event.type === 'tool-reconciled') told.add(`${event.runId ?? id}:${event.callId}`)
  return run.unknown.flatMap(({ callId }) => (told.has(`${run.id}:${callId}`) ? [] : [callId]))
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
