import { trustedWorker } from './trusted-worker.js'

/**
 * Starts the agent worker that comes with this library.
 * @throws {HandrailError} `worker_failed` if the page allows no policy named `handrail`.
 */
export function spawnAgentWorker(): Worker {
  try {
    return new Worker(new URL('../../workers/agent.worker.js', import.meta.url), {
      type: 'module',
      name: 'handrail-agent',
    })
  } catch (cause) {
    const Worker = trustedWorker('agent', cause)
    return new Worker(new URL('../../workers/agent.worker.js', import.meta.url), {
      type: 'module',
      name: 'handrail-agent',
    })
  }
}
