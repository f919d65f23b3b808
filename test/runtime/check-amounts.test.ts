import { describe, expect, it } from 'vitest'
import { defaultBudget } from '../../src/core/usage.js'
import { checkAmounts } from '../../src/runtime/check-amounts.js'
import { say, World } from './world.js'

describe('checkAmounts()', () => {
  it('fills in what is not given, and what is undefined', () => {
    const given = { steps: 3, tokens: undefined } as never
    expect(checkAmounts('budget', given, defaultBudget)).toEqual({ ...defaultBudget, steps: 3 })
  })

  it.each<[given: object, says: string]>([
    [{ step: 3 }, '"budget.step" is not an option; did you mean "steps"?'],
    [{ steps: 0 }, '"budget.steps" must be a number above 0; it is 0'],
    [{ tokens: Infinity }, '"budget.tokens" must be a number above 0; it is Infinity'],
    [{ calls: '9' }, '"budget.calls" must be a number above 0; it is of type string'],
    [{ __proto__: null, wrong: 1 }, '"budget.wrong" is not an option; there are steps, attempts'],
  ])('refuses %o', (given, says) => {
    expect(() => checkAmounts('budget', given, defaultBudget)).toThrow(
      expect.objectContaining({
        code: 'invalid_options',
        message: expect.stringContaining(`Cannot open an agent: ${says}`),
      }),
    )
  })

  it.each(['budget', 'limits'])('is what an agent is opened with: %s', async (option) => {
    const world = new World({ model: () => say('Hi'), setup: { [option]: { callz: 1 } } })
    await expect(world.agent()).rejects.toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining(`"${option}.callz" is not an option; did you mean "calls"?`),
    })
  })
})
