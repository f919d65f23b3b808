import type { Failure } from '../core/events.js'
import type { ModelDelta } from '../models/model.js'
import { fromFailure, toFailure, type HandrailError } from '../errors.js'
import type { Agent } from './agent.js'
import { watchDeadline } from './deadline.js'
import { drive } from './drive.js'
import type { RunLog } from './log.js'
import type { SessionMemory } from './memory.js'
import { performWith } from './perform.js'
import { LiveScripts } from './live-scripts.js'
import type { RunPorts } from './ports.js'
import type { ScriptProgress } from './protocol.js'

export interface DriverHandlers {
  onDelta(delta: ModelDelta): void
  onProgress(progress: ScriptProgress): void
  onFailure(failure: Failure): void
  newest(): RunLog
}

/** One drive loop over one run, in one epoch. Once it has stopped, the log is driven again only after it was read again. */
export class Driver {
  readonly #stop = new AbortController()
  readonly #scripts = new LiveScripts()

  constructor(
    private readonly agent: Agent,
    private readonly log: RunLog,
    private readonly memory: SessionMemory,
    private readonly handlers: DriverHandlers,
  ) {
    void this.#drive()
  }

  stop(reason: HandrailError): void {
    this.log.close(reason)
    this.#stop.abort()
  }

  async #drive(): Promise<void> {
    const endDeadline = watchDeadline(this.log, this.agent.platform.now)
    try {
      await drive(this.log, performWith(await this.#ports()), this.#stop.signal)
    } catch (error) {
      if (this.#stop.signal.aborted) return
      const failure = toFailure(error, 'internal')
      this.log.close(fromFailure(failure))
      this.handlers.onFailure(failure)
    } finally {
      endDeadline()
      this.#scripts.endAll()
    }
  }

  async #ports(): Promise<RunPorts> {
    const { agent, log, memory, handlers } = this
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
      scripts: this.#scripts,
    }
  }
}
