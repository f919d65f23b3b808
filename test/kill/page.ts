import { createAgent, type Run, type Session } from 'handrail'
import { Killer, type DoneKill } from './killer.js'
import { Ledger, type Effect, type ToolRequest } from './ledger.js'
import { createModel } from './model.js'
import { beAPerson } from './person.js'
import type { Plan, PlannedSession } from './plan.js'
import { readStored, type StoredRun } from './stored.js'
import { toText } from './to-text.js'
import { createTools } from './tools.js'

/** What a tab knows when every order is placed. */
export interface TabReport {
  /** Milliseconds since the tab was last loaded. */
  readonly took: number
  readonly kills: readonly DoneKill[]
  readonly sessions: readonly SessionReport[]
  readonly requests: readonly ToolRequest[]
  readonly effects: readonly Effect[]
  readonly complaints: readonly string[]
}
export interface SessionReport {
  readonly id: string
  readonly stored: readonly StoredRun[]
  /** What the tab shows of them. */
  readonly runs: readonly (StoredRun & { readonly state: string })[]
}

const query = new URLSearchParams(location.search)
const plan = JSON.parse(query.get('plan')!) as Plan
const tab = Number(query.get('tab'))

/** Complaints survive the page: what went wrong before a reload is told after it. */
const complaints = JSON.parse(sessionStorage.getItem(`complaints ${plan.name}`) ?? '[]') as string[]
let isLeft = false
addEventListener('pagehide', () => (isLeft = true), { capture: true })
let fail: () => void
/** There is something to complain about: nothing that follows says more. */
const failed = new Promise<void>((resolve) => (fail = resolve))
if (complaints.length > 0) fail!()
const complain = (about: string) => {
  if (isLeft) return
  complaints.push(about)
  sessionStorage.setItem(`complaints ${plan.name}`, JSON.stringify(complaints))
  fail()
}
addEventListener('unhandledrejection', ({ reason }) => complain(`unhandled: ${String(reason)}`))

async function play(): Promise<void> {
  const ledger = await Ledger.open()
  const sessions: Session[] = []
  const killer = new Killer(plan.tabs[tab]!, `kills ${plan.name}`, () =>
    sessions.flatMap(({ id, openRun }) => (openRun ? [id] : [])),
  )
  const agent = createAgent({
    model: createModel(complain),
    instructions: 'Order parts.',
    tools: createTools(ledger, plan.write, {
      reach: (point) => killer.reach(point),
      request: (toolName, { runId, callId }) => {
        const events = sessions.flatMap(({ runs }) => runs.find(({ id }) => id === runId)?.events ?? [])
        if (events.some((event) => event.type === 'tool-result' && event.callId === callId))
          complain(`${toolName} ${callId} was asked to run after its result`)
      },
    }),
    owner: 'ann',
  })
  const inSession = async ({ id, start }: PlannedSession) => {
    await new Promise((resolve) => setTimeout(resolve, start))
    const session = agent.session(id)
    sessions.push(session)
    session.subscribe((_, update) => killer.update(update))
    watch(session)
    await beAPerson({ session, ledger, starts: tab === 0, onApprove: () => void killer.reach('approve'), complain })
  }
  const reportNow = async (): Promise<TabReport> => ({
    took: Math.round(performance.now()),
    kills: killer.done,
    sessions: await Promise.all(sessions.map(reportOf)),
    requests: await ledger.requests(),
    effects: await ledger.effects(),
    complaints,
  })
  Object.assign(globalThis, { reportNow })
  await Promise.race([Promise.all(plan.sessions.map(inSession)), failed])
  await killer.end()
  Object.assign(globalThis, { report: await reportNow() })
}

/** No run may end otherwise than completed, or be given up. */
function watch(session: Session): void {
  const watched = new Set<Run>()
  session.subscribe((run) => {
    if (watched.has(run)) return
    watched.add(run)
    run.answer.catch((error: unknown) => complain(`run ${run.id} ended: ${String(error)}`))
  })
}

const reportOf = async ({ id, runs }: Session): Promise<SessionReport> => ({
  id,
  stored: await readStored(id),
  runs: runs.map((run) => ({ runId: run.id, events: run.events, state: toText(run.state) })),
})

Object.assign(globalThis, { complaints })
play().catch((error: unknown) => complain(`the tab failed: ${String(error)}`))
