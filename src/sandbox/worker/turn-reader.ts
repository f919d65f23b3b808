import { isBuiltIn } from '../../core/built-ins.js'
import type { ScriptFailureCode, ScriptOutcome } from '../../core/script-outcome.js'
import type { Json, JsonObject } from '../../core/json.js'
import { inputsFactor, type HostCall, type ScriptFailure, type ScriptOptions, type ScriptTurn } from '../script.js'

export type Turns = readonly [ScriptTurn, ...ScriptTurn[]]

/** Characters of a failure's text: those of an engine are shorter. */
const longestText = 32_000
/** Characters of the note that what was printed is cut. */
const longestNote = 1_000
/** How deep a value may be nested: a cycle is deeper than any limit. */
const depthLimit = 512

/** No script that keeps to its limits makes such a turn. */
class Impossible extends Error {}

/**
 * Reads the turns of one script that a sandbox worker sends. It runs code that nobody has read, and may have been taken over:
 * each turn is made anew of the fields that are known, and gains no more than a script may that keeps to its limits.
 */
export class TurnReader {
  #turns = 0
  #fed = 0
  #calls = 0
  #inputBytes = 0
  #printBytes = 0

  constructor(private readonly options: Pick<ScriptOptions, 'tools' | 'limits'>) {}

  /**
   * One turn for the start and one for each result, fewer only if the script ended.
   * @param fed results that it was fed with the request
   * @returns nothing if the script cannot have made these turns
   */
  read(sent: readonly unknown[], fed: number): Turns | undefined {
    this.#fed += fed
    try {
      must(sent.length > 0 && sent.length <= this.#fed + 1 - this.#turns)
      const turns = Array.from(sent, (turn) => this.#turn(turn))
      must(turns.slice(0, -1).every(({ outcome }) => !outcome))
      must(turns.at(-1)!.outcome || this.#turns === this.#fed + 1)
      return turns as [ScriptTurn, ...ScriptTurn[]]
    } catch (error) {
      if (error instanceof Impossible) return undefined
      throw error
    }
  }

  #turn(sent: unknown): ScriptTurn {
    const { limits } = this.options
    const { calls, prints, outcome, state, cpuMs, memoryBytes, line } = record(sent)
    must(isNumber(cpuMs) && cpuMs >= 0 && isCount(memoryBytes) && (line === undefined || isCount(line)))
    must(state === undefined || (isPlain(state) && outcome !== undefined))
    const turn: ScriptTurn = {
      calls: list(calls, limits.calls).map((call) => this.#call(call)),
      prints: list(prints, limits.printBytes + 1).map((print) => this.#print(print)),
      ...(outcome !== undefined && { outcome: this.#outcome(outcome) }),
      ...(state !== undefined && { state: json(state, limits.stateBytes) as JsonObject }),
      cpuMs,
      memoryBytes,
      ...(line !== undefined && { line }),
    }
    const open = this.#calls - this.#turns++
    must(open <= limits.openCalls && (turn.outcome || open > 0))
    return turn
  }

  #call(sent: unknown): HostCall {
    const { limits, tools } = this.options
    const { n, toolName, input, line } = record(sent)
    must(n === this.#calls++ && this.#calls <= limits.calls)
    must(typeof toolName === 'string' && (tools.includes(toolName) || isBuiltIn(toolName)))
    const left = Math.min(limits.inputBytes, limits.inputBytes * inputsFactor - this.#inputBytes)
    this.#inputBytes += leastBytes(input, left)
    must(line === undefined || (isCount(line) && line > 0))
    return { n, toolName, input: input as Json, ...(line !== undefined && { line }) }
  }

  #print(sent: unknown): string {
    must(typeof sent === 'string')
    this.#printBytes += sent.length + 1
    must(this.#printBytes <= this.options.limits.printBytes + longestNote)
    return sent
  }

  #outcome(sent: unknown): ScriptOutcome {
    const { status, value, failure } = record(sent)
    if (status === 'ok') return { status, value: json(value, this.options.limits.returnBytes) }
    must(status === 'error')
    return { status, failure: failureOf(record(failure)) }
  }
}

const codes: Readonly<Record<ScriptFailureCode, true>> = {
  script_syntax: true,
  script_check: true,
  script_thrown: true,
  script_tool_error: true,
  script_denied: true,
  script_cpu: true,
  script_wall: true,
  script_memory: true,
  script_stack: true,
  script_calls: true,
  script_output: true,
  script_deadlock: true,
  script_crashed: true,
  script_diverged: true,
}

function failureOf({ code, message, retryable, line, column, frame, hint }: Record<string, unknown>): ScriptFailure {
  must(typeof code === 'string' && Object.hasOwn(codes, code))
  must(isText(message) && typeof retryable === 'boolean')
  must([line, column].every((at) => at === undefined || isCount(at)))
  must([frame, hint].every((text) => text === undefined || isText(text)))
  const more = { line, column, frame, hint } as Partial<ScriptFailure>
  return {
    code: code as ScriptFailureCode,
    message,
    retryable,
    ...Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined)),
  }
}

function json(value: unknown, limit: number): Json {
  leastBytes(value, limit)
  return value as Json
}

/**
 * Bytes that a value takes as JSON, at the least. A message can hold a part more than once, in itself too, and lists with
 * billions of holes: it is read no further than to the limit.
 */
function leastBytes(value: unknown, limit: number): number {
  let left = limit
  const spend = (bytes: number) => must((left -= bytes) >= 0)
  const visit = (item: unknown, depth: number): void => {
    if (typeof item === 'string') return spend(item.length + 2)
    if (item === null || typeof item === 'boolean' || isNumber(item)) return spend(1)
    must(depth < depthLimit)
    if (Array.isArray(item)) {
      spend(item.length + 1)
      // No hole, and nothing beside its items.
      must(Object.keys(item).length === item.length)
      for (let i = 0; i < item.length; i++) visit(item[i], depth + 1)
      return
    }
    must(isPlain(item))
    spend(2)
    for (const key of Object.keys(item)) {
      spend(key.length + 3)
      visit(item[key], depth + 1)
    }
  }
  visit(value, 0)
  return limit - left
}

function must(isPossible: unknown): asserts isPossible {
  if (!isPossible) throw new Impossible()
}

function record(value: unknown): Record<string, unknown> {
  must(typeof value === 'object' && value !== null)
  return value as Record<string, unknown>
}

function list(value: unknown, longest: number): readonly unknown[] {
  must(Array.isArray(value) && value.length <= longest)
  return Array.from(value as unknown[])
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= longestText
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
