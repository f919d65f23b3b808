import type { SessionChannel } from './channel.js'
import type { Notices } from './notices.js'
import type { Notice } from './protocol.js'

/** Who hears what happens in a session: its page, of each event once, and the tabs that follow. */
export class Audience {
  /** Next position that the page has not seen, by run. */
  readonly #shown = new Map<string, number>()

  constructor(
    private readonly notices: Notices,
    private readonly channel: SessionChannel,
  ) {}

  /** To our page, and to the tabs that follow. */
  tell(notice: Notice): void {
    if (this.show(notice)) this.channel.tell(notice)
  }

  /** To our page. False: it has seen it. */
  show(notice: Notice): boolean {
    if (notice.type === 'event') {
      if (notice.seq < (this.#shown.get(notice.runId) ?? 0)) return false
      this.noteShown(notice.runId, notice.seq + 1)
    }
    this.notices.tell(notice)
    return true
  }

  /** The page has the first `count` events of it. */
  noteShown(runId: string, count: number): void {
    this.#shown.set(runId, count)
  }

  /** Of the runs that the page knows, the one that it heard of last. */
  get newest(): string | undefined {
    return [...this.#shown.keys()].at(-1)
  }
}
