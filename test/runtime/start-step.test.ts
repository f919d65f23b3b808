import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { initialState } from '../../src/core/state.js'
import { startStep } from '../../src/runtime/start-step.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const checkRoom = async () => {}

/** Milliseconds until the step has started. */
async function waited(attempt: number, { retryAfter, afterFailure = true, chance = 0 }: Record<string, unknown> = {}) {
  vi.spyOn(Math, 'random').mockReturnValue(chance as number)
  const failure = { code: 'model_unavailable', message: '', retryable: true, retryAfter: retryAfter as number }
  const log = { state: { ...initialState, step: { ...initialState.step, failure } } } as never
  const effect = { type: 'start-step', id: 'step', step: 3, attempt, afterFailure: afterFailure as boolean } as const
  const start = Date.now()
  const started = startStep({ log, checkRoom }, effect, new AbortController().signal)
  await vi.runAllTimersAsync()
  expect(await started).toEqual({ type: 'step-start', step: 3, attempt })
  return Date.now() - start
}

describe('A step that is tried again', () => {
  it('waits half a second, doubled at each attempt, up to 8 s', async () => {
    const waits = []
    for (const attempt of [2, 3, 4, 5, 6, 7, 20]) waits.push(await waited(attempt))
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000])
  })

  it('waits as long as the provider asks, be it not at all, but not longer than a minute', async () => {
    expect(await waited(2, { retryAfter: 1250 })).toBe(1250)
    expect(await waited(5, { retryAfter: 0 })).toBe(0)
    expect(await waited(2, { retryAfter: 1e12 })).toBe(60_000)
  })

  it('waits up to a half longer by chance, so that many pages do not come back together', async () => {
    expect(await waited(2, { chance: 0.999 })).toBe(749)
    expect(await waited(2, { retryAfter: 10_000, chance: 0.5 })).toBe(12_500)
  })

  it('that has not failed starts at once', async () => {
    expect(await waited(1, { afterFailure: false })).toBe(0)
  })

  it('is given up at once when it is stopped', async () => {
    const log = { state: initialState } as never
    const stop = new AbortController()
    const effect = { type: 'start-step', id: 'step', step: 1, attempt: 2, afterFailure: true } as const
    const started = startStep({ log, checkRoom }, effect, stop.signal)
    stop.abort()
    await started
    expect(vi.getTimerCount()).toBe(0)
  })
})
