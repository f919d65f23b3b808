import { byRisk, giveBack, lookUp, read, write } from './case-tools.js'
import type { CaseOutcome, CaseTool, GateCase } from './gate-case.js'

const denied: CaseOutcome = { outcome: 'denied', code: 'denied', runs: 0 }
const deniedWhenAsked: CaseOutcome = { ...denied, asked: byRisk }

/** What rules and persons say. */
export const approvalCases: readonly GateCase[] = [
  {
    name: 'the check of a tool denies',
    tools: () => [read({ check: () => ({ deny: 'Not on Mondays' }) })],
    call: lookUp,
    expected: denied,
  },
  {
    name: 'the check of a tool asks, also before a read',
    tools: () => [read({ check: () => ({ ask: 'It is Monday' }) })],
    call: lookUp,
    expected: { outcome: 'ok', asked: [['check']], runs: 1 },
  },
  {
    name: 'a check that throws denies',
    tools: () => [
      read({
        check() {
          throw new Error('The calendar is gone')
        },
      }),
    ],
    call: lookUp,
    expected: { outcome: 'denied', code: 'check_failed', runs: 0 },
  },
  {
    name: 'a write asks, and runs when a person approves',
    tools: () => [write()],
    call: giveBack,
    expected: { outcome: 'ok', asked: byRisk, runs: 1, ranWith: { id: 'O-1' } },
  },
  {
    name: 'a write does not run when a person denies',
    tools: () => [write()],
    call: giveBack,
    person: [{ do: 'deny' }],
    expected: deniedWhenAsked,
  },
  {
    name: 'an answer for what was never shown is no approval',
    tools: () => [write()],
    call: giveBack,
    person: [{ do: 'forge' }],
    expected: deniedWhenAsked,
  },
  {
    name: 'a request for approval expires',
    tools: () => [write({ approval: { expires: 30 } })],
    call: giveBack,
    person: [{ do: 'wait' }],
    expected: deniedWhenAsked,
  },
  {
    name: 'a person may edit the input',
    tools: () => [write()],
    call: giveBack,
    person: [{ do: 'approve', input: { id: 'O-2' } }],
    expected: { outcome: 'ok', asked: byRisk, runs: 1, ranWith: { id: 'O-2' } },
  },
  {
    name: 'an edit meets the check too',
    tools: () => [
      write({ check: (input) => ((input as { id: string }).id === 'O-2' ? { deny: 'Not that one' } : 'allow') }),
    ],
    call: giveBack,
    person: [{ do: 'approve-or-deny', input: { id: 'O-2' } }],
    expected: deniedWhenAsked,
  },
  {
    name: 'a reason that is new after the approval asks again',
    tools: () => [write({ check: first({ ask: 'It is large' }, { ask: 'It is larger now' }) })],
    call: giveBack,
    person: [{ do: 'approve' }, { do: 'deny' }],
    expected: {
      ...denied,
      asked: [
        ['risk', 'check'],
        ['risk', 'check'],
      ],
    },
  },
  {
    name: 'a check that denies after the approval denies',
    tools: () => [write({ check: first('allow', { deny: 'It was sent meanwhile' }) })],
    call: giveBack,
    expected: deniedWhenAsked,
  },
  {
    name: 'a mode that is set while a person is asked holds for the call',
    tools: () => [write()],
    call: giveBack,
    person: [{ do: 'approve-after', modes: { readOnly: true } }],
    expected: { outcome: 'denied', code: 'not_allowed', asked: byRisk, runs: 0 },
  },
  {
    name: 'a run that asks for everything asks before a read',
    tools: () => [read()],
    run: { askAll: true },
    call: lookUp,
    expected: { outcome: 'ok', asked: [['mode']], runs: 1 },
    // The script itself asks too.
    differs: { program: { outcome: 'denied', code: 'approval_required', asked: [], runs: 0 } },
  },
  {
    name: 'a policy denies a risk',
    tools: () => [write()],
    policy: { irreversible: 'deny' },
    call: giveBack,
    expected: { outcome: 'denied', code: 'not_allowed', runs: 0 },
  },
  {
    name: 'a policy lets a write run',
    tools: () => [write()],
    policy: { irreversible: 'allow' },
    call: giveBack,
    expected: { outcome: 'ok', runs: 1 },
  },
  {
    name: 'what is sensitive asks, whatever the policy says',
    tools: () => [write({ risk: 'sensitive', approval: { needed: false } })],
    policy: { sensitive: 'allow' },
    call: giveBack,
    expected: { outcome: 'ok', asked: byRisk, runs: 1 },
  },
  {
    name: 'a tool says itself whether its risk asks',
    tools: () => [write({ approval: { needed: (input: unknown) => (input as { id: string }).id !== 'O-1' } })],
    call: giveBack,
    expected: { outcome: 'ok', runs: 1 },
  },
  {
    name: 'a tool asks though the policy allows',
    tools: () => [read({ approval: { needed: true } })],
    call: lookUp,
    expected: { outcome: 'ok', asked: byRisk, runs: 1 },
  },
]

/** A check that says one thing the first time, and another after. */
function first(one: ReturnType<NonNullable<CaseTool['check']>>, then: typeof one): NonNullable<CaseTool['check']> {
  let isFirst = true
  return () => {
    const answer = isFirst ? one : then
    isFirst = false
    return answer
  }
}
