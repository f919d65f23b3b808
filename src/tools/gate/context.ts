import type { Repeated, RunModes } from '../../core/approval.js'
import type { Caller, Decision, Mode, Verdict } from '../../core/events.js'
import type { Json, JsonObject } from '../../core/json.js'
import type { Leaf } from '../../core/leaves.js'
import type { Risk, ValuePath } from '../../core/tool-definition.js'
import type { ToolEntry, ToolSet } from '../tool-set.js'

/** A call as the gate sees it: one that the model, a script or a provider's program made. */
export interface GateCall {
  readonly callId: string
  readonly toolName: string
  readonly input?: Json
  /** The model's own argument text. Read when there is no `input`. */
  readonly inputText?: string
  readonly caller: Caller
  readonly executor?: 'provider'
  /** Reasons that a person was already shown for this call, each beside its rule. */
  readonly reasons?: readonly string[]
  readonly rules?: readonly string[]
}

/** What the gate knows of the run that a call belongs to. */
export interface GateContext {
  readonly tools: ToolSet
  readonly owner: string
  readonly modes: RunModes
  readonly policy: Readonly<Record<Risk, Verdict>>
  /** There are guardrails over calls: the page is asked about each. */
  readonly guardsCalls: boolean
  /** Names of the only tools that the model itself may call: the run's tool choice. */
  readonly chosen?: readonly string[]
  /** The run's tool choice is `none`. */
  readonly noTools?: boolean
  /** The budget that is used up, when the run may make no more calls. */
  readonly overBudget?: string
  /** Whether the value came from there: `user`, `app`, or a tool and a path of its output. */
  isFrom(origin: string, value: Leaf): boolean
  /** Whether a person put in what is at this path of the call's input. */
  isPersons(path: ValuePath): boolean
  /** The same write with the same input, if it was made earlier in this session. */
  repeated(toolName: string, input: Json): Repeated | undefined
  /** Writes whose outcome is unknown: while there is one, another write asks. */
  readonly openUnknown: readonly { readonly callId: string; readonly toolName: string }[]
  /** Tools whose untrusted output was read in this session, and whatever else was. */
  readonly untrusted: readonly string[]
  /** What guardrails over messages and outputs want to be asked about. */
  readonly warnings: readonly string[]
  /** What the page says of an input. Rejecting is a no, and so is an answer that is none. */
  check(toolName: string, input: Json): Promise<unknown>
}

/** Names of the rules, in the order in which they are asked. They stand in the log. */
export type RuleName =
  | 'tool'
  | 'choice'
  | 'caller'
  | 'mode'
  | 'budget'
  | 'input'
  | 'host'
  | 'from'
  | 'provider'
  | 'risk'
  | 'check'
  | 'guardrail'
  | 'repeat'
  | 'unknown'
  | 'trust'
  | 'warning'
  | 'program'
  | 'grant'

/** One reason to stop a call. `code` is of a denial. */
export interface Said {
  readonly rule: RuleName
  readonly verdict: 'ask' | 'deny'
  readonly reason: string
  readonly code?: string
}

/** What the page said of an input. */
export interface PageSaid {
  readonly filled: JsonObject
  readonly answers: readonly Said[]
  readonly needed?: boolean
}

/** A call that is allowed and valid. */
export interface Subject {
  readonly tool: Pick<ToolEntry, 'definition' | 'mode' | 'hash'>
  /** With the fields that the app filled. */
  readonly input: Json
  readonly page: PageSaid
}

/** One that throws denies. */
export interface Rule {
  readonly name: RuleName
  say(subject: Subject, context: GateContext): readonly Said[]
}

/** Of a call that has no input to be bound to. */
export const deny = (mode: Mode, rule: RuleName, code: string, message: string, retryable = false): Decision => ({
  verdict: 'deny',
  mode,
  hash: '',
  rules: [rule],
  failure: { code, message, retryable },
})
