import { describe, expect, it } from 'vitest'
import type { EventBody } from '../../src/core/events.js'
import { next } from '../../src/core/next.js'
import { fold } from '../../src/core/state.js'
import { defaultBudget, estimateTokens, exceeded, nothingUsed, totalTokens } from '../../src/core/usage.js'
import type { Budget, BudgetName } from '../../src/core/usage.js'
import { approved, asked, call, calling, decided, header, settled, stamped, started, stateOf } from './log.js'

describe('exceeded()', () => {
  it('finds a budget used up when it is reached, not before', () => {
    const budget = { ...defaultBudget, steps: 2 }
    expect(exceeded(budget, { ...nothingUsed, steps: 1 })).toBeUndefined()
    expect(exceeded(budget, { ...nothingUsed, steps: 2 })).toBe('steps')
    expect(exceeded(budget, { ...nothingUsed, steps: 3, time: defaultBudget.time })).toBe('time')
  })

  it('lets a budget of Infinity never end', () => {
    const budget = { ...defaultBudget, tokens: Infinity }
    expect(exceeded(budget, { ...nothingUsed, tokens: Number.MAX_VALUE })).toBeUndefined()
  })
})

it('totalTokens() counts the prompt and the reply, and what is part of them once', () => {
  expect(totalTokens({ input: 100, output: 20, cacheRead: 80, cacheWrite: 10, reasoning: 15 })).toBe(120)
})

it('estimateTokens() rounds up', () => {
  expect([0, 1, 4, 5].map(estimateTokens)).toEqual([0, 1, 1, 2])
})

describe('what a run uses', () => {
  const usage = { input: 70, output: 30 }
  const reply = (step: number, calls: string[] = []): EventBody => {
    const finish = calls.length > 0 ? 'calls' : 'resend'
    return {
      type: 'assistant-message',
      step,
      complete: true,
      parts: [],
      calls: calls.map((id) => call(id)),
      finish,
      usage,
    }
  }

  it('counts requests, also those that were cut, and their tokens', () => {
    const cut: EventBody = { type: 'assistant-message', step: 1, complete: false, parts: [], calls: [], usage }
    const state = stateOf(...asked, cut, { type: 'step-start', step: 1, attempt: 2 }, reply(1))
    expect(state.used).toMatchObject({ steps: 2, tokens: 200 })
  })

  it('counts calls, of model and scripts, the scripts, and the bytes of results', () => {
    const state = stateOf(
      ...calling('1.0', '1.1'),
      decided('1.0', 'script'),
      started('1.0'),
      { type: 'script-turn', callId: '1.0', turn: 0, calls: [call('1.0/0'), call('1.0/1')] },
      { type: 'tool-result', callId: '1.0/0', outcome: 'ok', bytes: 300 },
      { type: 'tool-result', callId: '1.0/1', outcome: 'ok' },
    )
    expect(state.used).toMatchObject({ calls: 4, scripts: 1, bytes: 300 })
  })

  const used: [name: BudgetName, limit: number][] = [
    ['time', 50],
    ['steps', 1],
    ['calls', 1],
    ['scripts', 1],
    ['tokens', 100],
    ['bytes', 10],
  ]
  it.each(used)('ends the run before its next step when %s reaches %i', (name, limit) => {
    const [, ...rest] = asked
    const log = (budget: Partial<Budget>) =>
      stateOf(
        { type: 'run-start', ...header(budget) },
        ...rest,
        reply(1, ['1.0']),
        decided('1.0', 'script'),
        started('1.0'),
        { type: 'script-turn', callId: '1.0', turn: 0, calls: [], outcome: { status: 'ok', value: 1 } },
        { type: 'tool-result', callId: '1.0', outcome: 'ok', bytes: 10, at: 50 },
      )
    expect(next(log({ [name]: limit }))).toMatchObject([{ type: 'end-run', outcome: 'budget-exceeded', budget: name }])
    expect(next(log({ [name]: limit + 1 }))).toMatchObject([{ type: 'start-step', step: 2 }])
  })

  it('fails a step that was tried as often as its budget says, and says why the last try failed', () => {
    const [, ...rest] = asked
    const failure = { code: 'model_unavailable', message: 'Overloaded', retryable: true }
    const cut: EventBody = { type: 'assistant-message', step: 1, complete: false, parts: [], calls: [], failure }
    const once = [{ type: 'run-start' as const, ...header({ attempts: 2 }) }, ...rest, cut]
    expect(next(stateOf(...once))).toMatchObject([{ type: 'start-step', step: 1, attempt: 2 }])
    const twice = stateOf(...once, { type: 'step-start', step: 1, attempt: 2 }, cut)
    expect(next(twice)).toMatchObject([{ type: 'end-run', outcome: 'failed', failure }])
  })
})

describe('the time of a run', () => {
  const at = (time: number, body: EventBody) => ({ ...body, at: time })
  const timeOf = (events: ReturnType<typeof at>[]) => fold(stamped(events)).used.time
  const begin = calling('1.0', '1.1').map((body) => at(1000, body))

  it('begins with the run, whenever that is', () => {
    expect(timeOf([])).toBe(0)
    expect(timeOf(begin)).toBe(0)
    expect(timeOf([...begin, at(1300, decided('1.0', 'read'))])).toBe(300)
  })

  it('does not count while a person is asked', () => {
    const asking = [...begin, at(1100, decided('1.0', 'write', 'ask'))]
    expect(timeOf(asking)).toBe(100)
    expect(timeOf([...asking, at(9000, approved('1.0'))])).toBe(100)
    expect(timeOf([...asking, at(9000, approved('1.0')), at(9050, started('1.0'))])).toBe(150)
  })

  it('does not count until the last of several approvals is answered', () => {
    const both = [...begin, at(1000, decided('1.0', 'write', 'ask')), at(1000, decided('1.1', 'write', 'ask'))]
    const one = [...both, at(2000, approved('1.0')), at(3000, started('1.0'))]
    expect(timeOf(one)).toBe(0)
    expect(timeOf([...one, at(4000, approved('1.1')), at(4001, settled('1.0'))])).toBe(1)
  })

  it('does not count while nobody drives', () => {
    const resumed = [...begin, at(1100, decided('1.0', 'read')), at(90_000, { type: 'lease-start', epoch: 2 })]
    expect(timeOf(resumed)).toBe(100)
    expect(timeOf([...resumed, at(90_020, started('1.0'))])).toBe(120)
  })

  it('does not run backwards with the clock', () => {
    expect(timeOf([...begin, at(500, decided('1.0', 'read')), at(510, started('1.0'))])).toBe(10)
  })
})
