import type { Script, ScriptTurn } from '../sandbox/script.js'

/** A script whose isolate is there. Disposable: it can be made again from the log. */
export interface LiveScript {
  readonly script: Script
  /** Turns it has made. */
  turn: number
  /** Turns that are made already, by the result that each was fed: of results that are in the log and not yet fed there. */
  readonly ahead: Map<string, Promise<ScriptTurn>>
  /** When a person was last told how it goes. */
  toldAt: number
}

/** Milliseconds without a result after which a script gives its isolate up, and waits in the log alone. */
const parkAfter = 5_000

/** The isolates of a run, by the call that runs each. */
export class LiveScripts {
  readonly #all = new Map<string, LiveScript>()
  readonly #spent = new Map<string, number>()
  readonly #parking = new Map<string, ReturnType<typeof setTimeout>>()

  get(callId: string): LiveScript | undefined {
    return this.#all.get(callId)
  }

  add(callId: string, script: Script): LiveScript {
    const live: LiveScript = { script, turn: 0, ahead: new Map(), toldAt: 0 }
    this.#all.set(callId, live)
    return live
  }

  /** Milliseconds of CPU that it has taken here, replays not counted: giving its isolate up gains it none. */
  spent(callId: string): number {
    return this.#spent.get(callId) ?? 0
  }

  spend(callId: string, cpuMs: number): void {
    this.#spent.set(callId, this.spent(callId) + cpuMs)
  }

  /** It waits: for a call that takes long, or for a person, it holds no worker. */
  park(callId: string): void {
    this.unpark(callId)
    this.#parking.set(
      callId,
      setTimeout(() => this.end(callId), parkAfter),
    )
  }

  unpark(callId: string): void {
    clearTimeout(this.#parking.get(callId))
    this.#parking.delete(callId)
  }

  end(callId: string): void {
    this.unpark(callId)
    this.#all.get(callId)?.script.end()
    this.#all.delete(callId)
  }

  endAll(): void {
    for (const callId of this.#all.keys()) this.end(callId)
  }
}
