import { mostSources, type Source } from '../core/approval.js'
import type { Json } from '../core/json.js'
import { changedPaths, eachLeaf, leavesOf, type Leaf } from '../core/leaves.js'
import { segmentsOf, valuesAt } from '../core/value-path.js'
import { createWords, type Words } from './words.js'

/** What a tool of the app returned. What a script returns is none: the outputs of its calls are. */
export interface SeenOutput {
  readonly toolName: string
  /** The call's key in the session. */
  readonly call: string
  readonly trusted: boolean
  readonly output: Json
}

/** Values that are remembered to tell a person where they were seen. Beyond them, nothing is said of a value. */
const mostRemembered = 500_000
/** A person is told of at most so many other things than tools that were read. */
const mostUntrusted = 64

/** Where the values of a session came from: a fold over its events. What is looked for is indexed when it is first looked for. */
export class Provenance {
  readonly #user = createWords()
  readonly #app = createWords()
  readonly #instructions = new Map<string, Words>()
  readonly #persons = new Set<Leaf>()
  readonly #edits = new Map<string, Set<string>>()
  readonly #outputs: SeenOutput[] = []
  readonly #byTool = new Map<string, SeenOutput[]>()
  readonly #origins = new Map<string, { seen: number; readonly values: Set<Leaf> }>()
  /** By value: the newest output that holds it. */
  readonly #everywhere = new Map<Leaf, SeenOutput>()
  #remembered = 0
  readonly #untrusted = new Set<string>()
  #warnings: readonly string[] = []

  sawUser(text: string): void {
    this.#user.add(text)
  }

  sawInstructions(text: string): void {
    this.#app.add(text)
  }

  /** The person put in what is not as it was. */
  sawEdit(call: string, before: Json, after: Json): void {
    const paths = changedPaths(before, after)
    this.#edits.set(call, new Set([...(this.#edits.get(call) ?? []), ...paths]))
    for (const { path, value } of leavesOf(after)) if (paths.has(path)) this.#persons.add(value)
  }

  sawOutput(seen: SeenOutput): void {
    this.#outputs.push(seen)
    const ofTool = this.#byTool.get(seen.toolName)
    if (ofTool) ofTool.push(seen)
    else this.#byTool.set(seen.toolName, [seen])
  }

  sawUntrusted(name: string): void {
    if (this.#untrusted.size < mostUntrusted) this.#untrusted.add(name)
  }

  sawWarnings(warnings: readonly string[]): void {
    this.#warnings = [...new Set([...this.#warnings, ...warnings])]
  }

  get untrusted(): readonly string[] {
    return [...this.#untrusted]
  }

  /** Of guardrails over outputs. */
  get warnings(): readonly string[] {
    return this.#warnings
  }

  /** Whether a person changed what is at this path of a call's input. */
  isPersons(call: string, path: string): boolean {
    return this.#edits.get(call)?.has(path) ?? false
  }

  /**
   * Whether the value came from there: `user`, `app`, or a tool and a path of its output.
   * @param instructions those that the model has
   */
  isFrom(origin: string, value: Leaf, instructions: string): boolean {
    if (origin === 'user') return this.#user.has(value) || this.#persons.has(value)
    if (origin === 'app') return this.#isApps(value, instructions)
    const at = origin.indexOf(':')
    return at > 0 && this.#valuesOf(origin, origin.slice(0, at), origin.slice(at + 1)).has(value)
  }

  /** Where the values of an input were seen, the newest place of each. `filled` are fields of the app's. */
  sourcesOf(
    { call, input, filled }: { readonly call: string; readonly input: Json; readonly filled: readonly string[] },
    instructions: string,
  ): readonly Source[] {
    this.#rememberAll()
    return leavesOf(input)
      .slice(0, mostSources)
      .flatMap(({ path, value }): Source[] => {
        if (filled.includes(segmentsOf(path)[0] ?? '')) return [{ path, from: 'app' }]
        if (this.isPersons(call, path)) return [{ path, from: 'person' }]
        if (this.isFrom('user', value, instructions)) return [{ path, from: 'user' }]
        const seen = this.#everywhere.get(value)
        if (seen) return [{ path, from: 'tool', toolName: seen.toolName, call: seen.call, trusted: seen.trusted }]
        if (this.#isApps(value, instructions)) return [{ path, from: 'app' }]
        return this.#everywhere.size < mostRemembered ? [{ path, from: 'model' }] : []
      })
  }

  #isApps(value: Leaf, instructions: string): boolean {
    let words = this.#instructions.get(instructions)
    if (!words) this.#instructions.set(instructions, (words = createWords(instructions)))
    return words.has(value) || this.#app.has(value)
  }

  /** Each output is walked once for an origin, however often it is asked for. */
  #valuesOf(origin: string, toolName: string, path: string): ReadonlySet<Leaf> {
    let known = this.#origins.get(origin)
    if (!known) this.#origins.set(origin, (known = { seen: 0, values: new Set() }))
    const outputs = this.#byTool.get(toolName) ?? []
    for (; known.seen < outputs.length; known.seen++)
      for (const { value } of valuesAt(outputs[known.seen]!.output, path))
        eachLeaf(value, (leaf) => known.values.add(leaf))
    return known.values
  }

  #rememberAll(): void {
    for (; this.#remembered < this.#outputs.length; this.#remembered++) {
      const seen = this.#outputs[this.#remembered]!
      eachLeaf(seen.output, (leaf) => {
        if (this.#everywhere.size < mostRemembered) this.#everywhere.set(leaf, seen)
      })
    }
  }
}
