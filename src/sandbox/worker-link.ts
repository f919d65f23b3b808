import { engineName } from './engine-name.js'
import { isSandboxAnswer } from './protocol.js'
import type { Isolation, SandboxAnswer, SandboxRequest } from './protocol.js'

export type RequestBody = SandboxRequest extends infer Each
  ? Each extends SandboxRequest
    ? Omit<Each, 'id'>
    : never
  : never
type AnswerOf<T extends SandboxAnswer['type']> = Extract<SandboxAnswer, { type: T }>

/** A sandbox worker did not answer in time, or can answer no more. It has been terminated. */
export class WorkerLost extends Error {
  constructor(
    readonly reason: 'time' | 'crash',
    message: string,
  ) {
    super(message)
  }
}

interface Pending {
  readonly resolve: (answer: SandboxAnswer) => void
  readonly reject: (error: WorkerLost) => void
}

/** Milliseconds from spawning a worker to its being ready. */
const readyTimeout = 15_000

/** One sandbox worker: each request is answered, or ends in {@link WorkerLost}. */
export class WorkerLink {
  readonly #worker: Worker
  readonly #pending = new Map<number, Pending>()
  #nextId = 0
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
    const late = setTimeout(
      () => this.#lose('time', `The sandbox worker did not answer within ${Math.round(milliseconds)} ms`),
      milliseconds,
    )
    try {
      const answer = await new Promise<SandboxAnswer>((resolve, reject) => {
        this.#pending.set(id, { resolve, reject })
        this.#worker.postMessage({ id, ...body })
      })
      if (answer.type === type) return answer as AnswerOf<T>
      throw this.#lose(
        'crash',
        answer.type === 'failed' ? answer.message : `The sandbox worker answered ${answer.type}`,
      )
    } finally {
      clearTimeout(late)
      this.#pending.delete(id)
    }
  }

  terminate(): void {
    this.#lose('crash', 'The sandbox worker was terminated')
  }

  #receive(data: unknown): void {
    const waiting = isSandboxAnswer(data) ? this.#pending.get(data.id) : undefined
    if (waiting) waiting.resolve(data as SandboxAnswer)
    else this.#lose('crash', 'The sandbox worker sent what is not an answer')
  }

  #lose(reason: WorkerLost['reason'], message: string): WorkerLost {
    const lost = (this.#lost ??= new WorkerLost(reason, message))
    this.#worker.terminate()
    for (const { reject } of this.#pending.values()) reject(lost)
    return lost
  }
}
