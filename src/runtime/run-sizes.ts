import type { Store } from '../store/store.js'
import { pagesOf, storedJson } from './read-log.js'

/** Bytes of the logs of runs, as JSON in UTF-8. What is over is measured once. */
export class RunSizes {
  readonly #known = new Map<string, number>()

  async of(store: Store, runId: string): Promise<number> {
    const known = this.#known.get(runId)
    if (known !== undefined) return known
    const encoder = new TextEncoder()
    let bytes = 0
    let isOver = false
    for await (const records of pagesOf(store, runId))
      for (const { event } of records) {
        bytes += encoder.encode(storedJson(event)).length
        isOver ||= (event as { type?: unknown } | null | undefined)?.type === 'run-end'
      }
    if (isOver) this.#known.set(runId, bytes)
    return bytes
  }

  forget(runId: string): void {
    this.#known.delete(runId)
  }
}
