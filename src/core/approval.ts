import type { Json } from './json.js'
import type { Risk } from './tool-definition.js'

/** What the page says may be called in a run. Enforced by the gate; what the model is offered stays as it is. */
export interface RunModes {
  /** Names of the only tools that may be called; absent: all. */
  readonly allow?: readonly string[]
  /** Nothing but reads. */
  readonly readOnly?: boolean
  /** Every call asks, reads too. */
  readonly askAll?: boolean
}

/** What a person is shown of a call that asks, beside its input and reasons. None of it is part of the hash. */
export interface AskDetail {
  /** Absent: of a tool that is not here. */
  readonly risk?: Risk
  /** Top-level fields of the input that the app filled. */
  readonly filled?: readonly string[]
  /** Where the values of the input came from; at most `mostSources`. */
  readonly sources?: readonly Source[]
  /** Tools whose untrusted output was read earlier in the session. */
  readonly untrusted?: readonly string[]
  /** What the tool's own dry run says. */
  readonly preview?: Json
  /** Why there is none. */
  readonly previewFailure?: string
  /** Milliseconds from the decision on in which it can be answered. */
  readonly expires?: number
  /** Line of the script, from 1, that asks. */
  readonly line?: number
  /** The earlier call that this one repeats. */
  readonly repeats?: Repeated
}

/** Values that a person is told the origin of. */
export const mostSources = 64

/**
 * Where the value at `path` (a JSON Pointer into the input) was seen before. `user`: in the words of the user. `app`: in the
 * instructions, or filled by the app. `tool`: in the output of a call. `person`: put in by who approved it. `model`: nowhere.
 */
export interface Source {
  readonly path: string
  readonly from: 'user' | 'app' | 'tool' | 'person' | 'model'
  readonly toolName?: string
  /** The call's key in the session, `run.step.index`. */
  readonly call?: string
  readonly trusted?: boolean
}

export interface Repeated {
  readonly call: string
  readonly outcome: 'ok' | 'unknown'
  readonly output?: Json
}

export interface ApprovalResponse {
  /** The hash that the person was shown. */
  readonly hash: string
  readonly approved: boolean
  readonly reason?: string
  readonly edit?: { readonly input: Json; readonly hash: string }
  /** For the other calls of the same script too. */
  readonly grant?: Grant
}

/** A person's answer for the rest of a script: to calls of the same tool, within these bounds. */
export interface Grant {
  readonly approved: boolean
  readonly toolName: string
  /** Hash of the tool's definition. */
  readonly tool: string
  /** The most calls, the answered one not counted. Of a denial: absent, all. */
  readonly count?: number
  /** Values that must be the same, by JSON Pointer into the input. */
  readonly fixed: Readonly<Record<string, Json>>
  /** A call with another reason asks. */
  readonly reasons: readonly string[]
  /** Whether the person knew that untrusted text had been read. */
  readonly untrusted: boolean
}
