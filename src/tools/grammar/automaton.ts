import { sideOf, sides, type CharacterSet, type Side } from './characters.js'
import { spend, wrong, type Definition, type Meter } from './fault.js'
import { mostParts, tooLarge, type Edge, type Pattern } from './pattern.js'

/** A step is free, or takes a character, or asks what is beside it. */
interface Node {
  readonly set?: CharacterSet
  readonly edge?: Edge
  to: readonly number[]
}

/** All nodes that a text can have led to, and what was read last. */
interface State {
  readonly nodes: readonly number[]
  readonly before: Side
  /** By the code point that comes; -1 for the end. */
  readonly moves: Map<number, Move>
  /** By what comes. */
  readonly reaches: Reach[]
}

/** All nodes that take no character to get to, among them those of edges that do not hold. */
interface Reach {
  readonly nodes: readonly number[]
  readonly accepts: boolean
}

interface Move {
  /** Absent: nothing goes on with this character. */
  readonly next?: State
  /** Whether the text matched before this character. */
  readonly accepts: boolean
}

/** The longest match from a place. */
export interface Run {
  /** Where it ends; -1 if there is none. */
  readonly end: number
  /** Where no longer one was possible any more. */
  readonly stopped: number
  readonly state: State
}

const accept = 0
/** Patterns in patterns, with the terminals that one is made of. */
const mostNested = 1_000
/** Steps that a node costs when it is looked at for a new state. */
const nodeSteps = 3
/** States that are kept, for all texts together. */
const mostStates = 1_000
/** Nodes that are kept with them. */
const mostKept = 200_000

/**
 * A regular expression as an automaton that looks at each character once, at all of its ways together: no text makes it go
 * back. A state is made when a text first leads to it.
 */
export class Automaton {
  readonly #nodes: Node[] = [{ to: [] }]
  readonly #start: number
  /** Without edges, it does not matter what is beside a place. */
  readonly #sideOf: (point: number | undefined) => Side
  /** By what was before. */
  readonly #starts: State[] = []
  #states = new Map<string, State>()
  #kept = 0

  /** @throws {HandrailError} `invalid_tool` if it is too large. */
  constructor(pattern: Pattern, definition: Definition) {
    let cost = 0
    const add = (node: Node): number => this.#nodes.push(node) - 1
    const build = (part: Pattern, next: number, blame: number, depth = 0): number => {
      if (depth > mostNested) wrong(definition, blame, `it is nested deeper than ${mostNested} levels`)
      if (++cost > mostParts) tooLarge(definition, blame)
      switch (part.type) {
        case 'character':
          return add({ set: part.set, to: [next] })
        case 'edge':
          return add({ edge: part.edge, to: [next] })
        case 'all':
          return part.parts.reduceRight((to, each) => build(each, to, blame, depth + 1), next)
        case 'any':
          return add({ to: part.parts.map((each) => build(each, next, blame, depth + 1)) })
        case 'token':
          return build(part.pattern, next, blame, depth + 1)
        case 'name':
          throw new Error(`The name ${part.name} was not resolved`)
        case 'repeat': {
          const { part: inner, least, most } = part
          const at = blame || part.at
          let first = next
          if (most === Infinity) {
            first = add({ to: [] })
            const body = build(inner, first, at, depth + 1)
            this.#nodes[first]!.to = [body, next]
            if (least > 0) first = body
          } else for (let i = least; i < most; i++) first = add({ to: [build(inner, first, at, depth + 1), next] })
          for (let i = most === Infinity ? 1 : 0; i < least; i++) first = build(inner, first, at, depth + 1)
          return first
        }
      }
    }
    this.#start = build(pattern, accept, 0)
    this.#sideOf = this.#nodes.some(({ edge }) => edge) ? sideOf : () => sides.other
  }

  /** Counts each character, and each node that had to be looked at. */
  run(text: string, from: number, meter: Meter): Run {
    const side = this.#sideOf(pointBefore(text, from))
    let state = (this.#starts[side] ??= { nodes: [this.#start], before: side, moves: new Map(), reaches: [] })
    let end = -1
    for (let at = from; ;) {
      const point = text.codePointAt(at)
      const move = state.moves.get(point ?? -1) ?? this.#move(state, point, meter)
      spend(meter, 1)
      if (move.accepts) end = at
      if (!move.next) return { end, stopped: at, state }
      state = move.next
      at += point! > 0xffff ? 2 : 1
    }
  }

  get isNullable(): boolean {
    return this.run('', 0, { left: Infinity }).end === 0
  }

  #state(nodes: readonly number[], before: Side): State {
    const key = `${before} ${nodes.join()}`
    const known = this.#states.get(key)
    if (known) return known
    if (this.#states.size > mostStates || this.#kept > mostKept) {
      this.#states = new Map()
      this.#kept = 0
    }
    const state: State = { nodes, before, moves: new Map(), reaches: [] }
    this.#kept += nodes.length
    this.#states.set(key, state)
    return state
  }

  #move(state: State, point: number | undefined, meter: Meter): Move {
    const side = this.#sideOf(point)
    const { nodes, accepts } = this.#reach(state, side)
    spend(meter, nodes.length * nodeSteps)
    const next = new Set<number>()
    if (point !== undefined)
      for (const node of nodes) {
        const { set, to } = this.#nodes[node]!
        if (set?.has(point)) next.add(to[0]!)
      }
    const move: Move = {
      accepts,
      ...(next.size > 0 && {
        next: this.#state(
          [...next].toSorted((a, b) => a - b),
          side,
        ),
      }),
    }
    state.moves.set(point ?? -1, move)
    this.#kept++
    return move
  }

  #reach(state: State, after: Side): Reach {
    const known = state.reaches[after]
    if (known) return known
    const seen = new Set(state.nodes)
    for (const node of seen) {
      const { set, edge, to } = this.#nodes[node]!
      if (!set && (!edge || edge.holds(state.before, after))) for (const next of to) seen.add(next)
    }
    this.#kept += seen.size
    return (state.reaches[after] = { nodes: [...seen], accepts: seen.has(accept) })
  }

  /** What could have gone on where a run stopped. */
  expected(text: string, { state, stopped }: Run): readonly string[] {
    const after = this.#sideOf(text.codePointAt(stopped))
    const shown = this.#reach(state, after).nodes.flatMap((node) => {
      const { set, edge } = this.#nodes[node]!
      if (set) return [set.shown]
      return edge && !edge.holds(state.before, after) ? [edge.shown] : []
    })
    return [...new Set(shown)]
  }
}

function pointBefore(text: string, at: number): number | undefined {
  if (at === 0) return undefined
  const unit = text.charCodeAt(at - 1)
  return at > 1 && unit >= 0xdc00 && unit < 0xe000 ? text.codePointAt(at - 2) : unit
}
