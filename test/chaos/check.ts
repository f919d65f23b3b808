import type { RunEvent } from '../../src/core/events.js'
import { canonicalJson, type Json } from '../../src/core/json.js'
import { fold } from '../../src/core/state.js'
import { transcript } from '../../src/core/transcript.js'
import { violationsOf } from '../explorer/log-invariants.js'
import type { Told } from './conductor.js'
import type { Effect } from './ledger.js'
import type { Item } from './model.js'
import type { SessionReport } from './tab-report.js'
import { partsOf, type PlannedSession } from './plan.js'
import type { StoredRun } from './stored.js'
import { toText } from './to-text.js'

/** What became of one session: of a run, in the words of the summary. */
export interface Verdict {
  readonly id: string
  /** All its runs completed, and all that was ordered was done. */
  readonly finished: boolean
  /** Effects beyond one for each key, or for each thing that was ordered. */
  readonly duplicates: readonly string[]
  /** Effects, or events that a page was told of, which are not in the log. */
  readonly lost: readonly string[]
  /** Writes that are ok in the log, and have no effect. */
  readonly invented: readonly string[]
  /** It is not over, and nobody is asked. */
  readonly stuck: boolean
  /** Times that a person had to decide what became of a write. */
  readonly asked: number
  /** Any other promise that was not kept. */
  readonly faults: readonly string[]
  readonly stored: readonly StoredRun[]
}

export function judge(told: Told, { id, shape, write }: PlannedSession, serverEffects: readonly Effect[]): Verdict {
  const { reports, seen } = told
  const views = reports.map((report) => report?.sessions.find((session) => session.id === id))
  const stored = views.find((view) => view !== undefined)?.stored ?? []
  const pageEffects = reports.find((report) => report !== undefined)?.effects ?? []
  const effects = [...pageEffects, ...serverEffects].filter(({ input }) => (input as Item).session === id)
  const log = new SessionLog(stored)
  const parts = partsOf[shape]

  const countBy = (key: (effect: Effect) => string, most: number, what: string): string[] => {
    const counts = new Map<string, number>()
    for (const effect of effects) counts.set(key(effect), (counts.get(key(effect)) ?? 0) + 1)
    return [...counts].flatMap(([name, count]) => (count > most ? [`${what} ${name} has ${count} effects`] : []))
  }
  const duplicates = [
    ...countBy(({ key }) => key, 1, 'key'),
    ...countBy(({ input }) => (input as Item).part, 1, 'the order of'),
  ]
  const lost = [
    ...effects.flatMap(({ key }) => (log.done.has(key) ? [] : [`the effect of ${key} is not in the log`])),
    ...seen.flatMap(([runId, seq, type, at]) => {
      const run = stored.find((one) => one.runId === runId)
      const event = run?.events[seq]
      return !run || (event?.type === type && event.at === at) ? [] : [`event ${seq} ${type} of ${runId} was told`]
    }),
  ]
  const keys = new Set(effects.map(({ key }) => key))
  const invented = [...log.done].flatMap((key) =>
    keys.has(key) ? [] : [`${key} is done in the log, and has no effect`],
  )

  const faults = views.flatMap((view, tab) => viewFaults(view, stored).map((fault) => `tab ${tab} ${fault}`))
  for (const { runId, events } of stored) {
    if (fold(events).status !== 'completed') faults.push(`run ${runId} is ${fold(events).status}`)
    for (const fault of violationsOf(events)) faults.push(`run ${runId}: ${fault}`)
    for (const fault of requestFaults(write, runId, events, reports[0]?.requests ?? []))
      faults.push(`run ${runId}: ${fault}`)
  }
  for (const effect of effects) {
    const input = log.inputs.get(effect.key)
    if (input !== undefined && canonicalJson(input) !== canonicalJson(effect.input as Json))
      faults.push(`${effect.key} took effect with another input than is in the log`)
  }
  for (const part of parts)
    if (!effects.some(({ input }) => (input as Item).part === part)) faults.push(`${part} were not ordered`)
  faults.push(...transcriptFaults(stored))
  const open = stored.map(({ events }) => fold(events)).filter(({ status }) => status === 'running')
  const isOver = stored.length > 0 && open.length === 0
  return {
    id,
    finished: isOver && faults.length === 0 && duplicates.length + lost.length + invented.length === 0,
    duplicates,
    lost,
    invented,
    stuck: stored.length === 0 || open.some(({ asking }) => asking === 0),
    asked: log.asked,
    faults,
    stored,
  }
}

/** What the logs of a session say of its writes, by key. */
class SessionLog {
  readonly done = new Set<string>()
  readonly inputs = new Map<string, Json>()
  asked = 0

  constructor(stored: readonly StoredRun[]) {
    for (const { runId, events } of stored) {
      const decisions = decisionsOf(events)
      for (const event of events) {
        if (event.type === 'assistant-message' || event.type === 'script-turn')
          for (const call of event.calls)
            if (call.input !== undefined) this.inputs.set(`${runId}:${call.callId}`, call.input)
        if (event.type === 'tool-start' && event.input !== undefined)
          this.inputs.set(`${runId}:${event.callId}`, event.input)
        if (event.type === 'tool-result' && event.outcome === 'ok' && decisions.get(event.callId)?.mode === 'write')
          this.done.add(`${runId}:${event.callId}`)
        if (event.type === 'tool-reconciled' && event.done) this.done.add(`${event.runId ?? runId}:${event.callId}`)
        if (event.type === 'tool-reconciled' && event.by === 'person') this.asked++
      }
    }
  }
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

/** A tool is asked as often as its call was started; an idempotent write again, in each epoch. */
function requestFaults(
  write: string,
  runId: string,
  events: readonly RunEvent[],
  requests: readonly { readonly runId: string; readonly callId: string }[],
): string[] {
  const epochs = events.filter(({ type }) => type === 'lease-start').length
  return [...decisionsOf(events).values()].flatMap(({ callId, mode }) => {
    const starts = events.filter((event) => event.type === 'tool-start' && event.callId === callId).length
    const asked = requests.filter((request) => request.runId === runId && request.callId === callId).length
    // In each epoch a request, and one more when it is not clear what became of that.
    const most = mode === 'write' && write.endsWith('idempotent') ? starts * 2 * (1 + epochs) : starts
    return asked > most ? [`${callId} was started ${starts} times, and its tool asked ${asked} times`] : []
  })
}

function transcriptFaults(stored: readonly StoredRun[]): string[] {
  const messages = transcript(stored.flatMap(({ events }) => events)).messages
  const asked = messages.flatMap((message) => (message.role === 'assistant' ? message.calls.map(({ key }) => key) : []))
  const answered = messages.flatMap((message) => (message.role === 'tool' ? [message.call.key] : []))
  return toText(asked) === toText(answered)
    ? []
    : [`The model asked for ${asked.join()} and was answered ${answered.join()}`]
}

const decisionsOf = (events: readonly RunEvent[]) =>
  new Map(events.flatMap((event) => (event.type === 'tool-decision' ? [[event.callId, event] as const] : [])))
