import type { Handle } from './engine.js'
import { emptyFailure, sourceFailure } from './failures.js'
import type { Failures } from './failures.js'
import type { Guest } from './guest.js'
import { fileName, toCheck, toProgram, type Program } from './program.js'
import { readings, type Reading } from './readings.js'
import type { ScriptFailure, ScriptOptions } from './script.js'
import { sources } from './sources.js'

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
  let asWritten: ScriptFailure | undefined
  for (const reading of readings(code, engine)) {
    const begun = begin(guest, failures, reading)
    if (!('failure' in begun)) return begun
    if (reading.body === reading.source) asWritten ??= begun.failure
    if (shouldStop()) break
  }
  return { failure: asWritten ?? emptyFailure }
}

function begin(guest: Guest, failures: Failures, reading: Reading): Begun | { failure: ScriptFailure } {
  const { engine } = guest
  const check = toCheck(reading)
  const checked = engine.evaluate(check.text, fileName, true)
  if (checked.error !== undefined) {
    const failure = failures.ofSyntax(guest.describe(checked.error), check)
    engine.free(checked.error)
    return { failure }
  }
  engine.free(checked.value)
  const program = toProgram(reading)
  const started = engine.evaluate(program.text, fileName)
  if (started.error !== undefined) return { failure: failures.ofSyntax(guest.describe(started.error), program) }
  return { program, result: started.value }
}
