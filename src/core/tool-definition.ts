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
  /** The tool has a check of its own, which the gate asks before each start. */
  readonly checked?: boolean
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
