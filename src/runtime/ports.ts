import type { Context, ToolDefinition } from '../core/tool-definition.js'
import type { Model, ModelDelta } from '../models/model.js'
import type { Sandbox, ScriptLimits } from '../sandbox/script.js'
import type { Validator } from '../tools/fault.js'
import type { ToolSearch } from '../tools/search.js'
import type { ToolSet } from '../tools/tool-set.js'
import type { RunLog } from './log.js'
import type { SessionMemory } from './memory.js'
import type { LiveScripts } from './live-scripts.js'
import type { Guards, PageApi, Policy, ScriptProgress } from './protocol.js'

/** The page's half of a tool call. */
export type PageTools = Pick<PageApi, 'execute' | 'check' | 'preview' | 'guard' | 'reconcile' | 'abort'>

/** What the gate is asked with. */
export interface GatePorts {
  readonly log: RunLog
  readonly memory: SessionMemory
  readonly context: Context
  readonly tools: ToolSet
  readonly page: PageTools
  readonly policy: Policy
  readonly guards: Guards
}

/** What the effects of one run act on. */
export interface RunPorts extends GatePorts {
  readonly validator: Validator
  readonly model: () => Promise<Model>
  readonly sandbox: Sandbox
  readonly limits: ScriptLimits
  /** The log of the session's newest run: what is learnt of an earlier one is news there. */
  readonly newest: () => RunLog
  readonly now: () => number
  /** @throws {HandrailError} `store_nearly_full` */
  readonly checkRoom: () => Promise<void>
  /** Over these tools; loaded when it is first asked for. */
  readonly search: (tools: readonly ToolDefinition[]) => Promise<ToolSearch>
  readonly onDelta: (delta: ModelDelta) => void
  readonly onProgress: (progress: ScriptProgress) => void
  readonly scripts: LiveScripts
}
