import type { Played } from './kill-runs.js'

/** What is needed to understand a run that broke a promise. */
export function describePage({ plan, kills, faults, stored }: Played): string {
  const log = stored.flatMap(({ runId, events }) => [
    `  run ${runId}`,
    ...events.map((event, seq) => `    ${seq} ${JSON.stringify(event).slice(0, 200)}`),
  ])
  return [
    `Page ${plan.name}, write ${plan.write}, ${plan.tabs.length} tabs`,
    `  planned ${JSON.stringify(plan.tabs)}`,
    ...kills.map((kill) => `  killed ${kill.what}, ${kill.hit.length} runs open`),
    ...faults.map((fault) => `  FAULT ${fault}`),
    ...log,
  ].join('\n')
}

export function summarize(pages: readonly Played[]): string {
  const sum = (numberOf: (page: Played) => number) => pages.reduce((total, page) => total + numberOf(page), 0)
  const moments = sum(({ kills }) => kills.reduce((total, { hit }) => total + hit.length, 0))
  const kills = sum((page) => page.kills.length)
  return `${sum(({ hit }) => hit)} runs killed at ${moments} moments by ${kills} kills, ${sum(({ cut }) => cut)} writes cut`
}
