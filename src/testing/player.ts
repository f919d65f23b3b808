import { logFormat, type EventBody, type RunEvent } from '../core/events.js'
import type { Effect } from '../core/next.js'
import { evolve, initialState } from '../core/state.js'
import { HandrailError, toFailure } from '../errors.js'
import { drive } from '../runtime/drive.js'
import { LiveScripts } from '../runtime/live-scripts.js'
import { RunLog } from '../runtime/log.js'
import { SessionMemory } from '../runtime/memory.js'
import { performWith } from '../runtime/perform.js'
import { portsOf } from '../runtime/run-ports.js'
import type { RunHead } from '../store/store.js'
import { differenceOf } from './difference.js'
import { divergenceOf, nothingOf, type Divergence } from './divergence.js'
import { namesOf } from './listing.js'
import type { Recording } from './recording.js'
import { openReplayAgent, type ReplayAgent } from './replay-agent.js'
import type { ReplayOptions } from './replay-options.js'
import { send } from './send.js'
import { canGive, effectFor, isFromOutside, Stage } from './stage.js'

/** A drive loop over the log as it is in one epoch. */
interface Epoch {
  readonly log: RunLog
  readonly memory: SessionMemory
  readonly stop: () => void
  /** Rejects when the loop breaks. */
  readonly over: Promise<unknown>
}

export async function openPlayer(
  recording: Recording,
  options: ReplayOptions,
  earlier: readonly Recording[],
): Promise<Player> {
  const stage = new Stage(recording.events)
  return new Player(recording, stage, await openReplayAgent(recording, stage, options), earlier)
}

/** Plays a recorded run: the effects are done by the runtime, one at a time, each when its event comes in the recording. */
class Player {
  #epoch: Epoch | undefined
  #divergence: Divergence | undefined
  #wake = () => {}
  readonly #names: Map<string, string>

  constructor(
    private readonly recording: Recording,
    private readonly stage: Stage,
    private readonly agent: ReplayAgent,
    private readonly earlier: readonly Recording[],
  ) {
    this.#names = namesOf(recording.events)
  }

  get events(): readonly RunEvent[] {
    return this.#epoch?.log.events ?? []
  }

  async play(): Promise<Divergence | undefined> {
    const found = await this.#playOn()
    const { previousRun } = this.recording.header
    if (!found || previousRun === undefined || this.earlier.length > 0) return found
    return {
      ...found,
      text: `${found.text}\nThe run goes on from run "${previousRun}": if it matters, give that as "earlier".`,
    }
  }

  async #playOn(): Promise<Divergence | undefined> {
    await this.#start()
    for (;;) {
      const event = this.stage.expected
      if (!event || this.#divergence) return this.#divergence
      if (event.type === 'lease-start') await this.#crash()
      const fault = isFromOutside(event) ? await this.#send(event) : await this.#await(event)
      if (fault) return fault
      if (event.type === 'lease-start') this.#drive(this.#epoch!)
    }
  }

  end(): void {
    this.#epoch?.stop()
  }

  /** The first two events are no work of the run: they are as they were recorded. */
  async #start(): Promise<void> {
    const { header, events } = this.recording
    const [start, message] = events as readonly [RunEvent, RunEvent]
    const first = [{ ...bodyOf(start), format: logFormat } as EventBody, bodyOf(message)]
    const memory = this.#memory()
    const { store, context } = this.agent.agent
    const head: RunHead = { ...headOf(header), startedAt: start.at }
    const log = await RunLog.start(store, head, first, context, this.#now, this.#listener(memory))
    this.#epoch = this.#drive({ log, memory, stop: () => undefined, over: Promise.resolve() })
  }

  /** What every worker does that finds the session: reads the log again. */
  async #crash(): Promise<void> {
    this.#epoch?.stop()
    this.stage.forget()
    const memory = this.#memory()
    const [head] = await this.agent.agent.store.runs(this.recording.header.owner, this.recording.header.session)
    let isPast = true
    const listener = this.#listener(memory, () => isPast)
    const log = await RunLog.open(this.agent.agent.store, head!, this.#now, listener)
    isPast = false
    this.#epoch = { log, memory, stop: () => undefined, over: Promise.resolve() }
  }

  #drive({ log, memory }: Epoch): Epoch {
    const stop = new AbortController()
    const scripts = new LiveScripts()
    const { agent } = this.agent
    const ports = portsOf(agent, log, memory, scripts, {
      onDelta: () => undefined,
      onProgress: () => undefined,
      newest: () => log,
    })
    const perform = async (effect: Effect, signal: AbortSignal): Promise<EventBody> => {
      await this.stage.turnOf(effect.id)
      const event = this.stage.expected!
      if (this.agent.isRecorded(effect, event)) return bodyOf(event)
      const body = await performWith(await ports)(atOnce(effect), signal)
      return (await this.#compare(event, body, effect)) ? body : new Promise<never>(() => undefined)
    }
    const over = drive(log, perform, stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted) throw broken(this.stage.position, error)
    })
    over.catch(() => this.#wake())
    const end = () => {
      log.close(new HandrailError('session_closed', 'The replay is over'))
      stop.abort()
      scripts.endAll()
    }
    return (this.#epoch = { log, memory, stop: end, over })
  }

  /** Lets the effect that the event is of have its turn, and waits for its event. */
  async #await(event: RunEvent): Promise<Divergence | undefined> {
    const { log, over } = this.#epoch!
    const { position } = this.stage
    const effect = effectFor(log.due, event)
    if (!effect || (this.agent.isOfOutside(effect) && !canGive(effect, event)))
      return nothingOf(position, event, log.due, this.#names)
    const settled = new Promise<void>((resolve) => (this.#wake = resolve))
    this.stage.give(effect.id)
    await settled
    if (!this.#divergence && this.stage.position === position) await over
    return this.#divergence
  }

  /** False: it differs, and is not appended. */
  async #compare(event: RunEvent, body: EventBody, effect: Effect): Promise<boolean> {
    const isLiveReply = effect.type === 'call-model'
    const difference = differenceOf(event, body, { format: this.recording.header.format, isLiveReply })
    if (!difference) return true
    this.#divergence = divergenceOf(this.stage.position, event, body, difference, this.#names)
    this.#wake()
    return false
  }

  async #send(event: RunEvent): Promise<Divergence | undefined> {
    const { log, memory } = this.#epoch!
    const { position } = this.stage
    const refused = await send(this.agent.agent, log, memory, event)
    if (refused) return nothingOf(position, event, refused, this.#names)
    const appended = log.events[position]!
    const difference = differenceOf(event, appended, { format: this.recording.header.format, isLiveReply: false })
    return difference && divergenceOf(position, event, appended, difference, this.#names)
  }

  readonly #now = (): number => this.stage.now()

  #memory(): SessionMemory {
    const memory = new SessionMemory()
    for (const { header, events } of this.earlier) {
      let state = initialState
      for (const event of events) {
        memory.observe(header.runId, event, state)
        state = evolve(state, event)
      }
    }
    return memory
  }

  #listener(memory: SessionMemory, isPast: () => boolean = () => false) {
    const { runId } = this.recording.header
    return (event: RunEvent, _seq: number, before: typeof initialState): void => {
      memory.observe(runId, event, before)
      if (isPast()) return
      this.stage.advance()
      this.#wake()
    }
  }
}

/** A wait before another attempt is of the network's time, not of the run's. */
const atOnce = (effect: Effect): Effect => (effect.type === 'start-step' ? { ...effect, afterFailure: false } : effect)

const bodyOf = ({ at: _at, chain: _chain, ...body }: RunEvent): EventBody => body as EventBody

const headOf = ({ runId, owner, session }: Recording['header']) => ({ runId, owner, session, index: 0 })

const broken = (position: number, error: unknown): HandrailError =>
  new HandrailError('replay_failed', `The replay broke at event ${position}: ${toFailure(error).message}`, {
    cause: error,
  })

export type { Player }
