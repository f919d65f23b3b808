import { createAgent, type Session } from 'handrail'
import { Disturber } from './disturber.js'
import { Ledger } from './ledger.js'
import { createModel } from './model.js'
import { beAPerson } from './person.js'
import type { Place, PlannedSession } from './plan.js'
import { Server } from './server.js'
import { readStored } from './stored.js'
import type { TabReport, SessionReport } from './tab-report.js'
import { toText } from './to-text.js'
import { createTools, settle } from './tools.js'

const query = new URLSearchParams(location.search)
const tab = Number(query.get('tab'))
const server = new Server(query.get('conductor')!, query.get('page')!, tab)

let isLeft = false
addEventListener('pagehide', () => (isLeft = true), { capture: true })
const complain = (about: string) => {
  if (!isLeft) server.complain(about)
}
addEventListener('unhandledrejection', ({ reason }) => complain(`unhandled: ${String(reason)}`))

async function play(): Promise<void> {
  const [ledger, { plan, done }] = await Promise.all([Ledger.open(), server.plan()])
  const sessions = new Map<string, Session>()
  const all = () => [...sessions.values()]
  const disturber = new Disturber({
    disturbances: plan.tabs[tab]!,
    done,
    hit: (open) => server.hit(open),
    openSessions: () => all().flatMap(({ id, openRun }) => (openRun ? [id] : [])),
  })
  const agent = createAgent({
    model: createModel(complain),
    instructions: 'Order parts.',
    tools: createTools({
      ledger,
      server,
      reach: (point) => disturber.reach(point),
      request: (toolName, { runId, callId }) => {
        const events = all().flatMap(({ runs }) => runs.find(({ id }) => id === runId)?.events ?? [])
        if (events.some((event) => event.type === 'tool-result' && event.callId === callId))
          complain(`${toolName} ${callId} was asked to run after its result`)
      },
    }),
    owner: 'ann',
    limits: { cpuMs: 1_000 },
    // Each end of a worker cuts the requests of all the runs on it.
    budget: { attempts: 20 },
    worker: () =>
      disturber.adopt(new Worker(new URL('./agent.worker.ts', import.meta.url), { type: 'module', name: 'chaos' })),
  })
  const isDisturbedStore = plan.tabs.flat().some(({ victim }) => victim === 'space' || victim === 'transaction')
  const inSession = async ({ id, start, shape, write }: PlannedSession) => {
    await new Promise((resolve) => setTimeout(resolve, start))
    const [place] = write.split('_') as [Place]
    for (;;) {
      const session = agent.session(id)
      sessions.set(id, session)
      session.subscribe((run, update) => {
        if (update?.type === 'event') server.see([run.id, update.seq, update.event.type, update.event.at])
        disturber.update(update)
      })
      const isOrdered = await beAPerson({
        session,
        order: { session: id, shape, write },
        starts: tab === 0,
        mayFail: isDisturbedStore,
        onApprove: () => void disturber.reach('approve'),
        settle: (key) => untilAnswered(async () => (await settle({ ledger, server }, place, key)) !== undefined),
        complain,
      })
      if (isOrdered) return
      session.close()
    }
  }
  const reportNow = async (): Promise<TabReport> => ({
    took: Math.round(performance.now()),
    sessions: await Promise.all(all().map(reportOf)),
    requests: await ledger.requests(),
    effects: await ledger.effects(),
  })
  Object.assign(globalThis, { reportNow })
  await Promise.all(plan.sessions.map(inSession))
  await disturber.end()
  await server.report(await reportNow())
}

/** A person who gets no answer from the server asks again. */
async function untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

const reportOf = async ({ id, runs }: Session): Promise<SessionReport> => ({
  id,
  stored: await readStored(id),
  runs: runs.map((run) => ({ runId: run.id, events: run.events, state: toText(run.state) })),
})

play().catch((error: unknown) => complain(`the tab failed: ${String(error)}`))
