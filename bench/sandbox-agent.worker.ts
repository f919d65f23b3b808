import type { Outcome } from './compare.js'

/** What the page asks of the worker that stands where the agent worker does. */
export type SandboxBenchRequest = 'engines' | 'threads' | { readonly scripts: number }
export type SandboxBenchAnswer =
  | { readonly comparison: Outcome }
  | { readonly done: number }
  | { readonly error: string }

const answer = (message: SandboxBenchAnswer): void => postMessage(message)

addEventListener('message', ({ data }: MessageEvent<SandboxBenchRequest>) => {
  measure(data).then(
    (done) => answer({ done }),
    (error: unknown) => answer({ error: error instanceof Error ? `${error.message}\n${error.stack}` : String(error) }),
  )
})

async function measure(request: SandboxBenchRequest): Promise<number> {
  if (typeof request === 'object') return (await import('./sandbox/threads.js')).runMany(request.scripts)
  const comparisons =
    request === 'engines'
      ? (await import('./sandbox/engines.js')).measureEngines()
      : (await import('./sandbox/threads.js')).measureThreads()
  for await (const comparison of comparisons) answer({ comparison })
  return 0
}
