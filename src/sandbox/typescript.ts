import type { ScriptTurn, HostResult, Sandbox, Script, ScriptOptions } from './script.js'
import { sources } from './readings.js'

/** Takes the types out of a program, and keeps its lines. Throws for what is no TypeScript either. */
export type StripTypes = (code: string) => string

/**
 * The same sandbox for TypeScript: a script that does not compile is tried once more without its types. The stripper is
 * loaded when it is first needed. A replay takes the same two tries.
 */
export function withTypeScript(sandbox: Sandbox, loadStripper: () => Promise<StripTypes>): Sandbox {
  return { engine: sandbox.engine, start: (options) => new TypeScriptScript(sandbox, options, loadStripper) }
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

  async start(at: number, isReplay?: boolean): Promise<ScriptTurn> {
    const turn = await this.#script.start(at, isReplay)
    if (turn.outcome?.status !== 'error' || turn.outcome.failure.code !== 'script_syntax') return turn
    const code = await this.#stripped()
    if (code === undefined || this.#isEnded) return turn
    this.#script.end()
    this.#script = this.sandbox.start({ ...this.options, code })
    const again = await this.#script.start(at, isReplay)
    const isSyntax = again.outcome?.status === 'error' && again.outcome.failure.code === 'script_syntax'
    return isSyntax ? turn : again
  }

  resume(n: number, at: number, result: HostResult, isReplay?: boolean): Promise<ScriptTurn> {
    return this.#script.resume(n, at, result, isReplay)
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

function attempt(work: () => string): string | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}
