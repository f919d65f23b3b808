import type { FedResult, Sandbox, Script, ScriptOptions, ScriptTurn } from './script.js'
import { sources } from './readings.js'

/** Takes the types out of a program, and keeps its lines. Throws for what is no TypeScript either. */
export type StripTypes = (code: string) => string

/**
 * The same sandbox for TypeScript: a script that does not compile is tried once more without its types. The stripper is
 * loaded when it is first needed. A replay takes the same two tries.
 */
export function withTypeScript(sandbox: Sandbox, loadStripper: () => Promise<StripTypes>): Sandbox {
  return { ...sandbox, start: (options) => new TypeScriptScript(sandbox, options, loadStripper) }
}

class TypeScriptScript implements Script {
  #script: Script
  #isEnded = false

  constructor(
    private readonly sandbox: Sandbox,
    private readonly options: ScriptOptions,
    private readonly loadStripper: () => Promise<StripTypes>,
  ) {
    this.#script = sandbox.start(options)
  }

  async start(at: number): Promise<ScriptTurn> {
    const [turn] = await this.#begin(async (script) => [await script.start(at)])
    return turn!
  }

  replay(at: number, results: readonly FedResult[]): Promise<readonly ScriptTurn[]> {
    return this.#begin((script) => script.replay(at, results))
  }

  async #begin(begin: (script: Script) => Promise<readonly ScriptTurn[]>): Promise<readonly ScriptTurn[]> {
    const turns = await begin(this.#script)
    if (!isSyntax(turns[0]) || isTooLong(this.options)) return turns
    const code = await this.#stripped()
    if (code === undefined || this.#isEnded) return turns
    this.#script.end()
    this.#script = this.sandbox.start({ ...this.options, code })
    const again = await begin(this.#script)
    return isSyntax(again[0]) ? turns : again
  }

  resume(fed: FedResult): Promise<ScriptTurn> {
    return this.#script.resume(fed)
  }

  end(): void {
    this.#isEnded = true
    this.#script.end()
  }

  async #stripped(): Promise<string | undefined> {
    const strip = await this.loadStripper()
    for (const source of sources(this.options.code)) {
      const code = attempt(() => strip(source))
      if (code !== undefined && code !== source) return code
    }
    return undefined
  }
}

/** In this thread nothing ends what takes too long. */
const isTooLong = ({ code, limits }: ScriptOptions): boolean => code.length > limits.sourceBytes

const isSyntax = (turn: ScriptTurn | undefined): boolean =>
  turn?.outcome?.status === 'error' && turn.outcome.failure.code === 'script_syntax'

function attempt(work: () => string): string | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
