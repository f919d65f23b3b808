import type { AttachedFile } from './attached-file.js'
import type { Failure } from './failure.js'
import type { Json } from './json.js'
import type { ScriptFailure, ScriptOutcome, StateChange } from './script-outcome.js'
import type { ScriptLimits } from './script-limits.js'
import type { AnswerFormat, Caller, ToolChoice } from './tool-definition.js'
import type { ApprovalResponse, AskDetail, RunModes } from './approval.js'
import type { Budget, BudgetName, Usage } from './usage.js'

/**
 * Everything that can happen in a run: 16 types. Every effect appends exactly one of them, so no append needs a batch.
 * The log stamps `at`, in milliseconds since 1970, and `chain`, which binds the event to all before it: from format 2 on.
 */
export type RunEvent = EventBody & { readonly at: number; readonly chain?: string }

export type EventBody =
  | ({ readonly type: 'run-start' } & RunHeader)
  | { readonly type: 'lease-start'; readonly epoch: number }
  | ({ readonly type: 'user-message' } & UserMessage)
  | { readonly type: 'step-start'; readonly step: number; readonly attempt: number }
  | ({ readonly type: 'assistant-message' } & AssistantMessage)
  | ({ readonly type: 'answer-check'; readonly step: number } & AnswerCheck)
  | ({ readonly type: 'script-turn'; readonly callId: string } & ScriptTurnRecord)
  | ({ readonly type: 'tool-decision'; readonly callId: string } & Decision)
  | ({ readonly type: 'approval-response'; readonly callId: string } & ApprovalResponse)
  | { readonly type: 'approval-expired'; readonly callId: string; readonly hash: string }
  | {
      readonly type: 'tool-start'
      readonly callId: string
      readonly hash: string
      readonly input?: Json
      /** The call whose approval lets this one run too. */
      readonly grant?: string
      /** Of a script: what it runs with for its whole life, wherever it is resumed. */
      readonly tools?: readonly string[]
      readonly limits?: ScriptLimits
    }
  | ({ readonly type: 'tool-result'; readonly callId: string } & ToolResult)
  | ({ readonly type: 'tool-reconciled'; readonly callId: string } & Reconciliation)
  /** What the page now says may be called, in place of all that it said before. */
  | ({ readonly type: 'mode-change' } & RunModes)
  | { readonly type: 'run-stop'; readonly reason: StopReason }
  | {
      readonly type: 'run-end'
      readonly outcome: RunOutcome
      readonly budget?: BudgetName
      readonly failure?: Failure
      readonly message?: string
    }

export const logFormat = 2

/** Whether the events of a log of this format are chained, as far as this version knows. */
export const isChained = (format: number | undefined): boolean => format === 2

const types: Readonly<Record<RunEvent['type'], true>> = {
  'run-start': true,
  'lease-start': true,
  'user-message': true,
  'step-start': true,
  'assistant-message': true,
  'answer-check': true,
  'script-turn': true,
  'tool-decision': true,
  'approval-response': true,
  'approval-expired': true,
  'tool-start': true,
  'tool-result': true,
  'tool-reconciled': true,
  'mode-change': true,
  'run-stop': true,
  'run-end': true,
}

/** Whether this version knows the type. A log of a newer format may hold others. */
export const isEventType = (type: unknown): type is RunEvent['type'] =>
  typeof type === 'string' && Object.hasOwn(types, type)

/** A log that a newer version has written: it can be shown, as far as it is understood. */
export const isNewer = (header: RunHeader | undefined): boolean => (header?.format ?? logFormat) > logFormat

export interface RunHeader extends RunModes {
  readonly format: number
  readonly runId: string
  readonly session: string
  readonly owner: string
  readonly previousRun?: string
  readonly epoch: number
  readonly model: { readonly provider: string; readonly model: string }
  /** Hash of instructions and tool definitions as the model sees them; the store holds them once. */
  readonly contextHash: string
  /** That scripts run on; absent: there are none. */
  readonly engine?: string
  readonly seed: number
  readonly locale: string
  readonly timeZone: string
  readonly budget: Budget
  /** `required` holds until the model has called one of its tools. */
  readonly toolChoice?: ToolChoice
  readonly answer?: AnswerFormat
}

export interface UserMessage {
  readonly text: string
  readonly files?: readonly AttachedFile[]
  /** The app's, from this message on. */
  readonly instructions?: string
  /** Why the input guardrails want the writes of this run to ask. */
  readonly warnings?: readonly string[]
}

export interface ToolCall {
  /** `step.index`, then `/n` for a script's: its order is the order of the run. */
  readonly callId: string
  readonly toolName: string
  /** Absent when `inputText` is not JSON. */
  readonly input?: Json
  /** The model's own argument text. */
  readonly inputText?: string
  readonly wireId?: string
  readonly caller: Caller
  /** Line of the script, from 1, that asks for it. */
  readonly line?: number
  /** The provider runs it, and asks whether it may: nothing is executed here. */
  readonly executor?: 'provider'
}
export type { Caller }

/** Pieces of a reply in the provider's order. `native` is the provider's object, sent back verbatim to the same model. */
export type Part =
  | { readonly type: 'text'; readonly text: string; readonly native?: Json }
  | { readonly type: 'reasoning'; readonly text: string; readonly native?: Json }
  | { readonly type: 'refusal'; readonly text: string; readonly native?: Json }
  | { readonly type: 'call'; readonly callId: string; readonly native?: Json }
  | { readonly type: 'other'; readonly native: Json }

/**
 * `length`: it was cut at its token limit; `context`: the conversation fills the model's window. `resend`: the provider paused,
 * and goes on when the transcript is sent again.
 */
export type FinishReason = 'stop' | 'calls' | 'length' | 'context' | 'refusal' | 'content-filter' | 'resend' | 'other'

/** Something about a reply that is in none of its parts, for a person who reads the log. */
export interface Remark {
  /** Of ours, such as `unknown_event`, `tool_choice_emulated`, `reasoning_dropped`. */
  readonly code: string
  readonly detail?: Json
}

export interface AssistantMessage {
  readonly step: number
  /** False: the stream was cut. Its calls are not run, and its text leaves the transcript when the step is tried again. */
  readonly complete: boolean
  readonly parts: readonly Part[]
  readonly calls: readonly ToolCall[]
  readonly finish?: FinishReason
  readonly usage?: Usage
  readonly failure?: Failure
  /** What the provider keeps for this conversation, as it names it: goes back with the next request to the same model. */
  readonly serverState?: Json
  readonly remarks?: readonly Remark[]
}

/** Whether a message that asks for nothing is the answer of the run. */
export interface AnswerCheck {
  readonly verdict: 'accept' | 'repair' | 'fail'
  /** To the model that has to go on. */
  readonly note?: string
  /** Why it is not. */
  readonly failure?: Failure
  /** The answer as JSON, when the run demands some. */
  readonly value?: Json
}

export interface ScriptTurnRecord {
  readonly turn: number
  readonly fed?: string
  readonly calls: readonly ToolCall[]
  readonly prints?: readonly string[]
  readonly outcome?: ScriptOutcome
  /** With an outcome: what the script changed of the session's state. */
  readonly state?: StateChange
}
export type Verdict = 'allow' | 'deny' | 'ask'
/** What the gate found the tool to be. The core has no tool set: ordering and recovery read it from the decision. */
export type Mode = 'read' | 'write' | 'script'

export interface Decision {
  readonly verdict: Verdict
  readonly mode: Mode
  /** Of tool definition, owner, checked input and reasons. */
  readonly hash: string
  readonly reasons?: readonly string[]
  /** The rules of the gate that gave the reasons, or that denied. */
  readonly rules?: readonly string[]
  /** The input as it will be executed, when it differs from what was asked. */
  readonly input?: Json
  /** Why it was denied, for the model. */
  readonly failure?: Failure
  /** Of an ask. */
  readonly detail?: AskDetail
  /** It would have asked: the call whose approval lets it run too. */
  readonly grant?: string
}

export type Outcome = 'ok' | 'error' | 'denied' | 'cancelled' | 'timeout' | 'unknown' | 'skipped'

export interface ToolResult {
  readonly outcome: Outcome
  readonly output?: Json
  /** In place of an output: that of an earlier call of the session, by its key. */
  readonly ref?: string
  /** What a script printed, as the model is shown it. */
  readonly prints?: string
  readonly failure?: Failure | ScriptFailure
  /** It took effect, but its output does not fit the tool's output schema. */
  readonly outputInvalid?: string
  /** Bytes of `output`. */
  readonly bytes?: number
  /** Output and failure are the app's own words, and no data from elsewhere. */
  readonly trusted?: boolean
  /** Why the output guardrails want later writes to ask. */
  readonly warnings?: readonly string[]
  /** Requests that were made for it, if more than one. */
  readonly attempts?: number
  /** Ours, to the model, beside what it is shown of the call. */
  readonly note?: string
  /** The tool wants a person to be told that it failed. */
  readonly tellPerson?: boolean
  /** `files` of `output` are files, which the model is given. */
  readonly hasFiles?: boolean
  /** `tools` of `output` are names of deferred tools, which the model is told of. */
  readonly hasTools?: boolean
}

/** What was learnt of a write whose outcome was unknown. A person's "done" is final, "not done" is not. */
export interface Reconciliation extends Pick<ToolResult, 'output' | 'trusted' | 'warnings'> {
  readonly toolName: string
  /** The run of the call, when it is not the run of this log. */
  readonly runId?: string
  readonly done: boolean
  readonly by: 'late' | 'person'
}

export type { Failure }

export type StopReason = 'cancelled' | 'deadline'
export type RunOutcome = 'completed' | 'cancelled' | 'failed' | 'budget-exceeded'
