import type { JsonSchema } from './json.js'

/** What a call can do to the world. All but `read` are writes: they ask a person, run alone, and carry a key. */
export type Risk = 'read' | 'reversible' | 'irreversible' | 'sensitive'

/** Who asks for a call. A program is one that the provider runs, a script one that runs here. */
export type Caller = 'model' | 'script' | 'program'

/** What the whole text of an input must match. */
export interface Grammar {
  /** `regex`: one of Rust's syntax. `lark`: a grammar in Lark's, whose start is `start`. */
  readonly syntax: 'regex' | 'lark'
  readonly definition: string
}

/** Whether the model must, may or may not call tools, and which. Without `tools`: all that it is offered. */
export interface ToolChoice {
  readonly mode: 'auto' | 'none' | 'required'
  readonly tools?: readonly string[]
}

/** What the last message of a run must be: JSON that fits a schema. */
export interface AnswerFormat {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string
  readonly description?: string
  readonly schema: JsonSchema
  /** Asks the provider to hold the model to the schema; passed on as it is. */
  readonly strict?: boolean
}

/** The serialisable half of a tool: what the model is told, and what the gate decides by. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly input: JsonSchema
  readonly output?: JsonSchema
  readonly risk: Risk
  /** The page has something to say of each input before each start: fields to fill, a check, a library's schema, its `needed`. */
  readonly checked?: boolean
  /** Top-level fields of `input` that the app fills: the model is not told of them, and may not send them. */
  readonly hostInput?: readonly string[]
  /** By path of the input: where the value must have come from, `user`, `app`, or a tool and a path of its output. */
  readonly from?: Readonly<Record<ValuePath, readonly string[]>>
  /** Values that leave the page, and come back to it, as opaque references only. */
  readonly secret?: { readonly input?: readonly ValuePath[]; readonly output?: readonly ValuePath[] }
  /** Its output is the app's own words: it is not labelled as data from elsewhere. */
  readonly trusted?: boolean
  /** It runs as the policy says also after untrusted text was read. */
  readonly safe?: boolean
  /** A read that sends its input away from the app: it asks after untrusted text was read. */
  readonly openWorld?: boolean
  readonly approval?: ApprovalRules
  /** What an identical write earlier in the session makes of a write. Absent: `ask`. */
  readonly repeat?: 'ask' | 'allow' | 'deny'
  /** Requests more that a read, or an idempotent write, may take. Absent: 0. */
  readonly retries?: number
  /** Bytes that one output may have, as JSON in UTF-8. */
  readonly largestOutput?: number
  readonly onFailure?: FailureRules
  /** The same key never has a second effect: an interrupted call may be sent again. */
  readonly idempotent?: boolean
  /** The tool can be asked whether a call with a given key took effect. */
  readonly reconciles?: boolean
  /** Milliseconds a call may take. */
  readonly timeout?: number
  /** Of a text tool, whose `input` is of type `string`. */
  readonly grammar?: Grammar
  /** Absent: everybody. Checked by the gate; what a provider makes of it is a hint. */
  readonly callers?: readonly Caller[]
  /** Asks the provider to hold the model to the schema; passed on as it is. */
  readonly strict?: boolean
  /** The model is told of it only when it searches for it. */
  readonly deferred?: boolean
  /** What the tools of its namespace are for, which is named by what stands before `__` in its name. One of them has to say it. */
  readonly namespace?: string
  /** `files` of its output, an array of `AttachedFile`, is given to the model as files. */
  readonly returnsFiles?: boolean
  /** `tools` of its output, an array of names, are deferred tools that the model is told of where its provider can. */
  readonly returnsTools?: boolean
}

/** A JSON Pointer (RFC 6901) in which a whole segment `*` is every item or field. */
export type ValuePath = string

export interface ApprovalRules {
  /** False: the risk alone does not ask, unless it is `sensitive`. True: it asks whatever the policy says. */
  readonly needed?: boolean
  /** The tool has a dry run whose result the person is shown. */
  readonly previews?: boolean
  /** Milliseconds in which it must be answered. Absent: any time. */
  readonly expires?: number
}

export interface FailureRules {
  /** False: the model is told not to try another tool in its place. */
  readonly mayTryAnother?: boolean
  /** A person must be told of it. */
  readonly tellPerson?: boolean
}

/** A tool whose input is one text, and no object. */
export const isTextTool = ({ input }: Pick<ToolDefinition, 'input'>): boolean => input.type === 'string'

/** A grammar as a model is told of it that nothing else holds to it. */
export const grammarInWords = ({ syntax, definition }: Grammar): string =>
  syntax === 'regex'
    ? `All of it must match this regular expression: ${definition}`
    : `All of it must match this Lark grammar, from its rule "start":\n${definition}`

/** What the model sees for a whole session, stored once by its hash. */
export interface Context {
  readonly instructions: string
  readonly tools: readonly ToolDefinition[]
}
