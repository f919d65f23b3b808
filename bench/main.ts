import type { Comparison } from './compare.js'

const measurements: Readonly<Record<string, () => Promise<{ measure(): Promise<Comparison[]> }>>> = {
  append: () => import('./append.js'),
  fold: () => import('./fold.js'),
  loop: () => import('./loop.js'),
  'page-call': () => import('./page-call.js'),
  'script-start': () => import('./script-start.js'),
}

/** What scripts/bench.mjs calls. */
export interface BenchPage {
  readonly names: readonly string[]
  measure(name: string): Promise<Comparison[]>
}

const bench: BenchPage = {
  names: Object.keys(measurements),
  measure: async (name) => (await measurements[name]!()).measure(),
}

declare const trustedTypes: { createPolicy(name: 'default', policy: { createScriptURL(url: string): string }): void }

// The workers that are measured against are the benchmarks' own, and the policy of the page demands Trusted Types.
trustedTypes.createPolicy('default', { createScriptURL: (url) => url })
Object.assign(globalThis, { bench })
