import { WorkerLink, WorkerLost } from './worker-link.js'
import type { Isolation } from './protocol.js'

export interface WorkerPoolOptions {
  /** Makes a sandbox worker. */
  readonly spawn: () => Worker
  /** The engine, compiled. Asked again after it failed. */
  readonly module: () => Promise<WebAssembly.Module>
  readonly maxWorkers: number
}

interface Waiting {
  readonly resolve: (link: WorkerLink) => void
  readonly reject: (error: unknown) => void
}

/** Workers without a script that are kept: the one that was just used, and the next, so that scripts in a row make none. */
const idleWorkers = 2

/** Workers that have loaded the engine: one is kept warm, none is shared, and who finds none waits in line. */
export class WorkerPool {
  readonly #options: WorkerPoolOptions
  readonly #line: Waiting[] = []
  #module?: Promise<WebAssembly.Module>
  #idle: WorkerLink[] = []
  #count = 0
  #isLoading = false
  isolation?: Isolation

  constructor(options: WorkerPoolOptions) {
    this.#options = options
  }

  /** @throws {Error} when no worker can be made */
  async take(signal: AbortSignal): Promise<WorkerLink> {
    signal.throwIfAborted()
    return new Promise((resolve, reject) => {
      const waiting = { resolve, reject }
      signal.addEventListener('abort', () => {
        const at = this.#line.indexOf(waiting)
        if (at >= 0) this.#line.splice(at, 1)
        reject(signal.reason)
      })
      this.#line.push(waiting)
      this.#serve()
    })
  }

  /** Gives a worker back, without a script or lost. */
  give(link: WorkerLink): void {
    this.#idle.push(link)
    this.#serve()
  }

  /** Makes a worker, if none is idle. */
  warm(): void {
    if (this.#idle.length === 0 && !this.#isLoading && this.#count < this.#options.maxWorkers) void this.#load()
  }

  #serve(): void {
    const idle = this.#idle.filter(({ isLost }) => !isLost)
    while (idle.length > 0 && this.#line.length > 0) this.#line.shift()!.resolve(idle.shift()!)
    for (const link of idle.splice(idleWorkers)) link.terminate()
    const gone = this.#idle.filter(({ isLost }) => isLost).length
    this.#count -= gone
    this.#idle = idle
    this.warm()
  }

  async #load(): Promise<void> {
    this.#isLoading = true
    this.#count++
    try {
      const link = await this.#spawn()
      this.#isLoading = false
      this.give(link)
    } catch (error) {
      this.#isLoading = false
      this.#count--
      // Only who is first in line learns of it; for the next one another worker is tried.
      this.#line.shift()?.reject(error)
      if (this.#line.length > 0) this.#serve()
    }
  }

  async #spawn(): Promise<WorkerLink> {
    const link = new WorkerLink(this.#options.spawn())
    try {
      this.#module ??= this.#options.module()
      const module = await this.#module
      this.isolation = await link.load(module)
      return link
    } catch (error) {
      link.terminate()
      if (!(error instanceof WorkerLost)) this.#module = undefined
      throw error
    }
  }
}
