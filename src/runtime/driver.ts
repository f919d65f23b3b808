import type { Failure } from '../core/events.js'
import { fromFailure, toFailure, type HandrailError } from '../errors.js'
import type { Agent } from './agent.js'
import { watchDeadline } from './deadline.js'
import { drive } from './drive.js'
import { watchExpiry } from './expiry.js'
import type { RunLog } from './log.js'
import type { SessionMemory } from './memory.js'
import { performWith } from './perform.js'
import { LiveScripts } from './live-scripts.js'
import { portsOf, type PortHandlers } from './run-ports.js'

export interface DriverHandlers extends PortHandlers {
  onFailure(failure: Failure): void
}

/**
 * Begins a new epoch of an open run. When its driver did not hear that it was `cancelled`, that comes before all that is due.
 * @returns whether it can be driven
 */
export async function beginEpoch(log: RunLog, cancelled: string | undefined): Promise<boolean> {
  const isTaken = await log.accept({ type: 'lease-start', epoch: log.state.epoch + 1 })
  if (isTaken && cancelled === log.runId) await log.accept({ type: 'run-stop', reason: 'cancelled' })
  return isTaken
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
    const { now } = this.agent.platform
    const watches = [watchDeadline(this.log, now), watchExpiry(this.log, now)]
    try {
      const ports = await portsOf(this.agent, this.log, this.memory, this.#scripts, this.handlers)
      await drive(this.log, performWith(ports), this.#stop.signal)
    } catch (error) {
      if (this.#stop.signal.aborted) return
      const failure = toFailure(error, 'internal')
      this.log.close(fromFailure(failure))
      this.handlers.onFailure(failure)
    } finally {
      for (const end of watches) end()
      this.#scripts.endAll()
    }
  }
}
