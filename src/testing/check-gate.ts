import type { RunEvent } from '../core/events.js'
import { canonicalJson, toJson } from '../core/json.js'
import type { Sandbox } from '../sandbox/script.js'
import type { CaseOutcome, GateCase, GatePath, GateSource } from './gate-case.js'
import { gateCases } from './gate-cases.js'
import { gatePaths, pageTools } from './gate-paths.js'
import { createIsolateSandbox } from './isolate-sandbox.js'
import { runGateCase, type CaseRun } from './run-gate-case.js'

export interface GateCheckOptions {
  /** Default: page tools. */
  readonly source?: GateSource
  /** Default: `gatePaths`. */
  readonly paths?: readonly GatePath[]
  /** Default: `gateCases`. */
  readonly cases?: readonly GateCase[]
  /** Runs the scripts. Default: the real engine, in this thread. */
  readonly sandbox?: Sandbox
}

export interface GateResult {
  readonly case: string
  readonly path: string
  readonly ok: boolean
  readonly expected: CaseOutcome
  readonly actual: CaseOutcome
  /** The log of its run. */
  readonly events: readonly RunEvent[]
  /** What else is wrong: a secret that shows, or a run that did not end. */
  readonly fault?: string
}

/** Puts each case through each path, with the real loop and the real gate, and says what came of it. */
export async function checkGate(options: GateCheckOptions = {}): Promise<readonly GateResult[]> {
  const { source = pageTools, paths = gatePaths, cases = gateCases, sandbox = createIsolateSandbox() } = options
  const results: GateResult[] = []
  for (const gateCase of cases)
    for (const path of paths) {
      if (gateCase.never?.includes(path.caller)) continue
      results.push(toResult(gateCase, path, await runGateCase(gateCase, path, source, sandbox)))
    }
  return results
}

function toResult(gateCase: GateCase, path: GatePath, { actual, events, fault }: CaseRun): GateResult {
  const expected = expectedOf(gateCase, path)
  const seen = Object.fromEntries(Object.keys(expected).map((name) => [name, actual[name as keyof CaseOutcome]]))
  const isSame = canonicalJson(toJson(seen)) === canonicalJson(toJson(expected))
  const ok = isSame && fault === undefined
  return { case: gateCase.name, path: path.name, ok, expected, actual, events, ...(fault !== undefined && { fault }) }
}

function expectedOf({ expected, differs }: GateCase, { caller }: GatePath): CaseOutcome {
  const own = differs?.[caller]
  if (own) return { asked: [], ...expected, ...own }
  const asks = expected.asked !== undefined && expected.asked.length > 0
  return caller === 'program' && asks
    ? { outcome: 'denied', code: 'approval_required', asked: [], runs: 0 }
    : { asked: [], ...expected }
}
