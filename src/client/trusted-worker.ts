import { HandrailError } from '../errors.js'

interface Policy {
  createScriptURL(url: string): string
}
interface PolicyFactory {
  createPolicy(name: string, policy: Policy): Policy
}

/**
 * Bundlers look for `new Worker(new URL(...))`, by its text. Where Trusted Types are demanded, that is refused; the same form then
 * meets this `Worker`, which takes our policy's word.
 * @param refused Why it was refused.
 * @throws {HandrailError} `worker_failed` if there are no Trusted Types, or none named `handrail` are allowed, then when it is called.
 */
export function trustedWorker(name: 'agent' | 'sandbox', refused: unknown) {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: PolicyFactory }
  if (!trustedTypes) throw refusal(name, String(refused), refused)
  const factory = trustedTypes
  return class extends Worker {
    constructor(url: URL, options: WorkerOptions) {
      super(trusted(name, factory, url.href), options)
    }
  }
}

let policy: Policy | undefined

/** A policy of a name may be made only once, so it is kept. It vouches for the one URL that it was made for. */
function trusted(name: 'agent' | 'sandbox', factory: PolicyFactory, own: string): string {
  const createScriptURL = (url: string) => {
    if (url === own) return url
    throw new TypeError(`The policy "handrail" is not for ${url}`)
  }
  try {
    policy ??= factory.createPolicy('handrail', { createScriptURL })
  } catch (cause) {
    const why =
      'Trusted Types are demanded: add "handrail" to "trusted-types" of the Content-Security-Policy of what starts it'
    throw refusal(name, why, cause)
  }
  return policy.createScriptURL(own)
}

const refusal = (name: string, why: string, cause: unknown) =>
  new HandrailError('worker_failed', `Cannot start the ${name} worker: ${why}`, { cause })
