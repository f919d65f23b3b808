import { HandrailError } from '../errors.js'

interface Policy {
  createScriptURL(url: string): string
}
interface PolicyFactory {
  createPolicy(name: string, policy: Policy): Policy
}

/**
 * Starts the agent worker that comes with this library. The form `new Worker(new URL(...))` is what bundlers look for, by its
 * text. A page that demands Trusted Types refuses it; the same form then meets a `Worker` that takes our policy's word.
 * @throws {HandrailError} `worker_failed` if the page allows no policy named `handrail`.
 */
export function spawnAgentWorker(): Worker {
  try {
    return new Worker(new URL('../../workers/agent.worker.js', import.meta.url), {
      type: 'module',
      name: 'handrail-agent',
    })
  } catch (cause) {
    const factory = (globalThis as { readonly trustedTypes?: PolicyFactory }).trustedTypes
    if (!factory) throw refusal(String(cause), cause)
    const Worker = trustedWorker(factory)
    return new Worker(new URL('../../workers/agent.worker.js', import.meta.url), {
      type: 'module',
      name: 'handrail-agent',
    })
  }
}

let policy: Policy | undefined

const trustedWorker = (factory: PolicyFactory) =>
  class extends Worker {
    constructor(url: URL, options: WorkerOptions) {
      super(trusted(factory, url.href), options)
    }
  }

/** A page may allow a name only once, so the policy is made once. It vouches for the one URL that it was made for. */
function trusted(factory: PolicyFactory, own: string): string {
  const createScriptURL = (url: string) => {
    if (url === own) return url
    throw new TypeError(`The policy "handrail" is for the agent worker, not for ${url}`)
  }
  try {
    policy ??= factory.createPolicy('handrail', { createScriptURL })
  } catch (cause) {
    throw refusal(
      'the page demands Trusted Types: add "handrail" to "trusted-types" of its Content-Security-Policy',
      cause,
    )
  }
  return policy.createScriptURL(own)
}

const refusal = (why: string, cause: unknown) =>
  new HandrailError('worker_failed', `Cannot start the agent worker: ${why}`, { cause })
