import { describe, expect, it } from 'vitest'
import { createScenarios } from '../logs/scenarios.js'
import { replay } from '../../src/testing/replay.js'
import { record, scenarioOf } from './record.js'

describe('replay()', () => {
  it.each(createScenarios().map(({ name }) => name))('plays a recorded run again to its end: %s', async (name) => {
    const recorded = await record(scenarioOf(name))
    const result = await replay(recorded)
    expect(result.same ? 'same' : result.divergence.text).toBe('same')
    expect(result.events).toHaveLength(recorded.events.length)
  })
})
