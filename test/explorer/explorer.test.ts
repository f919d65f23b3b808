import { describe, expect, it } from 'vitest'
import { explore } from './explore.js'
import { mutants } from './mutants.js'
import { toOptions } from './mutate.js'
import { scenarios } from './scenarios.js'

/** With two disturbances, the others with one. `npm run explore` takes all with as many as one wants. */
const twice: ReadonlySet<string> = new Set([
  'two asked writes',
  'asked read after a write',
  'script, then a direct write',
  'hosted program',
  'a plain write, then a second step',
  'an answer in doubt, then a write',
  'a write that can be looked up, then another',
  'an unknown write beside another',
  'the same write again',
  'modes that change, with a slow gate',
  'one request a step',
])
/** States of those that are explored in part. */
const inPart: Readonly<Record<string, number>> = {
  'script that ends with calls open': 6_000,
  'for the rest of a script': 3_000,
  'for the rest of one of two scripts': 3_000,
  'for the rest, with reads that start together': 3_000,
}

describe('the core keeps its invariants whatever happens', () => {
  for (const scenario of scenarios)
    it(`in: ${scenario.name}`, { timeout: 180_000 }, () => {
      const limit = inPart[scenario.name]
      const trouble = twice.has(scenario.name) ? 2 : 1
      const { violations, isComplete, ends } = explore(scenario, { trouble, ...(limit !== undefined && { limit }) })
      expect(Object.fromEntries(violations)).toEqual({})
      expect(isComplete).toBe(limit === undefined)
      expect(ends > 0 || !isComplete).toBe(true)
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
