import { giveBack, lookUp, read, write } from './case-tools.js'
import type { CaseOutcome, GateCase } from './gate-case.js'

const denied: CaseOutcome = { outcome: 'denied', code: 'denied', runs: 0 }
const opened = { approval: { needed: false } } as const
const note = 'The parcel is at the neighbour of number 12'

/** Of the call of the case alone: a guardrail is asked about a script too. */
const aboutRead = <Answer>(answer: () => Answer) => ({
  call: ({ toolName }: { readonly toolName: string }) => (toolName === 'look_up' ? answer() : undefined),
})

/** What an app says of all messages, calls and outputs. */
export const guardrailCases: readonly GateCase[] = [
  {
    name: 'a guardrail denies a call',
    tools: () => [read()],
    guardrails: aboutRead(() => ({ deny: 'Not this one' })),
    call: lookUp,
    expected: denied,
  },
  {
    name: 'a guardrail asks about a call',
    tools: () => [read()],
    guardrails: aboutRead(() => ({ ask: 'Is that needed?' })),
    call: lookUp,
    expected: { outcome: 'ok', asked: [['guardrail']], runs: 1 },
  },
  {
    name: 'of several guardrails the strictest counts',
    tools: () => [read()],
    guardrails: {
      call: [
        aboutRead(() => 'allow' as const).call,
        aboutRead(() => ({ deny: 'No' })).call,
        aboutRead(() => ({ ask: 'Well' })).call,
      ],
    },
    call: lookUp,
    expected: denied,
  },
  {
    name: 'a guardrail that throws denies',
    tools: () => [read()],
    guardrails: aboutRead(() => {
      throw new Error('The list of names is gone')
    }),
    call: lookUp,
    expected: denied,
  },
  {
    name: 'an output that a guardrail denies reaches nobody',
    tools: () => [read({ run: () => note })],
    guardrails: { output: () => ({ deny: 'It says where people live' }) },
    call: lookUp,
    expected: { outcome: 'error', code: 'output_denied', runs: 1 },
    hidden: note,
  },
  {
    name: 'a write whose output a guardrail denies took effect',
    tools: () => [write({ ...opened, run: () => note })],
    guardrails: { output: () => ({ deny: 'It says where people live' }) },
    call: giveBack,
    expected: { outcome: 'ok', runs: 1 },
    hidden: note,
  },
  {
    name: 'after an output that a guardrail warns of a write asks',
    tools: () => [read({ trust: { output: true } }), write(opened)],
    guardrails: { output: () => ({ ask: 'It gives orders' }) },
    before: [lookUp],
    call: giveBack,
    expected: { outcome: 'ok', asked: [['warning']], runs: 1 },
  },
  {
    name: 'after a message that a guardrail warns of a write asks',
    tools: () => [write(opened)],
    guardrails: { input: () => ({ ask: 'It was pasted' }) },
    call: giveBack,
    expected: { outcome: 'ok', asked: [['warning']], runs: 1 },
  },
  {
    name: 'a message that a guardrail denies starts nothing',
    tools: () => [write(opened)],
    guardrails: { input: () => ({ deny: 'Not here' }) },
    call: giveBack,
    expected: { outcome: 'none', runs: 0 },
    differs: { program: { outcome: 'none' } },
  },
]
