import type { RunEvent } from 'handrail'
import type { Disturbance } from './plan.js'

/** What a page tells its agent worker of the disturbance that comes next, and what it hears when that is reached. */
export interface Arm {
  readonly chaos: 'arm'
  readonly index: number
  readonly next?: Disturbance
}
export interface Reached {
  readonly chaos: 'reached'
  readonly index: number
}
export const isReached = (data: unknown): data is Reached => (data as Reached | null)?.chaos === 'reached'

/** Milliseconds after which somebody should have ended this worker, or its page, or the browser. */
const patience = 10_000

let armed: Arm | undefined
let count = 0

/** Lets the page of this worker stop it at any append to the log, fail the append, or end the sandbox's workers. */
export function disturbThisWorker(): void {
  self.addEventListener('message', ({ data }: MessageEvent<Arm | null>) => {
    if (data?.chaos !== 'arm') return
    armed = data
    count = 0
  })
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the store that it belongs to
  const { add } = IDBObjectStore.prototype
  IDBObjectStore.prototype.add = function (value: unknown, key?: IDBValidKey) {
    const event = this.name === 'events' ? (value as { event: RunEvent }).event : undefined
    const reached = event && next('append', event.type)
    if (!reached) return add.call(this, value, key)
    const { index, disturbance } = reached
    if (disturbance.victim === 'space') {
      tell(index)
      throw new DOMException('There is no space left', 'QuotaExceededError')
    }
    if (
      disturbance.moment.type === 'append' &&
      disturbance.moment.side === 'before' &&
      disturbance.victim !== 'transaction'
    )
      standStill(index)
    const request = add.call(this, value, key)
    if (disturbance.victim === 'transaction') {
      tell(index)
      this.transaction.abort()
    } else this.transaction.addEventListener('complete', () => standStill(index), { capture: true })
    return request
  }

  const send = Worker.prototype as { postMessage(this: Worker, message: unknown, ...options: never[]): void }
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the worker that it belongs to
  const { postMessage } = send
  Worker.prototype.postMessage = function (message: unknown, ...options: never[]) {
    postMessage.call(this, message, ...options)
    const { type } = message as { type?: string }
    if (type !== 'start' && type !== 'resume' && type !== 'replay') return
    const reached = next('turn')
    if (!reached) return
    tell(reached.index)
    this.terminate()
  }
}

function next(type: 'append' | 'turn', event?: string): { index: number; disturbance: Disturbance } | undefined {
  const { index = 0, next: disturbance } = armed ?? {}
  const moment = disturbance?.moment
  if (moment?.type === 'append' ? moment.event !== event || type !== 'append' : moment?.type !== type) return undefined
  if (!disturbance || !moment || !('count' in moment) || ++count < moment.count) return undefined
  armed = undefined
  return { index, disturbance }
}

const tell = (index: number) => self.postMessage({ chaos: 'reached', index } satisfies Reached)

/** Nothing follows here: the page hears of it, and ends what has to end. */
function standStill(index: number): void {
  tell(index)
  const until = performance.now() + patience
  while (performance.now() < until);
}
