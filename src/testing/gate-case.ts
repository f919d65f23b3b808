import type { Guardrails } from '../client/guardrails.js'
import type { RunModes } from '../core/approval.js'
import type { Outcome } from '../core/events.js'
import type { Json } from '../core/json.js'
import type { Budget } from '../core/usage.js'
import type { ReplyPart } from '../models/model.js'
import type { Policy } from '../runtime/protocol.js'
import type { Schema } from '../tools/schema.js'
import type { Tool, ToolFields } from '../tools/tool.js'

/** What `defineTool` takes: a source provides a tool like that. */
export type CaseTool = ToolFields<Schema, Schema | undefined>

export interface CaseCall {
  readonly tool: string
  readonly input?: Json
  /** The argument text, when it is not the JSON of `input`. */
  readonly inputText?: string
}

/** One promise of the gate: what is asked for, and what must come of the last call. */
export interface GateCase {
  readonly name: string
  /** New ones each time, as they may count. */
  readonly tools: (path: GatePath) => readonly CaseTool[]
  readonly message?: string
  /** Made by the model itself before the call, one in each step. */
  readonly before?: readonly CaseCall[]
  /** Made by the model itself in the same reply, before the call. */
  readonly beside?: readonly CaseCall[]
  readonly call: CaseCall
  readonly run?: RunModes
  readonly policy?: Partial<Policy>
  readonly budget?: Partial<Budget>
  readonly guardrails?: Guardrails
  /** What a person does when the call asks, the first time and after. Absent: approves. */
  readonly person?: readonly Reaction[]
  readonly expected: CaseOutcome
  /** Where a path must come to something else. A provider's program is denied whatever asks, without a word here. */
  readonly differs?: Partial<Record<GatePath['caller'], Partial<CaseOutcome>>>
  /** Callers that cannot make this call at all. */
  readonly never?: readonly GatePath['caller'][]
  /** Must be in no event, and in nothing that the model reads. */
  readonly hidden?: string
}

export type Reaction =
  | { readonly do: 'approve'; readonly input?: Json }
  /** Approves another input, and denies when that is refused. */
  | { readonly do: 'approve-or-deny'; readonly input: Json }
  | { readonly do: 'deny' }
  /** Answers for a hash that was never shown: it is refused. Then denies. */
  | { readonly do: 'forge' }
  /** Sets the modes of the run, and then approves. */
  | { readonly do: 'approve-after'; readonly modes: RunModes }
  /** Does not answer. */
  | { readonly do: 'wait' }

export interface CaseOutcome {
  /** Of the call; `none`: it never came to a decision. */
  readonly outcome: Outcome | 'none'
  readonly code?: string
  /** The rules of each time that a person was asked. */
  readonly asked?: readonly (readonly string[])[]
  /** Times that the tool ran. */
  readonly runs: number
  /** What it ran with, the last time. */
  readonly ranWith?: Json
}

/** A way on which a call comes to a tool. */
export interface GatePath {
  readonly name: string
  /** Who asks, as the gate sees it. */
  readonly caller: 'model' | 'script' | 'program'
  /** What a model says that makes this call happen. */
  readonly ask: (call: CaseCall) => readonly ReplyPart[]
  /** What the agent has beside the tools of the case: a path may need a tool of its own. */
  readonly tools?: (tools: readonly Tool[]) => readonly Tool[]
}

/** Where tools come from. */
export interface GateSource {
  readonly name: string
  /** Tools that do what these do, each with its declarations. */
  readonly provide: (tools: readonly CaseTool[]) => readonly Tool[] | Promise<readonly Tool[]>
}
