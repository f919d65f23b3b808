import { createHash } from 'node:crypto'
import type { EventBody, RunEvent } from '../../src/core/events.js'
import type { Effect } from '../../src/core/next.js'
import { disturb } from './disturb.js'
import { checkAppend, checkLog, checkState, settledWith, stateKey } from './invariants.js'
import { perform, wake } from './perform.js'
import { checkResume } from './resume.js'
import type { Scenario } from './scenarios.js'
import { allRules, check, firstEvents, logOf, realCore, stamped, Violation } from './world.js'
import type { Core, Moment, Move, Rules, Subject, World } from './world.js'

export interface Exploration {
  readonly states: number
  readonly moves: number
  readonly ends: number
  /** False: the limit of states was reached first. */
  readonly isComplete: boolean
  /** What was broken, each with the shortest way there. */
  readonly violations: ReadonlyMap<string, readonly string[]>
}

export interface ExploreOptions {
  /** Disturbances that one history may have. */
  readonly trouble: number
  readonly core?: Core
  readonly rules?: Rules
  readonly limit?: number
  readonly untilFirst?: boolean
}

/**
 * Breadth first over everything that can happen in a scenario. States that differ only in the order of their log are one:
 * what is checked of a log is checked of one log for each state and move.
 */
export function explore(scenario: Scenario, options: ExploreOptions): Exploration {
  const { trouble, core = realCore, rules = allRules, limit = 3_000_000, untilFirst = false } = options
  const subject: Subject = { core, rules, scenario }
  const seen = new Set<string>()
  const violations = new Map<string, readonly string[]>()
  const resumed = new WeakSet<Moment>()
  let moves = 0
  let ends = 0
  let queue: Moment[] = []

  function note(error: unknown, moment: Moment, ...labels: string[]): void {
    const message = error instanceof Error ? error.message : String(error)
    if (violations.has(message)) return
    for (let at: Moment | undefined = moment; at; at = at.from) labels.unshift(at.label)
    violations.set(message, labels)
  }

  function visit(moment: Moment): void {
    moves++
    const key = keyOf(moment.world)
    if (seen.has(key)) return
    seen.add(key)
    queue.push(moment)
    try {
      checkState(core, moment)
      if (moment.world.state.status === 'running') return
      ends++
      checkResume(core, moment, resumed)
      checkLog(moment)
    } catch (error) {
      note(error, moment)
    }
  }

  /** Whether the world had anything to do. */
  function expand(moment: Moment): boolean {
    let hasMoved = false
    for (const source of [
      ...[...moment.due.values()].map((effect) => perform(subject, moment, effect)),
      ...[...moment.frozen.values()].map((effect) => wake(subject, moment, effect)),
      disturb(subject, moment),
    ])
      try {
        for (const move of source) {
          hasMoved = true
          try {
            visit(follow(subject, moment, move))
          } catch (error) {
            note(error, moment, labelOf(move))
          }
        }
      } catch (error) {
        hasMoved = true
        note(error, moment)
      }
    return hasMoved
  }

  visit(root(subject, trouble))
  while (queue.length > 0 && seen.size < limit && !(untilFirst && violations.size > 0)) {
    const batch = queue
    queue = []
    for (const moment of batch)
      if (!expand(moment) && moment.world.state.status === 'running')
        note(new Violation('I4 work is due, but nothing can happen'), moment)
  }
  return { states: seen.size, moves, ends, isComplete: queue.length === 0, violations }
}

function root(subject: Subject, trouble: number): Moment {
  const events = firstEvents(subject.scenario)
  const state = subject.core.fold(events)
  const world: World = {
    state,
    trouble,
    crashes: 2,
    page: 0,
    inFlight: {},
    sent: {},
    results: {},
    fed: {},
    made: [],
    held: {},
    modes: {},
    frozen: [],
  }
  return begin(subject, { world, events, depth: 0, label: 'start', due: new Map(), frozen: new Map() })
}

/** The moment after a move. */
function follow(subject: Subject, from: Moment, move: Move): Moment {
  const { core } = subject
  const at = Math.max(move.at ?? 0, from.world.state.lastAt)
  const events = move.events.map((event) => stamped(event, at))
  let world: World = { ...from.world, ...move.change }
  for (const [i, event] of events.entries()) {
    checkAppend(core, world, () => [...logOf(from), ...events.slice(0, i + 1)], event)
    if (event.type === 'tool-result') world = { ...world, ...settledWith(world, event) }
    world = { ...world, state: core.evolve(world.state, event) }
  }
  const frozen = withFrozen(from, world)
  const moment = begin(subject, {
    world,
    events,
    from,
    depth: from.depth + 1,
    label: labelOf(move),
    due: from.due,
    frozen,
  })
  const { effect } = move
  if (effect) check(!moment.due.has(effect.id), `I8 ${effect.type} is still due after what it appended`)
  return moment
}

/** What a driver that was frozen in this move had begun, with what others had. */
function withFrozen(from: Moment, { frozen }: World): Moment['frozen'] {
  if (frozen === from.world.frozen) return from.frozen
  return new Map(frozen.map((id) => [id, from.frozen.get(id) ?? from.due.get(id)!]))
}

/** The driver begins all that is due. Without the guard, what is no longer due stays in flight and appends anyway. */
function begin({ core, rules }: Subject, moment: Moment): Moment {
  const was = moment.world.inFlight
  const inFlight: Record<string, boolean> = {}
  const due = new Map<string, Effect>()
  for (const effect of core.next(moment.world.state)) {
    inFlight[effect.id] = was[effect.id] ?? false
    due.set(effect.id, effect)
  }
  if (!rules.guard)
    for (const [id, effect] of moment.due)
      if (id in was && !due.has(id)) {
        inFlight[id] = was[id]!
        due.set(id, effect)
      }
  const held: Record<string, EventBody> = {}
  for (const [id, event] of Object.entries(moment.world.held)) if (due.has(id)) held[id] = event
  return { ...moment, due, world: { ...moment.world, inFlight, held } }
}

function keyOf({ state, ...rest }: World): string {
  return createHash('sha1')
    .update(stateKey(state) + JSON.stringify(rest))
    .digest('base64')
}

const labelOf = ({ label, events }: Move): string =>
  events.length > 0 ? `${label} => ${events.map((event) => show(stamped(event))).join(', ')}` : label

function show(event: RunEvent): string {
  const callId = 'callId' in event ? event.callId : undefined
  const verdict = event.type === 'tool-decision' ? event.verdict : undefined
  const outcome = event.type === 'tool-result' || event.type === 'run-end' ? event.outcome : undefined
  const cut = event.type === 'assistant-message' && !event.complete ? 'cut' : undefined
  const fed = event.type === 'script-turn' && event.fed ? `fed ${event.fed}` : undefined
  return [event.type, callId, verdict, outcome, cut, fed].filter(Boolean).join(' ')
}
