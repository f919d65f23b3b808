import type { RunEvent } from '../../src/core/events.js'
import type { Verdict } from './check.js'
import type { Told } from './conductor.js'
import { networkFaults, victims, type Plan } from './plan.js'

/** What came of a page. */
export interface Played {
  readonly plan: Plan
  readonly told: Told
  readonly verdicts: readonly Verdict[]
  /** What is wrong with the page as a whole. */
  readonly faults: readonly string[]
  /** Milliseconds. */
  readonly took: number
}

export interface Summary {
  readonly runs: number
  readonly finished: number
  readonly duplicates: number
  readonly lost: number
  readonly invented: number
  readonly stuck: number
  readonly asked: number
}

export function summaryOf(pages: readonly Played[]): Summary {
  const verdicts = pages.flatMap((page) => page.verdicts)
  const sum = (numberOf: (verdict: (typeof verdicts)[number]) => number) =>
    verdicts.reduce((total, verdict) => total + numberOf(verdict), 0)
  return {
    runs: verdicts.length,
    finished: sum(({ finished }) => Number(finished)),
    duplicates: sum(({ duplicates }) => duplicates.length),
    lost: sum(({ lost }) => lost.length),
    invented: sum(({ invented }) => invented.length),
    stuck: sum(({ stuck }) => Number(stuck)),
    asked: sum(({ asked }) => asked),
  }
}

/** How often each thing happened: to a tab that had a run open, or to a request; and starts on an answer for the rest of a script. */
export function happened(pages: readonly Played[]): Readonly<Record<string, number>> {
  const hits = pages.flatMap(({ told }) => told.hits.filter(({ sessions }) => sessions.length > 0))
  const faults = pages.flatMap(({ told }) => told.network)
  const logs = pages.flatMap(({ verdicts }) => verdicts.flatMap(({ stored }) => stored.map(({ events }) => events)))
  const isGranted = (event: RunEvent) => event.type === 'tool-start' && event.grant !== undefined
  return Object.fromEntries([
    ['granted', logs.reduce((sum, events) => sum + events.filter(isGranted).length, 0)] as const,
    ...victims.map((victim) => [victim, hits.filter((hit) => hit.victim === victim).length] as const),
    ...networkFaults.map((fault) => [fault, faults.filter((one) => one === fault).length] as const),
  ])
}

export const isFaulty = ({ verdicts, faults, told }: Played): boolean =>
  faults.length > 0 || told.complaints.length > 0 || verdicts.some(({ finished }) => !finished)

/** What is needed to understand a page on which a promise was broken. */
export function describePage({ plan, told, verdicts, faults }: Played): string {
  return [
    `Page ${plan.name}, ${plan.tabs.length} tabs`,
    `  planned ${JSON.stringify(plan.tabs)}`,
    ...told.hits.map(
      ({ victim, tab, moment, sessions }) =>
        `  ${victim} of tab ${tab} at ${JSON.stringify(moment)}, ${sessions.length} runs open`,
    ),
    ...[...faults, ...told.complaints].map((fault) => `  FAULT ${fault}`),
    ...verdicts.flatMap((verdict) => {
      if (verdict.finished) return []
      const { shape, write } = plan.sessions.find(({ id }) => id === verdict.id)!
      const broken = [
        ...verdict.duplicates.map((text) => `DUPLICATE ${text}`),
        ...verdict.lost.map((text) => `LOST ${text}`),
        ...verdict.invented.map((text) => `INVENTED ${text}`),
        ...(verdict.stuck ? ['STUCK'] : []),
        ...verdict.faults.map((text) => `FAULT ${text}`),
      ]
      const log = verdict.stored.flatMap(({ runId, events }) => [
        `    run ${runId}`,
        ...events.map((event, seq) => `      ${seq} ${JSON.stringify(event).slice(0, 240)}`),
      ])
      return [`  session ${verdict.id}, ${shape} of ${write}`, ...broken.map((text) => `    ${text}`), ...log]
    }),
  ].join('\n')
}
