import { describe, expect, it } from 'vitest'
import type { EventBody, Outcome, RunEvent } from '../../src/core/events.js'
import { callsOf } from '../../src/runtime/script-calls.js'

interface Made {
  readonly tool: string
  readonly input?: string
  readonly mode?: 'read' | 'write'
  readonly outcome?: Outcome
  readonly error?: string
}

/** The log of a script that made these calls. */
function logOf(made: readonly Made[]): RunEvent[] {
  const ids = made.map((_, n) => `1.0/${n}`)
  const calls = made.map(({ tool, input = '' }, n) => ({
    callId: ids[n]!,
    toolName: tool,
    input: { input },
    caller: 'script' as const,
  }))
  const bodies: EventBody[] = [
    { type: 'script-turn', callId: '1.0', turn: 0, calls },
    ...made.flatMap(({ mode = 'read', outcome = 'ok', error }, n): EventBody[] => [
      { type: 'tool-decision', callId: ids[n]!, verdict: 'allow', mode, hash: '' },
      {
        type: 'tool-result',
        callId: ids[n]!,
        outcome,
        ...(error !== undefined && { failure: { code: 'failed', message: error, retryable: false } }),
      },
    ]),
  ]
  return bodies.map((body) => ({ ...body, at: 0 }))
}

const many = (n: number, made: Made): Made[] => Array.from({ length: n }, () => made)
const shownOf = (made: readonly Made[]) => callsOf(logOf(made), '1.0')
const textOf = (made: readonly Made[]) => JSON.stringify(shownOf(made))

describe('what a failed script had called', () => {
  it('is cut to what a model is shown, however long inputs and errors are', () => {
    const long = '"x"'.repeat(10_000)
    const made = many(500, { tool: 'get', input: long, outcome: 'error', error: long })
    expect(textOf(made).length).toBeLessThan(12_000)
  })

  it('keeps its writes before its failures, and these before other reads', () => {
    const made = [
      { tool: 'send', mode: 'write' } as const,
      ...many(300, { tool: 'get', outcome: 'error', error: 'x'.repeat(10_000) }),
      { tool: 'post', mode: 'write' } as const,
      ...many(300, { tool: 'look', input: 'y'.repeat(10_000) }),
    ]
    const [note, ...calls] = shownOf(made) as { tool: string }[]
    expect(note).toMatch(/^\d+ more calls are not shown$/)
    expect(calls.map(({ tool }) => tool)).toEqual([
      'send',
      ...many(calls.length - 2, { tool: 'get' }).map((m) => m.tool),
      'post',
    ])
    expect(calls.length).toBeGreaterThan(10)
  })

  it('is all there, in its order, when it is short', () => {
    const made = [{ tool: 'a' }, { tool: 'b', mode: 'write' }, { tool: 'c', outcome: 'denied', error: 'no' }] as const
    expect(shownOf(made)).toEqual([
      { tool: 'a', input: { input: '' }, outcome: 'ok' },
      { tool: 'b', input: { input: '' }, outcome: 'ok' },
      { tool: 'c', input: { input: '' }, outcome: 'denied', error: 'no' },
    ])
  })
})
