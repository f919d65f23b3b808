import type { JsonSchema } from './json.js'

/** What a call can do to the world. All but `read` are writes: they ask a person, run alone, and carry a key. */
export type Risk = 'read' | 'reversible' | 'irreversible' | 'sensitive'

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
}

/** What the model sees for a whole session, stored once by its hash. */
export interface Context {
  readonly instructions: string
  readonly tools: readonly ToolDefinition[]
}
