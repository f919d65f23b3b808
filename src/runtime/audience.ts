import { toFailure } from '../errors.js'
import type { SessionChannel } from './channel.js'
import type { RunLog } from './log.js'
import type { Notices } from './notices.js'
import type { Notice } from './protocol.js'

/** Who hears what happens in a session: its page, of each event once, and the tabs that follow. */
export class Audience {
  /** Next position that the page has not seen, by run. */
  readonly #shown = new Map<string, number>()

  constructor(
    private readonly notices: Notices,
    private readonly channel: SessionChannel,
    private readonly session: string,
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
    if (notice.type === 'deleted') this.#shown.delete(notice.runId)
    this.notices.tell(notice)
    return true
  }

  /** The page has the first `count` events of it. */
  noteShown(runId: string, count: number): void {
    this.#shown.set(runId, count)
  }

  /** Which of these can't go on, and why. The tabs that follow read it by themselves. */
  showFailures(logs: readonly RunLog[]): void {
    for (const { runId, failure, state } of logs)
      if (failure && (failure.code === 'log_damaged' || state.status === 'running'))
        this.show({ type: 'stalled', session: this.session, runId, failure: toFailure(failure) })
  }

  tellDeleted(runId: string): void {
    this.tell({ type: 'deleted', session: this.session, runId })
  }

  /** Runs that the page has. */
  get known(): readonly string[] {
    return [...this.#shown.keys()]
  }

  /** Of the runs that the page knows, the one that it heard of last. */
  get newest(): string | undefined {
    return [...this.#shown.keys()].at(-1)
  }
}
