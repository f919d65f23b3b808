import type { Handle } from './engine.js'
import { emptyFailure, sourceFailure } from '../failures.js'
import type { Failures } from '../failures.js'
import type { Guest } from './guest.js'
import { fileName, toCheck, toProgram, type Program } from '../program.js'
import { readings, type Reading } from '../readings.js'
import type { ScriptFailure, ScriptOptions } from '../script.js'
import { sources } from '../sources.js'

/** A script that runs: the text that was compiled, and the promise of its result. */
export interface Begun {
  readonly program: Program
  readonly result: Handle
}

/** Runs the first reading that compiles. If none does, the model is told what is wrong with its text as it stands. */
export function beginScript(
  guest: Guest,
  failures: Failures,
  { code, engine, limits }: Pick<ScriptOptions, 'code' | 'engine' | 'limits'>,
  shouldStop: () => boolean,
): Begun | { failure: ScriptFailure } {
  if (new TextEncoder().encode(code).length > limits.sourceBytes) return { failure: sourceFailure(limits) }
  if (sources(code, engine).every((source) => source.trim() === '')) return { failure: emptyFailure }
  let asWritten: Fault | undefined
  for (const reading of readings(code, engine)) {
    const begun = begin(guest, reading)
    if (!('error' in begun)) return begun
    if (asWritten === undefined && reading.body === reading.source) asWritten = begun
    else guest.engine.free(begun.error)
    if (shouldStop()) break
  }
  // Most scripts have a reading that does not compile: only one that is shown is described, which takes a millisecond.
  return { failure: asWritten ? failures.ofSyntax(guest.describe(asWritten.error), asWritten.program) : emptyFailure }
}

interface Fault {
  readonly program: Program
  readonly error: Handle
}

function begin({ engine }: Guest, reading: Reading): Begun | Fault {
  const check = toCheck(reading)
  const checked = engine.evaluate(check.text, fileName, true)
  if (checked.error !== undefined) return { program: check, error: checked.error }
  engine.free(checked.value)
  const program = toProgram(reading)
  const started = engine.evaluate(program.text, fileName)
  return started.error !== undefined ? { program, error: started.error } : { program, result: started.value }
}
