import type { ScriptFailure } from '../core/script-outcome.js'
import { versionOf } from './engine-name.js'
import { crashFailure, emptyFailure } from './failures.js'
import { HandrailError } from '../errors.js'
import { frameOf } from './program.js'
import { scriptFailure } from './script.js'
import type { FedResult, Sandbox, Script, ScriptOptions, ScriptTurn } from './script.js'
import { sources } from './sources.js'

/** A program without its types. Its lines are those of the program. */
export interface Stripped {
  readonly code: string
  /** Where a column of a line stood, all from 1. */
  readonly columnOf: (line: number, column: number) => number
}

/** Takes the types out of a program. Throws for what is no TypeScript either. */
export type StripTypes = (source: string) => Stripped

/**
 * The same sandbox for TypeScript: a script that does not compile is tried once more without its types. The stripper is
 * loaded when it is first needed. A replay takes the same tries.
 */
export function withTypeScript(sandbox: Sandbox, loadStripper: () => Promise<StripTypes>): Sandbox {
  return { ...sandbox, start: (options) => new TypeScriptScript(sandbox, options, loadStripper) }
}

/** A text that was stripped, and its places in the model's own text. */
export interface StrippedSource {
  readonly code: string
  readonly toOwn: <P extends Place>(place: P) => P
}
type Place = Pick<ScriptFailure, 'line' | 'column' | 'frame'>

/** It is code, and the stripper leaves it out. */
const namespace = /^[ \t]*(?:export[ \t]+)?(?:namespace|module)[ \t]+[\w$.]+\s*\{/m

const isLeftOut = (source: string, { code }: Stripped): boolean => namespace.test(source) && !namespace.test(code)

/** The texts that may be the script, those that have types, without them; as the engine they were started on reads them. */
export function* strippedSources(
  { code, engine }: Pick<ScriptOptions, 'code' | 'engine'>,
  strip: StripTypes,
): Generator<StrippedSource> {
  for (const source of sources(code, engine)) {
    const stripped = attempt(() => strip(source))
    if (stripped === undefined || stripped.code === source) continue
    if (versionOf(engine) !== 1 && isLeftOut(source, stripped)) continue
    yield { code: stripped.code, toOwn: (place) => placeBefore(place, source, stripped) }
    if (versionOf(engine) === 1) return
  }
}

function placeBefore<P extends Place>(place: P, source: string, { columnOf }: Stripped): P {
  const { line } = place
  if (line === undefined || place.column === undefined) return place
  const column = columnOf(line, place.column)
  return { ...place, column, frame: frameOf(source, line, column) }
}

class TypeScriptScript implements Script {
  #script: Script
  #source?: StrippedSource
  #isEnded = false

  constructor(
    private readonly sandbox: Sandbox,
    private readonly options: ScriptOptions,
    private readonly loadStripper: () => Promise<StripTypes>,
  ) {
    this.#script = sandbox.start(options)
  }

  async start(at: number): Promise<ScriptTurn> {
    const [turn] = await this.#begin(
      async (script) => [await script.start(at)],
      () => undefined,
    )
    return turn!
  }

  replay(at: number, results: readonly FedResult[]): Promise<readonly ScriptTurn[]> {
    // Without its stripper, what the script did before cannot be known.
    return this.#begin(
      (script) => script.replay(at, results),
      (cause) => {
        const message = 'Cannot replay a script: what takes the types out of it does not load'
        throw new HandrailError('sandbox_unavailable', message, { cause, retryable: true })
      },
    )
  }

  async #begin(
    begin: (script: Script) => Promise<readonly ScriptTurn[]>,
    onNoStripper: (cause: unknown) => undefined,
  ): Promise<readonly ScriptTurn[]> {
    if (hasTypeArguments(this.options)) {
      const strip = await this.loadStripper().catch(onNoStripper)
      if (!strip) return [unstripped]
      const { turns } = await this.#beginStripped(begin, strip)
      if (turns) return turns
      this.#script.end()
      this.#script = this.sandbox.start(this.options)
      if (this.#isEnded) this.#script.end()
    }
    const turns = await begin(this.#script)
    if (!isSyntax(turns[0]) || isTooLong(this.options)) return turns
    const strip = await this.loadStripper().catch(onNoStripper)
    if (!strip) return turns
    const stripped = await this.#beginStripped(begin, strip)
    if (stripped.turns) return stripped.turns
    if (this.#isEnded) return turns
    const failures = [failureOf(turns[0]), ...stripped.failures]
    const [first = ''] = sources(this.options.code, this.options.engine)
    const failure = furthest([...failures.slice(0, 2), ...failuresOfStripping(first, strip)])
    return [{ ...turns[0]!, outcome: { status: 'error', failure } }]
  }

  /** The first text that compiles without its types. */
  async #beginStripped(begin: (script: Script) => Promise<readonly ScriptTurn[]>, strip: StripTypes) {
    const failures: ScriptFailure[] = []
    for (const source of strippedSources(this.options, strip)) {
      if (this.#isEnded) break
      this.#script.end()
      this.#script = this.sandbox.start({ ...this.options, code: source.code })
      const turns = await begin(this.#script)
      if (!isSyntax(turns[0])) {
        this.#source = source
        return { turns: turns.map((turn) => this.#inOwnText(turn)), failures }
      }
      failures.push(source.toOwn(failureOf(turns[0])))
    }
    return { failures }
  }

  async resume(fed: FedResult): Promise<ScriptTurn> {
    return this.#inOwnText(await this.#script.resume(fed))
  }

  end(): void {
    this.#isEnded = true
    this.#script.end()
  }

  #inOwnText(turn: ScriptTurn): ScriptTurn {
    if (turn.outcome?.status !== 'error' || !this.#source) return turn
    return { ...turn, outcome: { status: 'error', failure: this.#source.toOwn(turn.outcome.failure) } }
  }
}

const typeArguments = /[\w$]<(?=[A-Za-z_${['"])[^<>=&()`]{0,200}(?:<[^<>=&()`]{0,100}>[^<>=&()`]{0,100}){0,4}>\(/

/** `list<string>(x)` compiles without TypeScript too, as comparisons that nobody means: such a text is read as TypeScript first. */
export const hasTypeArguments = (options: Pick<ScriptOptions, 'code' | 'engine' | 'limits'>): boolean =>
  versionOf(options.engine) !== 1 && !isTooLong(options) && typeArguments.test(options.code)

const unstripped: ScriptTurn = {
  calls: [],
  prints: [],
  outcome: {
    status: 'error',
    failure: crashFailure('what takes the types out of it does not load. Write it in JavaScript'),
  },
  cpuMs: 0,
  memoryBytes: 0,
}

/** In this thread nothing ends what takes too long. */
const isTooLong = ({ code, limits }: Pick<ScriptOptions, 'code' | 'limits'>): boolean =>
  code.length > limits.sourceBytes

const isSyntax = (turn: ScriptTurn | undefined): boolean =>
  turn?.outcome?.status === 'error' && turn.outcome.failure.code === 'script_syntax'

const failureOf = (turn: ScriptTurn | undefined): ScriptFailure =>
  turn?.outcome?.status === 'error' ? turn.outcome.failure : emptyFailure

/** To the engine, each type is a fault: the true one is where a reader of types stops. */
function furthest([plain, ...others]: readonly ScriptFailure[]): ScriptFailure {
  const hinted = [plain!, ...others].find(({ hint }) => hint !== undefined)
  if (hinted) return hinted
  const isBefore = (a: ScriptFailure, b: ScriptFailure) =>
    a.line === b.line ? (a.column ?? 0) < (b.column ?? 0) : (a.line ?? 0) < (b.line ?? 0)
  return others.reduce((best, other) => (isBefore(best, other) ? other : best), plain!)
}

function failuresOfStripping(source: string, strip: StripTypes): ScriptFailure[] {
  try {
    const at = isLeftOut(source, strip(source)) ? source.search(namespace) : -1
    if (at < 0) return []
    const line = source.slice(0, at).split('\n').length
    const hint = 'A script has no namespaces: write const NAME = { ... }.'
    const message = 'SyntaxError: a namespace is no declaration of a script'
    return [scriptFailure('script_syntax', message, { line, column: 1, frame: frameOf(source, line, 1), hint })]
  } catch (error) {
    const { message, loc } = error as Error & { readonly loc?: { readonly line: number; readonly column: number } }
    if (!(error instanceof SyntaxError) || !loc) return []
    const { line, column } = loc
    const text = `SyntaxError: ${message.replace(/^Error (?:parsing|transforming) [^:]*: /, '').replace(/ \(\d+:\d+\)$/, '')}`
    return [scriptFailure('script_syntax', text, { line, column, frame: frameOf(source, line, column) })]
  }
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
