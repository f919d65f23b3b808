import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import type { JsonObject } from '../core/json.js'
import type { Risk } from '../core/tool-definition.js'

/** Draft; see defineTool below (owned by the tools work). */
export type Schema = JsonObject | (StandardSchemaV1 & StandardJSONSchemaV1)

export interface ToolContext {
  /** Aborted when the run is cancelled or the call takes longer than its timeout. */
  readonly signal: AbortSignal
  readonly runId: string
  readonly callId: string
  /** The same for every attempt at this call: hand it to a server that keeps a ledger of keys. */
  readonly idempotencyKey: string
}
export type { Risk }
