import type { Failure, RunEvent } from '../core/events.js'
import type { AttachedFile } from '../core/attached-file.js'
import type { Json, JsonObject } from '../core/json.js'
import type { AnswerFormat, ToolChoice, ToolDefinition } from '../core/tool-definition.js'
import type { Budget } from '../core/usage.js'
import type { ModelConfig, ModelDelta, ModelReply, ModelRequest } from '../models/model.js'
import type { ScriptLimits } from '../sandbox/script.js'
import type { SessionHead } from '../store/store.js'
import type { RunModes } from '../core/approval.js'
import type { Risk, Caller } from '../core/tool-definition.js'
import type { Verdict } from '../core/events.js'
import type { CheckAnswer, ReconcileAnswer } from '../tools/tool.js'

export type { CheckAnswer, ReconcileAnswer, RunModes }

export type {
  Effort,
  GenerateOptions,
  HostedTool,
  Model,
  ModelConfig,
  ModelDelta,
  ModelReply,
  ModelRequest,
  ReplyPart,
} from '../models/model.js'
export type { ScriptLimits } from '../sandbox/script.js'
export type { SessionHead } from '../store/store.js'

/** What the agent worker offers its page. Every method answers with plain data; failures come as `Reply`. */
export interface AgentApi {
  open(setup: AgentSetup): Promise<Reply<{ engine: string }>>
  run(session: string, text: string, options: RunOptions): Promise<Reply<{ runId: string }>>
  /** Sends what the session holds, then what happens; drives an open run. Returns when the past has been sent. */
  follow(session: string): Promise<Reply<SessionView>>
  unfollow(session: string): Promise<Reply<null>>
  command(session: string, command: Command): Promise<Reply<null>>
  sessions(): Promise<Reply<SessionHead[]>>
  deleteSession(session: string): Promise<Reply<null>>
  /** The run as one file of JSON lines. */
  exportRun(runId: string): Promise<Reply<string>>
  /** Stores a run that was exported, to be read: in a session of its own, and never driven. */
  importRun(file: string): Promise<Reply<{ readonly session: string; readonly runId: string }>>
  /** Removes what a run that is over has stored; its place in the session stays. */
  deleteRun(runId: string): Promise<Reply<null>>
  /** Removes one of the oldest sessions that are beyond the limits, if there is one. Called again until it is `done`. */
  prune(limits: Retention): Promise<Reply<Pruned>>
  /** A piece of the reply that the hosted model is giving to `generate` with this id. Sent before that reply. */
  delta(id: string, delta: ModelDelta): Promise<void>
}

/** What the page offers its agent worker. */
export interface PageApi {
  /** Runs a page tool. `id` names the call for `abort`. */
  execute(id: string, call: PageCall): Promise<Reply<Json>>
  /** What the page has to say of an input, before each start. */
  check(call: CheckCall): Promise<Reply<PageCheck>>
  /** The tool's dry run, for the person who is asked. Asked only if it `previews`. */
  preview(call: CheckCall): Promise<Reply<Json>>
  /** What the guardrails over messages or outputs say. */
  guard(subject: GuardSubject): Promise<Reply<readonly RuleAnswer[]>>
  /** Whether a call with this key took effect. */
  reconcile(call: PageCall): Promise<Reply<ReconcileAnswer>>
  generate(id: string, request: ModelRequest): Promise<Reply<ModelReply>>
  abort(id: string): void
  /** What happened since the last time, in order. */
  notify(notices: readonly Notice[]): void
}

/** Nothing is thrown across threads: an error class would lose its code on the way. */
export type Reply<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: ReplyFailure }
export interface ReplyFailure extends Failure {
  /** The tool refused by a `ToolError`: nothing was done. */
  readonly refused?: boolean
  /** The tool's `run` returned, but its output could not be used: a write took effect. */
  readonly ran?: boolean
}

export interface CheckCall {
  readonly toolName: string
  /** As the model sent it; of a `preview`, with the fields that the app filled. */
  readonly input: Json
  readonly caller: Caller
  readonly session: string
  readonly runId: string
  readonly callId: string
}

export interface PageCheck {
  /** Fields of `hostInput`. A secret one is a reference that is always the same. */
  readonly filled?: JsonObject
  /** Of the library's schema, the tool's check, and its `needed`, in this order, then of the guardrails. */
  readonly answers: readonly RuleAnswer[]
  /** What `approval.needed` says of this input. */
  readonly needed?: boolean
}

/** What one rule says; `rule` is its name in the log. */
export type RuleAnswer = CheckAnswer & { readonly rule: string }

export type GuardSubject =
  | { readonly on: 'input'; readonly session: string; readonly runId: string; readonly text: string }
  | {
      readonly on: 'output'
      readonly session: string
      readonly runId: string
      readonly callId: string
      readonly toolName: string
      readonly output: Json
    }

/** Which kinds of guardrails the page has, so that it is not asked in vain. */
export interface Guards {
  readonly input: boolean
  readonly call: boolean
  readonly output: boolean
}

/** What each risk does, unless something stricter does more. */
export type Policy = Readonly<Record<Risk, Verdict>>

/** What may stay stored of sessions that are closed and have no open run. */
export interface Retention {
  /** Milliseconds since the last run was started. */
  readonly maxAge?: number
  /** Of all sessions of the owner together, as JSON in UTF-8. */
  readonly maxBytes?: number
}

export interface Pruned {
  readonly done: boolean
  /** That was removed now. */
  readonly session?: string
  readonly runs: number
  readonly bytes: number
  /** Of what is left. */
  readonly left: { readonly sessions: number; readonly bytes: number }
}

export interface AgentSetup {
  readonly owner: string
  readonly instructions: string
  readonly tools: readonly ToolDefinition[]
  readonly model: { readonly hosted: false; readonly config: ModelConfig } | HostedModel
  /** What is absent takes `defaultBudget` and `defaultLimits`. */
  readonly budget: Partial<Budget>
  readonly limits: Partial<ScriptLimits>
  /** Whether the model may run scripts. */
  readonly scripts: boolean
  readonly policy: Partial<Policy>
  readonly guards: Guards
  readonly store: 'indexeddb' | 'memory'
  readonly locale: string
  readonly timeZone: string
}
/** A model that the page hosts: the scripted model, the Prompt API. */
export interface HostedModel {
  readonly hosted: true
  readonly provider: string
  readonly model: string
}

export interface RunOptions extends RunModes {
  /** Made by the page: a request repeated because the worker died cannot start a second run. */
  readonly runId: string
  readonly toolChoice?: ToolChoice
  readonly answer?: AnswerFormat
  readonly files?: readonly AttachedFile[]
  readonly instructions?: string
}

export type Command =
  | {
      readonly type: 'approve'
      readonly runId: string
      readonly callId: string
      readonly hash: string
      readonly input?: Json
      readonly rest?: GrantRequest
    }
  | {
      readonly type: 'deny'
      readonly runId: string
      readonly callId: string
      readonly hash: string
      readonly reason?: string
      /** The other calls of this tool by the same script too. */
      readonly rest?: boolean
    }
  | { readonly type: 'mode'; readonly runId: string; readonly modes: RunModes }
  | { readonly type: 'cancel'; readonly runId: string }
  | { readonly type: 'reconcile'; readonly runId: string; readonly callId: string; readonly done: boolean }

/** For how much of the rest of its script an approval is. */
export interface GrantRequest {
  /** The most other calls of the same tool. */
  readonly count: number
  /** JSON Pointers into the input: what is there must be the same. */
  readonly fixed?: readonly string[]
}

export interface PageCall {
  readonly toolName: string
  readonly input: Json
  readonly session: string
  readonly runId: string
  readonly callId: string
  readonly idempotencyKey: string
}

/** How a script goes that is not over: for a person who watches. Told now and then, and at its end. */
export interface ScriptProgress {
  readonly callId: string
  /** Turns since it was started or resumed here. */
  readonly turns: number
  /** Line of the script, from 1, that made the last call. */
  readonly line?: number
  /** Milliseconds of CPU, of these turns. */
  readonly cpuMs: number
  /** Bytes of its isolate. */
  readonly memoryBytes: number
}

/** A session as it stands: the logs of its runs, oldest first. */
export interface SessionView {
  readonly session: string
  readonly runs: readonly { readonly runId: string; readonly events: readonly RunEvent[] }[]
}

export type Notice =
  | {
      readonly type: 'event'
      readonly session: string
      readonly runId: string
      readonly seq: number
      readonly event: RunEvent
    }
  | { readonly type: 'delta'; readonly session: string; readonly runId: string; readonly delta: ModelDelta }
  | { readonly type: 'progress'; readonly session: string; readonly runId: string; readonly progress: ScriptProgress }
  /** Its log is gone. */
  | { readonly type: 'deleted'; readonly session: string; readonly runId: string }
  /** The session cannot go on here: its store failed, or another tab drives it by force. */
  | { readonly type: 'stalled'; readonly session: string; readonly runId: string; readonly failure: Failure }
