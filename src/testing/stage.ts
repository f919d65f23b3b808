import type { EventBody, RunEvent } from '../core/events.js'
import type { Effect } from '../core/next.js'

export type EventOf<Type extends RunEvent['type']> = RunEvent & { readonly type: Type }

/** What a person, a timer or another tab sends: nothing that a run does by itself. */
export const isFromOutside = ({ type }: RunEvent): boolean => outside.has(type)
const outside: ReadonlySet<RunEvent['type']> = new Set([
  'lease-start',
  'approval-response',
  'approval-expired',
  'tool-reconciled',
  'mode-change',
  'run-stop',
])

/** The events that may come of an effect. */
const comesOf: Readonly<Record<Effect['type'], readonly RunEvent['type'][]>> = {
  'start-step': ['step-start'],
  'call-model': ['assistant-message'],
  'check-answer': ['answer-check'],
  'decide-tool': ['tool-decision'],
  'start-tool': ['tool-start', 'tool-decision'],
  'execute-tool': ['tool-result'],
  'reconcile-tool': ['tool-result'],
  'advance-script': ['script-turn'],
  'settle-tool': ['tool-result'],
  'end-run': ['run-end'],
}

export const canGive = ({ type }: Effect, event: EventBody): boolean => comesOf[type].includes(event.type)

/** The call that it is about; none: it is about the run. */
const subjectOf = (of: Effect | EventBody): string => ('callId' in of ? of.callId : 'call' in of ? of.call.callId : '')

/** The effect that an event of the recorded run is of, if the run would do it now. */
export const effectFor = (due: readonly Effect[], event: RunEvent): Effect | undefined =>
  due.find((effect) => subjectOf(effect) === subjectOf(event))

/**
 * The place in the recorded run, and whose turn it is. Every effect waits for its turn, so that a run that is played again does
 * one thing at a time, in the recorded order: that two reads were done at once makes no difference.
 */
export class Stage {
  #position = 0
  #turn: string | undefined
  readonly #waiting = new Map<string, () => void>()

  constructor(readonly events: readonly RunEvent[]) {}

  get position(): number {
    return this.#position
  }

  get expected(): RunEvent | undefined {
    return this.events[this.#position]
  }

  /** The clock of the recorded run. */
  now(): number {
    return (this.expected ?? this.events.at(-1))?.at ?? 0
  }

  advance(): void {
    this.#position++
    this.#turn = undefined
  }

  give(effectId: string): void {
    this.#turn = effectId
    this.#waiting.get(effectId)?.()
    this.#waiting.delete(effectId)
  }

  /** When it is this effect's turn. */
  turnOf(effectId: string): Promise<void> {
    if (this.#turn === effectId) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.set(effectId, resolve))
  }

  /** Those of an epoch that is over: they never get a turn. */
  forget(): void {
    this.#waiting.clear()
    this.#turn = undefined
  }

  /** The decision that the gate came to, or comes to next, about a call as it is now asked. */
  decisionFor(callId: string): EventOf<'tool-decision'> | undefined {
    const isGate = (event: RunEvent) =>
      (event.type === 'tool-decision' || event.type === 'tool-start') && event.callId === callId
    const found = this.events.slice(this.#position).find(isGate)
    if (found?.type === 'tool-decision') return found
    const before = this.events
      .slice(0, this.#position)
      .findLast((event) => isGate(event) && event.type === 'tool-decision')
    return before as EventOf<'tool-decision'> | undefined
  }
}
