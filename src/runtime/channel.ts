import type { Command, Notice, Reply, RunOptions } from './protocol.js'

/** What the tabs of one session say to each other. The driver tells what happens; the others ask, and are answered. */
export type Shout =
  | { readonly type: 'notices'; readonly notices: readonly Notice[] }
  | { readonly type: 'ask'; readonly id: string; readonly request: Request }
  /** The driver is there, and works on it. */
  | { readonly type: 'taken'; readonly id: string }
  | { readonly type: 'answer'; readonly id: string; readonly reply: Reply<unknown> }

export type Request =
  | { readonly type: 'run'; readonly text: string; readonly options: RunOptions }
  | { readonly type: 'command'; readonly command: Command }

/** The run that it cancels, if it does. */
export const cancelledBy = (request: Request): string | undefined =>
  request.type === 'command' && request.command.type === 'cancel' ? request.command.runId : undefined

/** The part of `BroadcastChannel` that is needed. */
export interface Channel {
  postMessage(message: Shout): void
  onmessage: ((event: MessageEvent) => void) | null
  close(): void
}

/** Milliseconds in which a driver must take what it is asked. One that does not is taken for dead, or frozen. */
const takeTimeout = 2_000
/** Milliseconds in which it must then answer: the check of an edited input may take its time. */
const answerTimeout = 15_000

/** Milliseconds for which notices are gathered: a message to all tabs costs the driver more than an append to memory. */
const gatheringTime = 20

export class SessionChannel {
  readonly #waiting = new Map<string, { readonly settle: (reply?: Reply<unknown>) => void; timer: Timer }>()
  #gathered: Notice[] = []
  #isClosed = false

  constructor(
    private readonly channel: Channel,
    private readonly newId: () => string,
    handlers: { onNotice(notice: Notice): void; onAsk(request: Request): Promise<Reply<unknown>> | undefined },
  ) {
    channel.onmessage = (event) => {
      const shout = event.data as Shout
      if (shout.type === 'notices') for (const notice of shout.notices) handlers.onNotice(notice)
      if (shout.type === 'answer') this.#settle(shout.id, shout.reply)
      if (shout.type === 'taken') this.#wait(shout.id, answerTimeout)
      if (shout.type !== 'ask') return
      const { id } = shout
      const answered = handlers.onAsk(shout.request)
      if (!answered) return
      this.#shout({ type: 'taken', id })
      void answered.then((reply) => this.#shout({ type: 'answer', id, reply }))
    }
  }

  tell(notice: Notice): void {
    if (this.#gathered.push(notice) === 1) setTimeout(() => this.#tellGathered(), gatheringTime)
  }

  /** The driver's answer. Undefined: there was none in time. */
  ask(request: Request): Promise<Reply<unknown> | undefined> {
    const id = this.newId()
    return new Promise((settle) => {
      this.#waiting.set(id, { settle, timer: undefined })
      this.#wait(id, takeTimeout)
      this.#shout({ type: 'ask', id, request })
    })
  }

  close(): void {
    for (const id of this.#waiting.keys()) this.#settle(id)
    this.#tellGathered()
    this.#isClosed = true
    this.channel.close()
  }

  /** After everything that was told before. */
  #shout(shout: Shout): void {
    this.#tellGathered()
    if (!this.#isClosed) this.channel.postMessage(shout)
  }

  #tellGathered(): void {
    const notices = this.#gathered
    this.#gathered = []
    if (notices.length > 0 && !this.#isClosed) this.channel.postMessage({ type: 'notices', notices })
  }

  #wait(id: string, milliseconds: number): void {
    const asked = this.#waiting.get(id)
    if (!asked) return
    clearTimeout(asked.timer)
    asked.timer = setTimeout(() => this.#settle(id), milliseconds)
  }

  #settle(id: string, reply?: Reply<unknown>): void {
    const asked = this.#waiting.get(id)
    this.#waiting.delete(id)
    clearTimeout(asked?.timer)
    asked?.settle(reply)
  }
}

type Timer = ReturnType<typeof setTimeout> | undefined
