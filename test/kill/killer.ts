import type { RunUpdate } from 'handrail'
import type { Kill, Point } from './plan.js'

interface Alive {
  readonly worker: Worker
  /** When it has greeted the page: before that its death is a failed start, which the page cannot tell from a slow one. */
  readonly connected: Promise<void>
}

let alive: Alive | undefined
const PlainWorker = globalThis.Worker
/** An agent worker is only to be had where it is made. */
globalThis.Worker = class extends PlainWorker {
  constructor(...args: ConstructorParameters<typeof Worker>) {
    super(...args)
    const connected = new Promise<void>((resolve) =>
      this.addEventListener('message', ({ data }: MessageEvent<{ handrail?: string }>) => {
        if (data.handrail === 'connected') resolve()
      }),
    )
    alive = { worker: this, connected }
  }
}

export interface DoneKill {
  readonly what: string
  /** Sessions whose run was open. */
  readonly hit: readonly string[]
}

/** Kills this tab's worker, or the tab, at the moments of its plan. What was done is remembered over a reload. */
export class Killer {
  readonly #done: DoneKill[]
  #updates = 0
  #since = performance.now()
  #isOver = false
  #isLeaving = false

  constructor(
    private readonly kills: readonly Kill[],
    private readonly memory: string,
    private readonly openSessions: () => readonly string[],
  ) {
    this.#done = JSON.parse(sessionStorage.getItem(memory) ?? '[]') as DoneKill[]
    this.#arm()
  }

  get done(): readonly DoneKill[] {
    return this.#done
  }

  /** Kills nothing more. Pending for ever in a page that is about to go: the next one has the last word. */
  end(): Promise<void> {
    this.#isOver = true
    return this.#stillHere()
  }

  update(update: RunUpdate | undefined): void {
    this.#updates++
    this.#meet(({ moment }) => moment.type === 'update' && moment.count === this.#updates)
    if (update?.type === 'event')
      this.#meet(({ moment }) => moment.type === 'event' && moment.event === update.event.type)
  }

  reach(point: Point): Promise<void> {
    this.#meet(({ moment }) => moment.type === 'point' && moment.point === point)
    return this.#stillHere()
  }

  #stillHere(): Promise<void> {
    return this.#isLeaving ? new Promise(() => undefined) : Promise.resolve()
  }

  get #next(): Kill | undefined {
    return this.#isOver || this.#isLeaving ? undefined : this.kills[this.#done.length]
  }

  #arm(): void {
    this.#updates = 0
    this.#since = performance.now()
    this.#meet(({ moment }) => moment.type === 'time')
  }

  #meet(isMet: (kill: Kill) => boolean): void {
    const kill = this.#next
    if (!kill || !isMet(kill)) return
    const { plus } = kill.moment
    if (plus === 0 && kill.moment.type !== 'time') this.#kill(kill)
    else setTimeout(() => this.#kill(kill), plus)
  }

  #kill(kill: Kill): void {
    if (this.#next !== kill) return
    const { what, moment } = kill
    const when = `${Math.round(performance.now() - this.#since)} ms, ${this.#updates} updates`
    this.#done.push({ what: `${what} at ${JSON.stringify(moment)} after ${when}`, hit: this.openSessions() })
    sessionStorage.setItem(this.memory, JSON.stringify(this.#done))
    if (what !== 'page') this.#terminate()
    if (what === 'worker') return this.#arm()
    this.#isLeaving = true
    location.reload()
  }

  #terminate(): void {
    const victim = alive!
    void victim.connected.then(() => victim.worker.terminate())
  }
}
