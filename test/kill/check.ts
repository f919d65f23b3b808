import type { RunEvent } from '../../src/core/events.js'
import { fold } from '../../src/core/state.js'
import { transcript } from '../../src/core/transcript.js'
import type { SessionReport, TabReport } from './page.js'
import type { Plan } from './plan.js'
import type { StoredRun } from './stored.js'
import { toText } from './to-text.js'

/** What was promised and not kept in a session that was killed: nothing, if all is well. */
export function faultsOf(plan: Plan, id: string, tabs: readonly TabReport[]): string[] {
  const { requests, effects } = tabs[0]!
  const views = tabs.map(({ sessions }) => sessions.find((session) => session.id === id))
  const stored = views[0]?.stored ?? []
  const faults = views.flatMap((view, tab) => viewFaults(view, stored).map((fault) => `tab ${tab} ${fault}`))
  const expectThat = (holds: boolean, otherwise: string) => {
    if (!holds) faults.push(otherwise)
  }
  const own = effects.filter((effect) => stored.some(({ runId }) => runId === effect.runId))
  expectThat(own.length === 1, `The order was placed ${own.length} times`)
  expectThat(sumOfReads(stored) === countOf(own[0]?.input), 'The order is not for what the script has read')
  for (const { runId, events } of stored) {
    expectThat(fold(events).status === 'completed', `run ${runId} is ${fold(events).status}`)
    if (plan.write !== 'plain')
      for (const callId of unknownIn(events)) faults.push(`run ${runId}: ${callId} is unknown, and could be found out`)
    for (const fault of callFaults(plan, runId, events, requests)) faults.push(`run ${runId}: ${fault}`)
    for (const key of okWrites(runId, events))
      expectThat(
        own.some((effect) => effect.key === key),
        `${key} is ok in the log, and was not done`,
      )
  }
  const messages = transcript(stored.flatMap(({ events }) => events)).messages
  const asked = messages.flatMap((message) => (message.role === 'assistant' ? message.calls.map(({ key }) => key) : []))
  const answered = messages.flatMap((message) => (message.role === 'tool' ? [message.call.key] : []))
  expectThat(
    toText(asked) === toText(answered),
    `The model asked for ${asked.join()} and was answered ${answered.join()}`,
  )
  return faults
}

function viewFaults(view: SessionReport | undefined, stored: readonly StoredRun[]): string[] {
  if (!view) return ['does not show the session']
  const shown = view.runs.map(({ runId, events }) => ({ runId, events }))
  return [
    ...(toText(shown) === toText(stored) ? [] : ['shows other logs than are stored']),
    ...view.runs.flatMap(({ runId, state }, i) =>
      state === toText(fold(stored[i]?.events ?? [])) ? [] : [`has another state of run ${runId}`],
    ),
  ]
}

function callFaults(plan: Plan, runId: string, events: readonly RunEvent[], requests: TabReport['requests']): string[] {
  const faults: string[] = []
  const of = (type: RunEvent['type'], callId: string) =>
    events.filter((event) => event.type === type && 'callId' in event && event.callId === callId)
  for (const { callId, mode } of decisionsOf(events).values()) {
    const starts = of('tool-start', callId).length
    const results = of('tool-result', callId).length
    const asked = requests.filter((request) => request.runId === runId && request.callId === callId).length
    if (results !== 1) faults.push(`${callId} has ${results} results`)
    if (mode === 'write' && starts > 1) faults.push(`${callId} is a write, and was started ${starts} times`)
    const epochs = events.filter(({ type }) => type === 'lease-start').length
    const most = mode === 'write' && plan.write === 'idempotent' ? starts * (1 + epochs) : starts
    if (asked > most) faults.push(`${callId} was started ${starts} times, and its tool asked ${asked} times`)
  }
  return faults
}

/** Writes that were interrupted: started under one epoch, and not settled when the next began. */
export function cutWrites(events: readonly RunEvent[]): string[] {
  const decisions = decisionsOf(events)
  const started = new Set<string>()
  const cut = new Set<string>()
  for (const event of events) {
    if (event.type === 'tool-start' && decisions.get(event.callId)?.mode === 'write') started.add(event.callId)
    if (event.type === 'tool-result') started.delete(event.callId)
    if (event.type === 'lease-start') for (const callId of started) cut.add(callId)
  }
  return [...cut]
}

const unknownIn = (events: readonly RunEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'tool-result' && event.outcome === 'unknown' ? [event.callId] : []))

const decisionsOf = (events: readonly RunEvent[]) =>
  new Map(events.flatMap((event) => (event.type === 'tool-decision' ? [[event.callId, event] as const] : [])))

const okWrites = (runId: string, events: readonly RunEvent[]): string[] => {
  const decisions = decisionsOf(events)
  return events.flatMap((event) =>
    event.type === 'tool-result' && event.outcome === 'ok' && decisions.get(event.callId)?.mode === 'write'
      ? [`${runId}:${event.callId}`]
      : [],
  )
}

/** Of the three reads that the script made at once, as they are in the log. */
const sumOfReads = (stored: readonly StoredRun[]): number =>
  ['1.0/0', '1.0/1', '1.0/2'].reduce((sum, callId) => {
    const result = stored[0]?.events.find((event) => event.type === 'tool-result' && event.callId === callId)
    return sum + countOf(result?.type === 'tool-result' ? result.output : undefined)
  }, 0)

const countOf = (value: unknown): number => (value as { count?: number } | undefined)?.count ?? Number.NaN
