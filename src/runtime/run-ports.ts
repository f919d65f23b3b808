import type { ModelDelta } from '../models/model.js'
import type { Agent } from './agent.js'
import type { LiveScripts } from './live-scripts.js'
import type { RunLog } from './log.js'
import type { SessionMemory } from './memory.js'
import type { RunPorts } from './ports.js'
import type { ScriptProgress } from './protocol.js'

export interface PortHandlers {
  onDelta(delta: ModelDelta): void
  onProgress(progress: ScriptProgress): void
  newest(): RunLog
}

/** What the effects of a run act on, for one drive loop over it. */
export async function portsOf(
  agent: Agent,
  log: RunLog,
  memory: SessionMemory,
  scripts: LiveScripts,
  handlers: PortHandlers,
): Promise<RunPorts> {
  const hash = log.state.header?.contextHash
  const stored = hash && hash !== agent.contextHash ? await agent.store.getContext(hash) : undefined
  return {
    log,
    memory,
    context: stored ?? agent.context,
    tools: agent.tools,
    page: agent.page,
    validator: agent.validator,
    model: () => agent.model(),
    sandbox: agent.sandbox,
    limits: agent.limits,
    now: agent.platform.now,
    search: (tools) => agent.search(tools),
    onDelta: (delta) => handlers.onDelta(delta),
    onProgress: (progress) => handlers.onProgress(progress),
    newest: () => handlers.newest(),
    scripts,
  }
}
