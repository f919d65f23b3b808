import { beforeAll, describe, expect, it } from 'vitest'
import { fewestCuts, killRuns, type Played } from './kill-runs.js'
import { writeKinds } from './plan.js'
import { describePage, summarize } from './report.js'

/** Set to repeat what went wrong, as far as the machine's timing lets it. */
const seed = Number(process.env.HANDRAIL_SEED ?? Math.floor(Math.random() * 1e6))

describe(`runs whose worker or page is killed (seed ${seed})`, () => {
  let played: Played[]
  beforeAll(async () => {
    played = await killRuns({ runs: 100, seed })
    console.log(summarize(played))
  }, 900_000)

  it('are killed a hundred times, writes of every kind in the middle', () => {
    expect(played.reduce((sum, { hit }) => sum + hit, 0)).toBeGreaterThanOrEqual(100)
    const cutOf = (kind: string) => played.reduce((sum, { plan, cut }) => sum + (plan.write === kind ? cut : 0), 0)
    expect(writeKinds.filter((kind) => cutOf(kind) < fewestCuts)).toEqual([])
  })

  it('all finish, with one request each, and every tab shows the log that is stored', () => {
    expect(
      played
        .filter(({ faults }) => faults.length > 0)
        .map(describePage)
        .join('\n'),
    ).toBe('')
  })
})
