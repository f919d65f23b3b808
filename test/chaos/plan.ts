/** How a tool that writes says what became of an interrupted call. */
export const declarations = ['plain', 'reconciles', 'idempotent'] as const
export type Declaration = (typeof declarations)[number]
/** Where its effects are kept: in a database of the page's own, or by a server. */
export const places = ['page', 'server'] as const
export type Place = (typeof places)[number]
export type WriteKind = `${Place}_${Declaration}`

export const writeKinds: readonly WriteKind[] = declarations.flatMap((declaration) =>
  places.map((place): WriteKind => `${place}_${declaration}`),
)

/**
 * How the model goes about it. `script`: one order in a script, after three reads at once. `loop`: a script with three orders,
 * one after the other, of which the person approves the rest with the first. `all`: a script that asks for three at once.
 * `direct`: a read, and an order that the model calls itself. `pair`: two orders in one message.
 */
export const shapes = ['script', 'direct', 'loop', 'pair', 'all'] as const
export type Shape = (typeof shapes)[number]

export const partsOf: Readonly<Record<Shape, readonly string[]>> = {
  script: ['bolts'],
  direct: ['bolts'],
  loop: ['bolts', 'nuts', 'plates'],
  pair: ['bolts', 'nuts'],
  all: ['bolts', 'nuts', 'plates'],
}

/** Places in the page's own work, where a disturbance cuts a write in two. */
export const points = ['approve', 'request', 'effect', 'return'] as const
export type Point = (typeof points)[number]

/**
 * `plus` milliseconds after the tab was loaded, or disturbed for the last time; or after the first such thing since then.
 * `append` is in the agent worker: right before event `count` of this type is stored, or right after, before anything follows.
 * `turn`: as message `count` goes to a sandbox worker.
 */
export type Moment =
  | { readonly type: 'time'; readonly plus: number }
  | { readonly type: 'update'; readonly count: number; readonly plus: number }
  | { readonly type: 'event'; readonly event: string; readonly plus: number }
  | { readonly type: 'point'; readonly point: Point; readonly plus: number }
  | { readonly type: 'append'; readonly event: string; readonly side: 'before' | 'after'; readonly count: number }
  | { readonly type: 'turn'; readonly count: number }

/**
 * What ends, or fails: the agent worker, the page (it is loaded again), both, the tab (closed, and opened again), the browser's
 * process, a sandbox worker, or an append to the store, for want of space or because its transaction is aborted.
 */
export const victims = ['agent', 'page', 'both', 'tab', 'browser', 'sandbox', 'space', 'transaction'] as const
export type Victim = (typeof victims)[number]

export interface Disturbance {
  readonly victim: Victim
  readonly moment: Moment
}

/**
 * What becomes of a request to the server, or of its answer. `drop`: the request is lost. `lose`: done, and the connection
 * ends without an answer. `cut`: in the middle of it. `delay`: it comes late. `late`: the request is, and done then. `double`:
 * the request comes twice. `error`: done, and answered with a 500.
 */
export const networkFaults = ['drop', 'lose', 'cut', 'delay', 'late', 'double', 'error'] as const
export type NetworkFault = (typeof networkFaults)[number]

/** Sessions that share a page, and what happens to it. */
export interface Plan {
  readonly name: string
  readonly sessions: readonly PlannedSession[]
  /** The disturbances of each tab, in order. The first tab starts the runs, another follows. */
  readonly tabs: readonly (readonly Disturbance[])[]
  /** What happens to the requests to the server, in their order; to the others nothing does. */
  readonly network: readonly (NetworkFault | null)[]
}
export interface PlannedSession {
  readonly id: string
  /** Milliseconds after the tab is opened. */
  readonly start: number
  readonly shape: Shape
  readonly write: WriteKind
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

export const events = [
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
  'run-end',
] as const

/** Every end at every boundary of the log, and every point of a write. Played first, so that none depends on luck. */
export function certainPlans(seed: number): Plan[] {
  const ends: readonly Victim[] = ['agent', 'page', 'tab', 'browser', 'both']
  const boundaries = events.flatMap((event) => (['before', 'after'] as const).map((side) => ({ event, side })))
  const atBoundaries = boundaries.map(({ event, side }, i): Disturbance[] => {
    const at = (count: number): Moment => ({ type: 'append', event, side, count })
    return [
      { victim: 'agent', moment: at(1 + (i % 3)) },
      { victim: ends[1 + (i % 4)]!, moment: at(1) },
      { victim: side === 'before' ? 'space' : 'transaction', moment: { ...at(1), side: 'before' } as Moment },
    ]
  })
  const atPoints = points.map((point): Disturbance[] => {
    const at = (victim: Victim): Disturbance => ({ victim, moment: { type: 'point', point, plus: 0 } })
    return [at('agent'), at('both'), at('browser'), at('page'), at('tab')]
  })
  const turns: Disturbance[] = [1, 2, 3].map((count) => ({ victim: 'sandbox', moment: { type: 'turn', count } }))
  const none: Disturbance[] = []
  // What comes early has happened even where there is little time.
  const all = [none, turns, ...atBoundaries.slice(-6, -4), ...atPoints, ...atBoundaries]
  return all.map((tab, i) => {
    const name = `${seed}-c${i}`
    const network = i > 0 ? networkFaults.flatMap((fault) => [fault, null]) : []
    return { name, sessions: sessionsOf(name, i, () => 0), tabs: [tab], network }
  })
}

/** Plan number `index` of a seed. `duration`: milliseconds of a page that nobody disturbs. */
export function planOf(seed: number, index: number, duration: number): Plan {
  const random = randomOf(seed * 1_000_003 + index)
  const below = (limit: number): number => Math.floor(random() * limit)
  const pick = <T>(list: readonly T[]): T => list[below(list.length)]!
  const plus = () => (random() < 0.5 ? 0 : below(30))
  const side = () => (random() < 0.5 ? 'before' : 'after')
  const append = (): Moment => ({ type: 'append', event: pick(events), side: side(), count: 1 + below(8) })
  const moment = (): Moment => {
    const draw = random()
    if (draw < 0.3) return { type: 'time', plus: below(duration) }
    if (draw < 0.4) return { type: 'update', count: 1 + below(200), plus: plus() }
    if (draw < 0.5) return { type: 'event', event: pick(events), plus: plus() }
    return draw < 0.7 ? { type: 'point', point: pick(points), plus: plus() } : append()
  }
  const disturbance = (): Disturbance => {
    const victim = pick([...victims, 'agent', 'page', 'agent'] as const)
    if (victim === 'sandbox') return { victim, moment: { type: 'turn', count: 1 + below(40) } }
    if (victim === 'space' || victim === 'transaction')
      return { victim, moment: { ...append(), side: 'before' } as Moment }
    return { victim, moment: moment() }
  }
  const disturbances = (least: number, most: number): Disturbance[] =>
    Array.from({ length: least + below(1 + most - least) }, disturbance)
  const isFollowed = random() < 0.3
  const name = `${seed}-${index}`
  return {
    name,
    sessions: sessionsOf(name, index, () => below(duration / 2)),
    tabs: isFollowed ? [disturbances(1, 4), disturbances(0, 2)] : [disturbances(1, 4)],
    network: Array.from({ length: 60 }, () => (random() < 0.15 ? pick(networkFaults) : null)),
  }
}

const sessionsPerPage = 15

/** Each shape with each kind of write meets in two pages. */
const sessionsOf = (name: string, index: number, start: () => number): PlannedSession[] =>
  Array.from({ length: sessionsPerPage }, (_, i) => {
    const nth = index * sessionsPerPage + i
    const shape = shapes[nth % shapes.length]!
    const write = writeKinds[Math.floor(nth / shapes.length) % writeKinds.length]!
    return { id: `${name}-${i}`, start: start(), shape, write }
  })
