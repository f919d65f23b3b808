import { describe, expect, it } from 'vitest'
import { HandrailError } from '../../src/errors.js'
import { say, World } from './world.js'

/** A model that asks to be asked again in a minute, then answers. */
function busy(budget = {}) {
  const asked: number[] = []
  const world = new World({
    setup: { budget },
    model: () => {
      asked.push(performance.now())
      if (asked.length > 1) return say('Now.')
      throw new HandrailError('model_rate_limit', 'Slow down', { retryable: true, retryAfter: 60_000 })
    },
  })
  return { world, asked }
}

const isCut = (event: { type: string; complete?: boolean }) => event.type === 'assistant-message' && !event.complete

describe('a wait of a minute before another attempt', () => {
  it('ends at once with a run that is cancelled', async () => {
    const { world, asked } = busy()
    const agent = await world.agent()
    await agent.run('Go')
    await agent.until(isCut)
    const start = performance.now()
    await agent.ok(agent.api.command('s', { type: 'cancel', runId: 'r1' }))
    expect(await agent.end()).toMatchObject({ outcome: 'cancelled' })
    expect(performance.now() - start).toBeLessThan(1_000)
    expect(asked).toHaveLength(1)
    expect(agent.events.filter(({ type }) => type === 'step-start')).toHaveLength(1)
  })

  it('ends at the deadline of the run', async () => {
    const { world, asked } = busy({ time: 400 })
    const clock = setInterval(() => (world.time += 20), 20)
    const agent = await world.agent()
    await agent.run('Go')
    expect(await agent.end()).toMatchObject({ outcome: 'budget-exceeded', budget: 'time' })
    clearInterval(clock)
    expect(asked).toHaveLength(1)
  })

  it('ends with its session, and is waited again by the next worker, which can be cancelled too', async () => {
    const { world, asked } = busy()
    const first = await world.agent()
    await first.run('Go')
    await first.until(isCut)
    const start = performance.now()
    await first.ok(first.api.unfollow('s'))
    const second = await world.agent()
    await second.ok(second.api.follow('s'))
    expect(asked).toHaveLength(1)
    await second.ok(second.api.command('s', { type: 'cancel', runId: 'r1' }))
    expect(await second.end()).toMatchObject({ outcome: 'cancelled' })
    expect(performance.now() - start).toBeLessThan(1_000)
  })
})
