import type { RunModes } from '../../src/core/approval.js'
import type { EventBody, Outcome, RunEvent, RunHeader } from '../../src/core/events.js'
import { accepts, isEarlier, next, type Effect } from '../../src/core/next.js'
import { evolve, fold, initialState, isMet, type RunState } from '../../src/core/state.js'
import type { CallState } from '../../src/core/call-state.js'
import { emptyTranscript, grow } from '../../src/core/transcript.js'
import { defaultBudget } from '../../src/core/usage.js'
import { tools, type Scenario } from './scenarios.js'

export const realCore = { accepts, emptyTranscript, evolve, fold, grow, initialState, isEarlier, isMet, next }
/** The functions under test: the real ones, or those of a core with a rule broken on purpose. */
export type Core = typeof realCore

/** What the shell and the tools' servers promise, each of which can be broken to see that the checks notice. */
export const allRules = {
  /** An append is refused unless its effect is still due. */
  guard: true,
  /** A drive loop that starts again takes a new epoch. */
  freshEpoch: true,
  /** "Not done" means that the key was made void. */
  voidKey: true,
  /** The tool says "not done" of a call only when it can't be done any more. */
  voidQuery: true,
  /** Nothing is sent again once the run is stopped. */
  stopBeforeResend: true,
  /** An aborted write that was not sent is not sent. */
  abortBeforeSend: true,
  /** A driver that was frozen finds that the log has gone on, and can't append. */
  fence: true,
  /** A reason less does not ask again. */
  keepReasons: true,
  /** While the outcome of a write is unknown, another asks. */
  unknownAsks: true,
  /** The same write with the same input asks. */
  repeatAsks: true,
  /** The gate is asked once more right before the start. */
  gateAtStart: true,
  /** An answer for the rest is for its script. */
  grantOfScript: true,
  /** An answer for the rest is for the reasons that were shown. */
  grantReasons: true,
  /** An answer for the rest is for the values that the person fixed. */
  grantFixed: true,
  /** An answer for the rest is for so many calls. */
  grantCount: true,
  /** A denial for the rest denies. */
  denialForRest: true,
}
export type Rules = Readonly<typeof allRules>

export interface Subject {
  readonly core: Core
  readonly rules: Rules
  readonly scenario: Scenario
}

/** Everything outside the log: work in flight, the tools' servers, and how much trouble is still to come. */
export interface World {
  readonly state: RunState
  readonly trouble: number
  readonly crashes: number
  /** Version of the fields that the page fills. */
  readonly page: number
  /** Effects that were begun, and whether their request was sent. */
  readonly inFlight: Readonly<Record<string, boolean>>
  readonly sent: Readonly<Record<string, Sent>>
  readonly results: Readonly<Record<string, Outcome>>
  /** Writes that took effect, or may have: tool and input. */
  readonly made: readonly string[]
  /** What the gate answered to calls that are about to start. */
  readonly held: Readonly<Record<string, EventBody>>
  /** What the page last said may be called. */
  readonly modes: RunModes
  /** Effects of a driver that was frozen. */
  readonly frozen: readonly string[]
  /** Call ids that each script was fed, in order. */
  readonly fed: Readonly<Record<string, readonly string[]>>
}

/** A write at its server. */
export interface Sent {
  readonly keyed: boolean
  readonly effects: number
  /** A request that nobody waits for any more may still arrive. */
  readonly pending: boolean
  readonly voided: boolean
}

/** A moment of one history: the world, and how it came about. */
export interface Moment {
  readonly world: World
  /** What the log got in the last move. */
  readonly events: readonly RunEvent[]
  readonly from?: Moment
  readonly depth: number
  readonly label: string
  readonly due: ReadonlyMap<string, Effect>
  readonly frozen: ReadonlyMap<string, Effect>
}

/** One thing that can happen. With `effect`, it is what that effect appends. */
export interface Move {
  readonly label: string
  readonly change: Partial<World>
  readonly events: readonly EventBody[]
  readonly effect?: Effect
  /** When it happens, if not at the time of the event before it. */
  readonly at?: number
}

export class Violation extends Error {}

export function check(ok: boolean, message: string): asserts ok {
  if (!ok) throw new Violation(message)
}

/** Time stands still here but for what expires, so that states which differ only in it are one; `test/core` has the tests of time. */
export const stamped = (body: EventBody, at = 0): RunEvent => ({ ...body, at })

export function firstEvents({ budget, toolChoice }: Scenario): RunEvent[] {
  const header: RunHeader = {
    format: 1,
    runId: 'r',
    session: 's',
    owner: 'o',
    epoch: 1,
    model: { provider: 'p', model: 'm' },
    contextHash: 'c',
    seed: 1,
    locale: 'en',
    timeZone: 'UTC',
    budget: { ...defaultBudget, ...budget },
    ...(toolChoice && { toolChoice }),
  }
  return [stamped({ type: 'run-start', ...header }), stamped({ type: 'user-message', text: 'go' })]
}

export function logOf(moment: Moment): RunEvent[] {
  const parts: (readonly RunEvent[])[] = []
  for (let at: Moment | undefined = moment; at; at = at.from) parts.push(at.events)
  return parts.reverse().flat()
}

export const hashOf = (input: unknown, page: number, reasons: readonly string[]) =>
  JSON.stringify([input, page, reasons])

export const sentFor = (world: World, { callId, toolName }: CallState): Sent =>
  world.sent[callId] ?? { keyed: !!tools[toolName]!.keyed, effects: 0, pending: false, voided: false }

/** A ledger refuses a void key and a second effect. */
export const happen = (was: Sent): Sent => {
  if (was.voided) return was
  return { ...was, effects: was.keyed ? 1 : was.effects + 1 }
}

/** A request that nobody waits for any more reaches its server. */
export const land = (was: Sent): Sent => ({ ...happen(was), pending: false })

/** What may have become of a request without an answer. */
export const lost = (was: Sent, isSent: boolean): [label: string, Sent][] => [
  ['had not happened', was],
  ['may still land', { ...was, pending: true }],
  ...(isSent ? [['had happened', happen(was)] as [string, Sent]] : []),
]
