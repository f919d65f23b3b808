import type { Outcome } from './compare.js'

const measurements: Readonly<Record<string, () => Promise<{ measure(): Promise<Outcome[]> }>>> = {
  append: () => import('./append.js'),
  decode: () => import('./decode.js'),
  fold: () => import('./fold.js'),
  loop: () => import('./loop.js'),
  open: () => import('./open.js'),
  'page-call': () => import('./page-call.js'),
  sandbox: () => import('./sandbox.js'),
  'script-start': () => import('./script-start.js'),
}

/** What belongs to the same results, and needs a page that has no policy. */
const unguarded: typeof measurements = {
  sandbox: () => import('./sandbox/iframe.js'),
}

/** What scripts/bench.mjs calls. */
export interface BenchPage {
  readonly names: readonly string[]
  measure(name: string): Promise<Outcome[]>
  measureUnguarded(name: string): Promise<Outcome[]>
}

const bench: BenchPage = {
  names: Object.keys(measurements),
  measure: async (name) => (await measurements[name]!()).measure(),
  measureUnguarded: async (name) => (await unguarded[name]?.())?.measure() ?? [],
}

declare const trustedTypes: { createPolicy(name: 'default', policy: { createScriptURL(url: string): string }): void }

// The workers that are measured against are the benchmarks' own, and the policy of the page demands Trusted Types.
trustedTypes.createPolicy('default', { createScriptURL: (url) => url })
Object.assign(globalThis, { bench })
