import type { checkScript } from './check/check-script.js'
import type { parseScript, Tree } from './check/tree.js'
import type { Watched, watchWaits } from './check/waits.js'
import type { FedResult, Sandbox, Script, ScriptFailure, ScriptOptions, ScriptTurn } from './script.js'
import { hasTypeArguments, type StripTypes } from './typescript.js'

/** Reads a script without running it. */
export interface ScriptReader {
  readonly parse: typeof parseScript
  readonly check: typeof checkScript
  readonly watch: typeof watchWaits
}

/** Milliseconds that the line of a deadlock may take: the next free worker may be far. */
const watchTimeout = 1_000
/** Bytes that a watched script may print. */
const watchBytes = 16 << 20

/**
 * The same sandbox, which looks at a script before its start: one with a fault ends before it makes a call. What was started
 * once is not looked at again. One that waits for ever is run once more, watched, to learn where. Reader and stripper are
 * loaded when they are first needed; without them a script runs all the same.
 */
export function withCheck(
  sandbox: Sandbox,
  loadReader: () => Promise<ScriptReader>,
  loadStripper: () => Promise<StripTypes>,
): Sandbox {
  return { ...sandbox, start: (options) => new CheckedScript(sandbox, options, loadReader, loadStripper) }
}

class CheckedScript implements Script {
  readonly #script: Script
  readonly #fed: FedResult[] = []
  #startedAt = 0

  constructor(
    private readonly sandbox: Sandbox,
    private readonly options: ScriptOptions,
    private readonly loadReader: () => Promise<ScriptReader>,
    private readonly loadStripper: () => Promise<StripTypes>,
  ) {
    this.#script = sandbox.start(options)
  }

  async start(at: number): Promise<ScriptTurn> {
    this.#startedAt = at
    const failure = await this.#check()
    if (!failure) return this.#located(await this.#script.start(at))
    this.#script.end()
    return { calls: [], prints: [], outcome: { status: 'error', failure }, cpuMs: 0, memoryBytes: 0 }
  }

  replay(at: number, results: readonly FedResult[]): Promise<readonly ScriptTurn[]> {
    this.#startedAt = at
    this.#fed.push(...results)
    return this.#script.replay(at, results)
  }

  async resume(fed: FedResult): Promise<ScriptTurn> {
    this.#fed.push(fed)
    return this.#located(await this.#script.resume(fed))
  }

  end(): void {
    this.#script.end()
  }

  #check(): Promise<ScriptFailure | undefined> {
    const { options } = this
    if (!options.definitions) return Promise.resolve(undefined)
    return this.#read((tree, reader) => reader.check(tree, options))
  }

  /** What the reader finds; nothing of a text that it cannot read, or while it cannot be loaded. */
  async #read<T>(find: (tree: Tree, reader: ScriptReader) => T): Promise<T | undefined> {
    const { options } = this
    if (options.code.length > options.limits.sourceBytes) return undefined
    try {
      const reader = await this.loadReader()
      const typed = async () => reader.parse(options, await this.loadStripper())
      const tree = hasTypeArguments(options)
        ? ((await typed()) ?? reader.parse(options))
        : (reader.parse(options) ?? (await typed()))
      return tree && find(tree, reader)
    } catch {
      return undefined
    }
  }

  async #located(turn: ScriptTurn): Promise<ScriptTurn> {
    if (turn.outcome?.status !== 'error' || turn.outcome.failure.code !== 'script_deadlock') return turn
    const watched = await this.#read((tree, reader) => reader.watch(tree))
    const place = watched && (await this.#placeIn(watched))
    return place ? { ...turn, outcome: { status: 'error', failure: { ...turn.outcome.failure, ...place } } } : turn
  }

  /** Nothing comes of this run but what it prints. */
  async #placeIn({ code, placeOf }: Watched) {
    const { definitions: _, ...options } = this.options
    const limits = { ...options.limits, printBytes: watchBytes, sourceBytes: watchBytes }
    const script = this.sandbox.start({ ...options, code, limits })
    const timer = setTimeout(() => script.end(), watchTimeout)
    try {
      const turns = await script.replay(this.#startedAt, this.#fed)
      return placeOf(turns.flatMap(({ prints }) => prints))
    } catch {
      return undefined
    } finally {
      clearTimeout(timer)
      script.end()
    }
  }
}
