import { beforeAll, describe, expect, it } from 'vitest'
import { chaosRuns } from './chaos-runs.js'
import { describePage, happened, isFaulty, summaryOf, type Played } from './report.js'

/** Set to repeat what went wrong, as far as the machine's timing lets it. */
const seed = Number(process.env.HANDRAIL_SEED ?? Math.floor(Math.random() * 1e6))
/** Milliseconds after which no page is begun; the pages that nothing is left to luck in come first. */
const time = 90_000

describe(`runs under faults (seed ${seed})`, () => {
  let played: Played[]
  beforeAll(async () => {
    played = await chaosRuns({ runs: 5_000, seed, time })
    console.log(JSON.stringify(summaryOf(played)), JSON.stringify(happened(played)))
  }, 600_000)

  it('are disturbed in every way there is', () => {
    expect(Object.entries(happened(played)).filter(([, times]) => times === 0)).toEqual([])
  })

  it('all finish; nothing happens twice, is lost, invented or stuck', () => {
    expect(played.filter(isFaulty).map(describePage).join('\n')).toBe('')
    const { runs, finished, duplicates, lost, invented, stuck } = summaryOf(played)
    expect({ finished, duplicates, lost, invented, stuck }).toEqual({
      finished: runs,
      duplicates: 0,
      lost: 0,
      invented: 0,
      stuck: 0,
    })
  })
})
