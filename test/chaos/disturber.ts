import type { RunUpdate } from 'handrail'
import { isReached, type Arm } from './disturbed-worker.js'
import type { Disturbance, Point } from './plan.js'

interface Alive {
  readonly worker: Worker
  /** When it has greeted the page: before that its death is a failed start, which the page cannot tell from a slow one. */
  readonly connected: Promise<void>
}

export interface DisturberPorts {
  readonly disturbances: readonly Disturbance[]
  /** How many of them are done. */
  readonly done: number
  /** Says, before anything else happens, that the next one is done now. */
  hit(openSessions: readonly string[]): void
  openSessions(): readonly string[]
}

/** Disturbs this tab at the moments of its plan, one after the other. */
export class Disturber {
  #done: number
  #alive: Alive | undefined
  #updates = 0
  #isOver = false
  #isLeaving = false

  constructor(private readonly ports: DisturberPorts) {
    this.#done = ports.done
    this.#arm()
  }

  /** The agent worker of this tab from now on. */
  adopt(worker: Worker): Worker {
    const connected = new Promise<void>((resolve) =>
      worker.addEventListener('message', ({ data }: MessageEvent<{ handrail?: string }>) => {
        if (data.handrail === 'connected') resolve()
        if (isReached(data) && data.index === this.#done && this.#next) this.#do(this.#next)
      }),
    )
    this.#alive = { worker, connected }
    // Not before it has loaded: what comes earlier is lost.
    void connected.then(() => this.#tellWorker())
    return worker
  }

  /** Disturbs nothing more. Pending for ever in a page that is about to go: the next one has the last word. */
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

  /** The page is at this place. Pending for ever if that is where it ends: a reload takes its time. */
  reach(point: Point): Promise<void> {
    this.#meet(({ moment }) => moment.type === 'point' && moment.point === point)
    return this.#stillHere()
  }

  #stillHere(): Promise<void> {
    return this.#isLeaving ? new Promise(() => undefined) : Promise.resolve()
  }

  get #next(): Disturbance | undefined {
    return this.#isOver || this.#isLeaving ? undefined : this.ports.disturbances[this.#done]
  }

  #arm(): void {
    this.#updates = 0
    this.#meet(({ moment }) => moment.type === 'time')
    this.#tellWorker()
  }

  #tellWorker(): void {
    this.#alive?.worker.postMessage({ chaos: 'arm', index: this.#done, next: this.#next } satisfies Arm)
  }

  #meet(isMet: (disturbance: Disturbance) => boolean): void {
    const next = this.#next
    if (!next || !isMet(next)) return
    const plus = 'plus' in next.moment ? next.moment.plus : 0
    if (plus === 0 && next.moment.type !== 'time') this.#do(next)
    else setTimeout(() => this.#do(next), plus)
  }

  #do(disturbance: Disturbance): void {
    if (this.#next !== disturbance) return
    const { victim } = disturbance
    if (victim === 'agent' || victim === 'both') this.#terminate()
    this.#isLeaving = victim === 'page' || victim === 'both' || victim === 'tab' || victim === 'browser'
    this.#done++
    this.ports.hit(this.ports.openSessions())
    if (victim === 'page' || victim === 'both') return location.reload()
    if (!this.#isLeaving) this.#arm()
  }

  #terminate(): void {
    const ended = this.#alive!
    void ended.connected.then(() => ended.worker.terminate())
  }
}
