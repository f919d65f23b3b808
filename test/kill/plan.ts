/** How the tool that writes says what became of an interrupted call. */
export const writeKinds = ['plain', 'reconciles', 'idempotent'] as const
export type WriteKind = (typeof writeKinds)[number]

/** Places in the page's own work, where a kill cuts a write in two. */
export const points = ['approve', 'request', 'effect', 'return'] as const
export type Point = (typeof points)[number]

/** `plus` milliseconds after the tab was started, or after its last kill, or after the first such thing since then. */
export type Moment =
  | { readonly type: 'time'; readonly plus: number }
  | { readonly type: 'update'; readonly count: number; readonly plus: number }
  | { readonly type: 'event'; readonly event: string; readonly plus: number }
  | { readonly type: 'point'; readonly point: Point; readonly plus: number }

export interface Kill {
  /** `both`: the worker at once, and the page as soon as the browser comes to it. */
  readonly what: 'worker' | 'page' | 'both'
  readonly moment: Moment
}

/** Sessions that share a page, how its tool writes, and the kills of each tab, in order. */
export interface Plan {
  readonly name: string
  readonly write: WriteKind
  readonly sessions: readonly PlannedSession[]
  /** The first tab starts the runs, another follows. */
  readonly tabs: readonly (readonly Kill[])[]
}
export interface PlannedSession {
  readonly id: string
  /** Milliseconds after the tab is opened. */
  readonly start: number
}

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const events = [
  'run-start',
  'user-message',
  'lease-start',
  'step-start',
  'assistant-message',
  'script-turn',
  'tool-decision',
  'approval-response',
  'tool-start',
  'tool-result',
  'tool-reconciled',
]

/** Kills as a run starts, and then at each of the points: writes are cut in two for certain, before their effect and after. */
export function cuttingPlanOf(name: string, write: WriteKind): Plan {
  const at = (what: Kill['what'], point: Point): Kill => ({ what, moment: { type: 'point', point, plus: 0 } })
  return {
    name,
    write,
    sessions: sessionsOf(name, () => 0),
    tabs: [
      [
        { what: 'worker', moment: { type: 'event', event: 'run-start', plus: 0 } },
        at('worker', 'approve'),
        at('worker', 'request'),
        at('both', 'request'),
        at('worker', 'effect'),
        at('both', 'effect'),
        at('worker', 'return'),
      ],
    ],
  }
}

/** Plan number `index` of a seed. `duration`: milliseconds of a page that nobody disturbs. */
export function planOf(seed: number, index: number, duration: number): Plan {
  const random = randomOf(seed * 1_000_003 + index)
  const below = (limit: number): number => Math.floor(random() * limit)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!
  const plus = () => (random() < 0.5 ? 0 : below(30))
  const moment = (): Moment => {
    const draw = random()
    if (draw < 0.35) return { type: 'time', plus: below(duration) }
    if (draw < 0.5) return { type: 'update', count: 1 + below(200), plus: plus() }
    if (draw < 0.7) return { type: 'event', event: pick(events), plus: plus() }
    return { type: 'point', point: pick(points), plus: plus() }
  }
  const kills = (least: number, most: number): Kill[] =>
    Array.from({ length: least + below(1 + most - least) }, () => ({
      what: pick(['worker', 'page', 'both'] as const),
      moment: moment(),
    }))
  const isFollowed = random() < 0.3
  return {
    name: `${seed}-${index}`,
    write: writeKinds[index % writeKinds.length]!,
    sessions: sessionsOf(`${seed}-${index}`, () => below(duration / 2)),
    tabs: isFollowed ? [kills(1, 3), kills(0, 1)] : [kills(1, 3)],
  }
}

const sessionsPerPage = 8

export const sessionsOf = (name: string, start: () => number): PlannedSession[] =>
  Array.from({ length: sessionsPerPage }, (_, i) => ({ id: `${name}-${i}`, start: start() }))
