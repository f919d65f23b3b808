import type { Effect } from './ledger.js'
import type { TabReport } from './tab-report.js'
import type { Plan } from './plan.js'
import type { Witness } from './conductor.js'

/** The page's way to the conductor: to the server of its tools, and to what remembers what happened to it. */
export class Server {
  #seen: Witness[] = []

  constructor(
    private readonly url: string,
    private readonly page: string,
    private readonly tab: number,
  ) {}

  plan(): Promise<{ readonly plan: Plan; readonly done: number }> {
    return this.#post('/plan', null)
  }

  async act(effect: Effect, isIdempotent: boolean): Promise<number | undefined> {
    const request = crypto.randomUUID()
    return (await this.#post<{ number?: number }>('/act', { effect, isIdempotent, request })).number
  }

  async settle(key: string): Promise<number | undefined> {
    return (await this.#post<{ number?: number }>('/settle', { key })).number
  }

  effects(): Promise<readonly Effect[]> {
    return this.#post('/effects', null)
  }

  /** Not answered before the conductor has noted it; if it kills the browser for it, never. */
  hit(openSessions: readonly string[]): void {
    const request = new XMLHttpRequest()
    request.open('POST', this.#addressOf('/hit'), false)
    request.send(JSON.stringify(openSessions))
  }

  /** What this tab was told is told to the conductor too: it must be in the log for ever. */
  see(witness: Witness): void {
    if (this.#seen.push(witness) > 1) return
    queueMicrotask(() => {
      navigator.sendBeacon(this.#addressOf('/seen'), JSON.stringify(this.#seen))
      this.#seen = []
    })
  }

  complain(about: string): void {
    navigator.sendBeacon(this.#addressOf('/complain'), JSON.stringify(about))
  }

  async report(report: TabReport): Promise<void> {
    await this.#post('/report', report)
  }

  #addressOf(path: string): string {
    return `${this.url}${path}?${new URLSearchParams({ page: this.page, tab: String(this.tab) }).toString()}`
  }

  /** As plain text: no question comes before it. */
  async #post<T>(path: string, body: unknown): Promise<T> {
    const response = await fetch(this.#addressOf(path), { method: 'POST', body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`The server answers ${response.status}`)
    return (await response.json()) as T
  }
}
