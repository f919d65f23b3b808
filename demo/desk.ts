import { signal, type ReadonlySignal } from '@preact/signals'
import {
  createAgent,
  HandrailError,
  type Agent,
  type Run,
  type RunUpdate,
  type ScriptProgress,
  type Session,
} from 'handrail'
import { createAgentWorker } from './agent-worker.js'
import { fromRunModes, toRunModes, type Mode } from './modes.js'
import { toAgentModel, type Endpoint } from './model/choice.js'
import { instructions } from './model/instructions.js'
import type { User } from './store/orders.js'
import type { Shop } from './store/shop.js'
import { createTools } from './tools.js'
import { saveFile } from './save-file.js'
import { streamed, type Draft } from './view/draft.js'

/** A run as it is drawn: a new object whenever it changed. */
export interface RunView {
  readonly run: Run
  readonly events: Run['events']
  readonly approvals: Run['approvals']
  readonly unknown: Run['unknown']
  readonly toTell: Run['toTell']
  readonly isOpen: boolean
  /** The reply that is being streamed. */
  readonly draft?: Draft
  /** The line that each script of it has reached. */
  readonly lines: ReadonlyMap<string, number>
  /** Why it does not go on here. */
  readonly failure?: string
}

export interface DeskView {
  readonly status: 'opening' | 'ready' | 'failed'
  readonly failure?: string
  readonly runs: readonly RunView[]
  /** Of the open run, else of the next. */
  readonly mode: Mode
  /** Why the last message was not taken. */
  readonly refusal?: string
}

interface Live {
  readonly agent: Agent
  readonly session: Session
}

const sessionPlace = (user: User) => `order-desk.session.${user.id}`

/** One user's conversation with the assistant, and the agent that it needs. Another user, or another model, is another desk. */
export class Desk {
  readonly #view = signal<DeskView>({ status: 'opening', runs: [], mode: 'usual' })
  readonly #drafts = new Map<string, Draft>()
  /** Lines that scripts have reached, by run and call. */
  readonly #lines = new Map<string, ReadonlyMap<string, number>>()
  readonly #failures = new Map<string, string>()
  #live: Live | undefined
  #mode: Mode = 'usual'
  #frame = 0

  constructor(
    private readonly shop: Shop,
    readonly user: User,
    readonly endpoint: Endpoint | undefined,
  ) {
    this.open()
  }

  get view(): ReadonlySignal<DeskView> {
    return this.#view
  }

  /** Opens the conversation of last time, or starts anew when what is open has failed. */
  open(): void {
    this.close()
    this.#failures.clear()
    this.#view.value = { status: 'opening', runs: [], mode: this.#mode }
    try {
      const agent = createAgent({
        ...toAgentModel(this.endpoint),
        instructions,
        tools: createTools(this.shop, this.user.id),
        owner: this.user.id,
        // What can be undone is done at once, unless somebody else's words were read before.
        policy: { reversible: 'allow' },
        worker: createAgentWorker,
      })
      this.#follow(agent)
    } catch (error) {
      this.#fail(error)
    }
  }

  close(): void {
    cancelAnimationFrame(this.#frame)
    this.#live?.agent.close()
    this.#live = undefined
  }

  newConversation(): void {
    const live = this.#live
    if (!live) return
    live.session.close()
    localStorage.removeItem(sessionPlace(this.user))
    this.#follow(live.agent)
  }

  send(text: string): void {
    this.#failures.clear()
    this.#live?.session.run(text, toRunModes(this.#mode))
  }

  /** What the assistant may do from now on, in the request that it is at and in the next. */
  async setMode(mode: Mode): Promise<void> {
    this.#mode = mode
    await this.#live?.session.openRun?.setModes(toRunModes(mode))
    this.#draw()
  }

  /** All that is stored of a run, as a file that can be imported. */
  async exportRun({ id }: Run): Promise<void> {
    const text = await this.#live?.agent.exportRun(id)
    if (text !== undefined) saveFile(`order-desk-${id}.jsonl`, text, 'application/jsonl')
  }

  async stop(): Promise<void> {
    await this.#live?.session.openRun?.cancel()
  }

  #follow(agent: Agent): void {
    const id = localStorage.getItem(sessionPlace(this.user)) ?? crypto.randomUUID()
    localStorage.setItem(sessionPlace(this.user), id)
    const session = agent.session(id)
    const live: Live = { agent, session }
    this.#live = live
    const isCurrent = () => this.#live === live
    session.subscribe((run, update) => {
      if (isCurrent()) this.#note(run, update)
    })
    Promise.all([agent.ready, session.opened]).then(
      () => isCurrent() && this.#draw(),
      (error: unknown) => isCurrent() && this.#fail(error),
    )
  }

  #note(run: Run, update: RunUpdate | undefined): void {
    const draft = streamed(this.#drafts.get(run.id), update)
    if (draft) this.#drafts.set(run.id, draft)
    else this.#drafts.delete(run.id)
    if (update?.type === 'progress') this.#noteLine(run, update.progress)
    if (run.events.length === 0 && update === undefined) this.#watch(run)
    this.#frame ||= requestAnimationFrame(() => this.#draw())
  }

  #noteLine(run: Run, { callId, line }: ScriptProgress): void {
    if (line !== undefined) this.#lines.set(run.id, new Map([...(this.#lines.get(run.id) ?? []), [callId, line]]))
  }

  /** A run's end is in its log; only why it does not go on here is not. */
  #watch(run: Run): void {
    run.answer.catch((error: unknown) => {
      if (run.state.status !== 'running') return
      this.#failures.set(run.id, messageOf(error))
      this.#draw()
    })
  }

  #draw(): void {
    this.#frame = 0
    const { session } = this.#live ?? {}
    if (!session) return
    const runs = session.runs.map((run): RunView => {
      const { events, approvals, unknown, toTell } = run
      const isOpen = run === session.openRun
      const failure = this.#failures.get(run.id)
      const draft = this.#drafts.get(run.id)
      const lines = this.#lines.get(run.id) ?? new Map<string, number>()
      return { run, events: [...events], approvals, unknown, toTell, isOpen, draft, lines, failure }
    })
    const lost = [...this.#failures.keys()].filter((id) => !runs.some(({ run }) => run.id === id))
    const { openRun } = session
    if (openRun) this.#mode = fromRunModes(openRun.state.modes)
    const refusal = this.#failures.get(lost.at(-1) ?? '')
    this.#view.value = { status: 'ready', runs, mode: this.#mode, refusal }
  }

  #fail(error: unknown): void {
    this.#view.value = { ...this.#view.value, status: 'failed', failure: messageOf(error) }
  }
}

export const messageOf = (error: unknown): string =>
  HandrailError.is(error) ? `${error.message} (${error.code})` : error instanceof Error ? error.message : String(error)
