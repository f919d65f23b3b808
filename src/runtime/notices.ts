import type { Notice, PageApi, Reply } from './protocol.js'

/**
 * What the page is told, gathered for each turn of this worker's event loop: a message of its own costs more than most events.
 * Nothing overtakes them: they go out before any call to the page, and before any answer.
 */
export class Notices {
  #waiting: Notice[] = []

  constructor(private readonly page: PageApi) {}

  tell(notice: Notice): void {
    if (this.#waiting.push(notice) === 1) setTimeout(() => this.flush())
  }

  flush(): void {
    if (this.#waiting.length === 0) return
    const notices = this.#waiting
    this.#waiting = []
    this.page.notify(notices)
  }

  /** The page, with what it was told ahead of every call. */
  get inOrder(): PageApi {
    const { page } = this
    const after = <Args extends unknown[], T>(call: (...args: Args) => Promise<Reply<T>>) => {
      return (...args: Args): Promise<Reply<T>> => {
        this.flush()
        return call(...args)
      }
    }
    return {
      ...page,
      execute: after((id, call) => page.execute(id, call)),
      check: after((call) => page.check(call)),
      preview: after((call) => page.preview(call)),
      guard: after((subject) => page.guard(subject)),
      reconcile: after((call) => page.reconcile(call)),
      generate: after((id, request) => page.generate(id, request)),
    }
  }
}
