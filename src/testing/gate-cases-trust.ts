import { ToolError } from '../errors.js'
import { byRisk, giveBack, lookUp, read, write } from './case-tools.js'
import type { GateCase } from './gate-case.js'

const key = 'sk-3f9a1c77e0b24d'
const opened = { approval: { needed: false } } as const

/** What comes from elsewhere, and what must stay. */
export const trustCases: readonly GateCase[] = [
  {
    name: 'a secret of an output reaches neither log nor model',
    tools: () => [read({ secret: { output: ['/key'] }, run: () => ({ key, note: `It is ${key}` }) })],
    call: lookUp,
    expected: { outcome: 'ok', runs: 1 },
    hidden: key,
  },
  {
    name: 'a secret of an earlier output shows in no error',
    tools: () => [
      read({ secret: { output: ['/key'] }, run: () => ({ key }) }),
      read({
        name: 'open',
        run() {
          throw new ToolError('bad_key', `The key ${key} is not known`)
        },
      }),
    ],
    before: [lookUp],
    call: { tool: 'open', input: { id: 'O-1' } },
    expected: { outcome: 'error', code: 'bad_key', runs: 1 },
    hidden: key,
  },
  {
    name: 'after text from elsewhere a write asks, though it would not',
    tools: () => [read(), write(opened)],
    before: [lookUp],
    call: giveBack,
    expected: { outcome: 'ok', asked: [['trust']], runs: 1 },
  },
  {
    name: "after the app's own words a write runs as it would",
    tools: () => [read({ trust: { output: true } }), write(opened)],
    before: [lookUp],
    call: giveBack,
    expected: { outcome: 'ok', runs: 1 },
  },
  {
    name: 'a write that is declared safe runs after text from elsewhere',
    tools: () => [read(), write({ ...opened, trust: { safe: true } })],
    before: [lookUp],
    call: giveBack,
    expected: { outcome: 'ok', runs: 1 },
  },
  {
    name: 'a read that sends its input away asks after text from elsewhere',
    tools: () => [read(), read({ name: 'fetch_page', trust: { openWorld: true } })],
    before: [lookUp],
    call: { tool: 'fetch_page', input: { id: 'O-1' } },
    expected: { outcome: 'ok', asked: [['trust']], runs: 1 },
  },
  {
    name: 'what asks anyway does not ask twice for text from elsewhere',
    tools: () => [read(), write()],
    before: [lookUp],
    call: giveBack,
    expected: { outcome: 'ok', asked: byRisk, runs: 1 },
  },
]
