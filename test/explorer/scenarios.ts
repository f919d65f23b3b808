import type { Caller, Mode, Outcome, Verdict } from '../../src/core/events.js'
import type { ToolChoice } from '../../src/core/tool-definition.js'
import type { Budget } from '../../src/core/usage.js'

export interface ModelledTool {
  readonly mode: Mode
  readonly verdict: Verdict
  /** The tool's server keeps a ledger of idempotency keys. */
  readonly keyed?: boolean
  /** It can be asked whether a call took effect, and answers "not done" only after it made sure of it. */
  readonly query?: boolean
  /** Time in which its approval must be given. */
  readonly expires?: number
}

export const tools: Readonly<Record<string, ModelledTool>> = {
  read: { mode: 'read', verdict: 'allow' },
  askRead: { mode: 'read', verdict: 'ask' },
  write: { mode: 'write', verdict: 'allow', keyed: true },
  askKeyed: { mode: 'write', verdict: 'ask', keyed: true },
  askPlain: { mode: 'write', verdict: 'ask' },
  askQuery: { mode: 'write', verdict: 'ask', query: true },
  askBrief: { mode: 'write', verdict: 'ask', expires: 10 },
  script: { mode: 'script', verdict: 'allow' },
}

/**
 * A script as a pure function of what it was fed: all its calls so far, and its outcome once it has one. `askPlain>b` is a call
 * that goes to b; the others go to a.
 */
export type Program = (fed: readonly Fed[]) => { readonly calls: readonly string[]; readonly outcome?: 'ok' | 'error' }
export interface Fed {
  readonly n: number
  readonly outcome: Outcome
}

const has = (fed: readonly Fed[], ...ns: number[]) => ns.every((n) => fed.some((one) => one.n === n))

export const programs: Readonly<Record<string, Program>> = {
  allThenWrite: (fed) => {
    if (!has(fed, 0, 1)) return { calls: ['read', 'askKeyed'] }
    return { calls: ['read', 'askKeyed', 'askPlain'], outcome: has(fed, 2) ? 'ok' : undefined }
  },
  race: (fed) => ({ calls: ['read', 'askPlain', 'read'], outcome: fed.length > 0 ? 'ok' : undefined }),
  oneWrite: ([first]) => ({ calls: ['write'], outcome: first && (first.outcome === 'ok' ? 'ok' : 'error') }),
  twoTogether: (fed) => ({ calls: ['askKeyed', 'askKeyed>b'], outcome: has(fed, 0, 1) ? 'ok' : undefined }),
  threeInTurn: (fed) => ({
    calls: ['askKeyed', 'askKeyed', 'askKeyed'].slice(0, fed.length + 1),
    outcome: has(fed, 0, 1, 2) ? 'ok' : undefined,
  }),
  oneAsked: ([first]) => ({ calls: ['askKeyed'], outcome: first && 'ok' }),
  oneThenTwoReads: (fed) => ({
    calls: fed.length === 0 ? ['askRead'] : ['askRead', 'askRead', 'askRead'],
    outcome: has(fed, 0, 1, 2) ? 'ok' : undefined,
  }),
  /** Order sensitive: the third call depends on which of two reads answers first. */
  firstWins: (fed) => {
    const third = fed.length === 0 ? [] : [fed[0]!.n === 0 ? 'read' : 'write']
    return { calls: ['read', 'read', ...third], outcome: has(fed, 0, 1, 2) ? 'ok' : undefined }
  },
}

export interface Scenario {
  readonly name: string
  /** What the model asks for in each step; after the last it answers with text. `doubt`: with a text that may not be the answer. */
  readonly steps: readonly (readonly AskedCall[] | 'resend' | 'doubt')[]
  readonly budget?: Partial<Budget>
  readonly toolChoice?: ToolChoice
  /** What the person may say for the rest of a script: one more, one more to the same, none. */
  readonly grants?: readonly ('more' | 'same' | 'none')[]
  /** The page may change the modes. */
  readonly modes?: boolean
  /** Anything may happen between the answer of the gate and the start. */
  readonly slowGate?: boolean
}
export type AskedCall = readonly [toolName: string, caller?: Caller, program?: string]

export const scenarios: readonly Scenario[] = [
  { name: 'two reads, one asked write', steps: [[['read'], ['read'], ['askKeyed']]] },
  { name: 'two asked writes', steps: [[['askPlain'], ['askKeyed']]] },
  { name: 'asked read after a write', steps: [[['write'], ['askRead']]] },
  { name: 'script: all(read, asked write), then write', steps: [[['script', 'model', 'allThenWrite']]] },
  { name: 'script that ends with calls open', steps: [[['script', 'model', 'race']]] },
  { name: 'order-sensitive script', steps: [[['script', 'model', 'firstWins']]] },
  { name: 'script, then a direct write', steps: [[['script', 'model', 'oneWrite'], ['askPlain']]] },
  { name: 'direct write, then a script', steps: [[['askPlain'], ['script', 'model', 'oneWrite']]] },
  {
    name: 'two scripts',
    steps: [
      [
        ['script', 'model', 'oneWrite'],
        ['script', 'model', 'oneWrite'],
      ],
    ],
  },
  {
    name: 'hosted program',
    steps: [
      [
        ['read', 'program'],
        ['askPlain', 'program'],
        ['write', 'program'],
      ],
    ],
  },
  { name: 'a plain write, then a second step', steps: [[['askPlain']], [['read'], ['write']]] },
  { name: 'a pause between two reads', steps: [[['read']], 'resend', [['read']]] },
  { name: 'an answer in doubt, then a write', steps: [[['read']], 'doubt', [['askPlain']], 'doubt'] },
  {
    name: 'a call that is demanded',
    steps: [[['write']], [], [['read']]],
    toolChoice: { mode: 'required', tools: ['read'] },
  },
  { name: 'an answer in doubt at the end of a budget', steps: ['doubt', 'doubt'], budget: { steps: 2 } },
  { name: 'three requests in a budget of two', steps: [[['read']], [['write']]], budget: { steps: 2 } },
  { name: 'a write that can be looked up, then another', steps: [[['askQuery']], [['write']]] },
  { name: 'an unknown write beside another', steps: [[['askPlain'], ['write']]] },
  { name: 'answers that have a time', steps: [[['askBrief'], ['askBrief', 'model', 'other']]] },
  { name: 'the same write again', steps: [[['write']], [['write']]] },
  { name: 'for the rest of a script', steps: [[['script', 'model', 'twoTogether']]], grants: ['more', 'same'] },
  {
    name: 'for the rest, one after the other',
    steps: [[['script', 'model', 'threeInTurn']]],
    grants: ['more', 'none'],
  },
  {
    name: 'for the rest of one of two scripts',
    steps: [
      [
        ['script', 'model', 'oneAsked'],
        ['script', 'model', 'oneAsked'],
      ],
    ],
    grants: ['more'],
  },
  {
    name: 'for the rest, with reads that start together',
    steps: [[['script', 'model', 'oneThenTwoReads']]],
    grants: ['more', 'none'],
    slowGate: true,
  },
  { name: 'modes that change, with a slow gate', steps: [[['read'], ['write']]], modes: true, slowGate: true },
  { name: 'modes that change, with approvals', steps: [[['askKeyed'], ['askRead']]], modes: true },
  { name: 'one request a step', steps: [[['askPlain']]], budget: { attempts: 1 } },
]
