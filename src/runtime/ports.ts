import type { Context } from '../core/tool-definition.js'
import type { Model, ModelDelta } from '../models/model.js'
import type { Sandbox, Script, ScriptLimits } from '../sandbox/script.js'
import type { ToolSet } from '../tools/tool-set.js'
import type { RunLog } from './log.js'
import type { SessionMemory } from './memory.js'
import type { PageApi } from './protocol.js'

/** The page's half of a tool call. */
export type PageTools = Pick<PageApi, 'execute' | 'check' | 'reconcile' | 'abort'>

/** What the effects of one run act on. */
export interface RunPorts {
  readonly log: RunLog
  readonly memory: SessionMemory
  readonly context: Context
  readonly tools: ToolSet
  readonly page: PageTools
  readonly model: () => Promise<Model>
  readonly sandbox: Sandbox
  readonly limits: ScriptLimits
  /** The log of the session's newest run: what is learnt of an earlier one is news there. */
  readonly newest: () => RunLog
  readonly onDelta: (delta: ModelDelta) => void
  /** Isolates at work, by the call that runs them. Disposable: each can be made again from the log. */
  readonly scripts: Map<string, LiveScript>
}

export interface LiveScript {
  readonly script: Script
  /** Turns it has made. */
  turn: number
}
