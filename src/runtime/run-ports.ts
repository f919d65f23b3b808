import type { ModelDelta } from '../models/model.js'
import type { Agent } from './agent.js'
import { checkRoom } from './check-room.js'
import type { LiveScripts } from './live-scripts.js'
import type { RunLog } from './log.js'
import type { SessionMemory } from './memory.js'
import type { GatePorts, RunPorts } from './ports.js'
import type { ScriptProgress } from './protocol.js'
import { defaultPolicy } from '../tools/gate/rules.js'

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
  return {
    ...(await gatePortsOf(agent, log, memory)),
    validator: agent.validator,
    model: () => agent.model(),
    sandbox: agent.sandbox,
    limits: agent.limits,
    now: agent.platform.now,
    checkRoom: () => checkRoom(agent),
    search: (tools) => agent.search(tools),
    onDelta: (delta) => handlers.onDelta(delta),
    onProgress: (progress) => handlers.onProgress(progress),
    newest: () => handlers.newest(),
    scripts,
  }
}

/** What the gate is asked with about a call of a run. */
export async function gatePortsOf(agent: Agent, log: RunLog, memory: SessionMemory): Promise<GatePorts> {
  const hash = log.state.header?.contextHash
  const stored = hash && hash !== agent.contextHash ? await agent.store.getContext(hash) : undefined
  const { tools, page, setup } = agent
  return {
    log,
    memory,
    context: stored ?? agent.context,
    tools,
    page,
    policy: { ...defaultPolicy, ...setup.policy },
    guards: setup.guards,
  }
}
