import { describe, expect, it } from 'vitest'
import { explore } from './explore.js'
import { mutants } from './mutants.js'
import { toOptions } from './mutate.js'
import { scenarios } from './scenarios.js'

/** States of a scenario. `npm run explore` knows no limit. */
const limit = 25_000
/** Those that are explored in part here: disturbances and states. */
const inPart: Readonly<Record<string, [trouble: number, limit: number]>> = {
  'script that ends with calls open': [2, limit],
  'for the rest of a script': [1, 4_000],
  'for the rest, one after the other': [1, 4_000],
  'for the rest of one of two scripts': [1, 4_000],
  'for the rest, with reads that start together': [1, 4_000],
  'modes that change, with approvals': [1, 4_000],
}

describe('the core keeps its invariants whatever happens, with two disturbances a history', () => {
  for (const scenario of scenarios)
    it(`in: ${scenario.name}`, { timeout: 180_000 }, () => {
      const [trouble, most] = inPart[scenario.name] ?? [2, limit]
      const { violations, isComplete, ends } = explore(scenario, { trouble, limit: most })
      expect(Object.fromEntries(violations)).toEqual({})
      expect(isComplete).toBe(!(scenario.name in inPart))
      expect(ends).toBeGreaterThan(0)
    })
})

describe('the explorer notices when a rule is broken', () => {
  it.each(mutants.map((mutant) => [mutant.rule, mutant] as const))('%s', { timeout: 60_000 }, async (_, mutant) => {
    const scenario = scenarios.find(({ name }) => name === mutant.scenario)
    const { trouble } = mutant
    const { violations } = explore(scenario!, { ...(await toOptions(mutant)), trouble, untilFirst: true })
    expect(violations.size).toBeGreaterThan(0)
  })

  it('and refuses to run when a rule is no longer in the text of the core', async () => {
    const broken = { file: 'next', from: 'no such text', to: '' } as const
    const mutant = { rule: 'none', broken, scenario: '', trouble: 0 }
    await expect(toOptions(mutant)).rejects.toThrow('Cannot break src/core/next.ts')
  })
})
