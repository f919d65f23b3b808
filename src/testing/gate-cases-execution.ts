import { ToolError } from '../errors.js'
import { byRisk, giveBack, lookUp, read, write } from './case-tools.js'
import type { CaseTool, GateCase } from './gate-case.js'

const never = () => new Promise<never>(() => undefined)
const busy = () => {
  throw new ToolError('busy', 'Try again', { retryable: true })
}
const noted = { type: 'object', properties: { note: { type: 'string' } }, required: ['note'] } as const

/** What comes of a call that runs, and what it means for the next. */
export const executionCases: readonly GateCase[] = [
  {
    name: 'the same write asks again, and says why',
    tools: () => [write({ approval: { needed: false } })],
    before: [giveBack],
    call: giveBack,
    expected: { outcome: 'ok', asked: [['repeat']], runs: 1 },
  },
  {
    name: 'a write that may not be repeated is not',
    tools: () => [write({ approval: { needed: false }, once: { repeat: 'deny' } })],
    before: [giveBack],
    call: giveBack,
    expected: { outcome: 'denied', code: 'repeated', runs: 0 },
  },
  {
    name: 'while the outcome of a write is unknown, another asks',
    tools: () => [
      write({ approval: { needed: false } }),
      write({ name: 'pay', approval: { needed: false }, limits: { timeout: 20 }, run: never }),
    ],
    before: [{ tool: 'pay', input: { id: 'O-1' } }],
    call: giveBack,
    expected: { outcome: 'ok', asked: [['unknown']], runs: 1 },
  },
  {
    name: 'a read that takes too long ends as timeout',
    tools: () => [read({ limits: { timeout: 20 }, run: never })],
    call: lookUp,
    expected: { outcome: 'timeout', code: 'timeout', runs: 1 },
  },
  {
    name: 'a write that takes too long ends as unknown, and as no error',
    tools: () => [write({ limits: { timeout: 20 }, run: never })],
    call: giveBack,
    expected: { outcome: 'unknown', code: 'outcome_unknown', asked: byRisk, runs: 1 },
  },
  {
    name: 'a write that breaks ends as unknown',
    tools: () => [
      write({
        run() {
          throw new Error('The connection was reset')
        },
      }),
    ],
    call: giveBack,
    expected: { outcome: 'unknown', code: 'outcome_unknown', asked: byRisk, runs: 1 },
  },
  {
    name: 'a tool refuses, and did nothing',
    tools: () => [
      write({
        run() {
          throw new ToolError('too_late', 'It was sent')
        },
      }),
    ],
    call: giveBack,
    expected: { outcome: 'error', code: 'too_late', asked: byRisk, runs: 1 },
  },
  {
    name: 'a read that fails for now is tried again, within its bound',
    tools: () => [read({ limits: { retries: 1 }, run: failing(1) })],
    call: lookUp,
    expected: { outcome: 'ok', runs: 2 },
  },
  {
    name: 'a read is not tried again without end',
    tools: () => [read({ limits: { retries: 1 }, run: busy })],
    call: lookUp,
    expected: { outcome: 'error', code: 'busy', runs: 2 },
  },
  {
    name: 'a write is not tried again',
    tools: () => [write({ run: busy })],
    call: giveBack,
    expected: { outcome: 'error', code: 'busy', asked: byRisk, runs: 1 },
  },
  {
    name: 'a read whose output is too large fails',
    tools: () => [read({ limits: { output: 100 }, run: () => 'x'.repeat(200) })],
    call: lookUp,
    expected: { outcome: 'error', code: 'output_invalid', runs: 1 },
  },
  {
    name: 'a read whose output does not fit its schema fails',
    tools: () => [read({ output: noted, run: () => ({ note: 1 }) as never })],
    call: lookUp,
    expected: { outcome: 'error', code: 'output_invalid', runs: 1 },
  },
  {
    name: 'a write whose output does not fit its schema took effect',
    tools: () => [write({ output: noted, run: () => ({ note: 1 }) as never })],
    call: giveBack,
    expected: { outcome: 'ok', asked: byRisk, runs: 1 },
  },
  {
    name: 'a budget of calls that is used up calls nothing',
    tools: () => [read(), read({ name: 'search' })],
    beside: [{ tool: 'search', input: { id: 'O-1' } }],
    budget: { calls: 1 },
    call: lookUp,
    expected: { outcome: 'denied', code: 'budget_exceeded', runs: 0 },
    // The script itself is over it.
    differs: { script: { outcome: 'none', code: undefined } },
  },
]

/** Fails so often, and then gives something. */
function failing(times: number): CaseTool['run'] {
  let left = times
  return () => (left-- > 0 ? busy() : 'found')
}
