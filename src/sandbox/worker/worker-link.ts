import { engineName } from '../engine-name.js'
import { isSandboxAnswer } from './protocol.js'
import type { Isolation, SandboxAnswer, SandboxRequest } from './protocol.js'

export type RequestBody = SandboxRequest extends infer Each
  ? Each extends SandboxRequest
    ? Omit<Each, 'id'>
    : never
  : never
type AnswerOf<T extends SandboxAnswer['type']> = Extract<SandboxAnswer, { type: T }>

/** Characters of what a worker says of its failure. */
const longestMessage = 1_000

/** A sandbox worker did not answer in time, or can answer no more. It has been terminated. */
export class WorkerLost extends Error {
  constructor(
    readonly reason: 'time' | 'crash',
    message: string,
  ) {
    super(message.slice(0, longestMessage))
  }
}

interface Pending {
  readonly resolve: (answer: SandboxAnswer) => void
  readonly reject: (error: WorkerLost) => void
  readonly milliseconds: number
  /** When it is late, by the clock of `performance`. */
  readonly deadline: number
}

/** The most that a timer takes; it would fire at once for more. */
const longestTimer = 2 ** 31 - 1
/** Times that a worker may need to read what it was sent, of that to write it: megabytes are no fault of a script. */
const readingFactor = 5
/** Milliseconds from spawning a worker to its being ready. */
const readyTimeout = 15_000

/** One sandbox worker: each request is answered, or ends in {@link WorkerLost}. */
export class WorkerLink {
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  #nextId = 0
  /** One for all requests, as a timer for each takes as long as its message. */
  #watch?: { readonly timer: ReturnType<typeof setTimeout>; readonly at: number }
  #lost?: WorkerLost

  constructor(worker: Worker) {
    this.#worker = worker
    worker.addEventListener('message', ({ data }: MessageEvent<unknown>) => this.#receive(data))
    worker.addEventListener('messageerror', () => this.#lose('crash', 'The sandbox worker could not read a message'))
    worker.addEventListener('error', ({ message }) =>
      this.#lose('crash', `The sandbox worker failed: ${message || 'its script did not load'}`),
    )
  }

  get isLost(): boolean {
    return this.#lost !== undefined
  }

  async load(module: WebAssembly.Module): Promise<Isolation> {
    const { engine, isolation } = await this.ask('ready', { type: 'load', module }, readyTimeout)
    if (engine === engineName) return isolation
    throw this.#lose('crash', `The sandbox worker runs "${engine}", expected "${engineName}"`)
  }

  async ask<T extends SandboxAnswer['type']>(type: T, body: RequestBody, milliseconds: number): Promise<AnswerOf<T>> {
    if (this.#lost) throw this.#lost
    const id = this.#nextId++
    try {
      const answer = await new Promise<SandboxAnswer>((resolve, reject) => {
        const from = performance.now()
        this.#worker.postMessage({ id, ...body })
        const sent = performance.now()
        const deadline = sent + milliseconds + (sent - from) * readingFactor
        this.#pending.set(id, { resolve, reject, milliseconds, deadline })
        this.#watchUntil(deadline)
      })
      if (answer.type === type) return answer as AnswerOf<T>
      throw this.#lose(
        'crash',
        answer.type === 'failed' ? answer.message : `The sandbox worker answered ${answer.type}`,
      )
    } finally {
      this.#pending.delete(id)
    }
  }

  terminate(): void {
    this.#lose('crash', 'The sandbox worker was terminated')
  }

  #watchUntil(at: number): void {
    if (this.#watch && this.#watch.at <= at) return
    if (this.#watch) clearTimeout(this.#watch.timer)
    const wait = Math.min(at - performance.now(), longestTimer)
    this.#watch = { timer: setTimeout(() => this.#look(), wait), at }
  }

  #look(): void {
    this.#watch = undefined
    const [first] = [...this.#pending.values()].toSorted((a, b) => a.deadline - b.deadline)
    if (!first) return
    if (first.deadline > performance.now()) this.#watchUntil(first.deadline)
    else this.#lose('time', `The sandbox worker did not answer within ${Math.round(first.milliseconds)} ms`)
  }

  #receive(data: unknown): void {
    const waiting = isSandboxAnswer(data) ? this.#pending.get(data.id) : undefined
    if (waiting) waiting.resolve(data as SandboxAnswer)
    else this.#lose('crash', 'The sandbox worker sent what is not an answer')
  }

  #lose(reason: WorkerLost['reason'], message: string): WorkerLost {
    const lost = (this.#lost ??= new WorkerLost(reason, message))
    this.#worker.terminate()
    if (this.#watch) clearTimeout(this.#watch.timer)
    for (const { reject } of this.#pending.values()) reject(lost)
    return lost
  }
}
