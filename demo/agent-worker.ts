import url from 'handrail/agent.worker?worker&url'

interface PolicyFactory {
  createPolicy(name: string, policy: { createScriptURL(): string }): { createScriptURL(input: string): string }
}

/**
 * This page demands Trusted Types, and by its own worker `createAgent` finds that out by being refused, which the browser
 * reports. So the page makes the policy, for this one URL.
 */
const factory = (globalThis as { readonly trustedTypes?: PolicyFactory }).trustedTypes
const policy = factory?.createPolicy('handrail', { createScriptURL: () => url })

export const createAgentWorker = (): Worker =>
  new Worker(policy?.createScriptURL(url) ?? url, { type: 'module', name: 'handrail-agent' })
