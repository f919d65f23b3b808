import { canonicalJson, type Json } from '../../src/core/json.js'
import { shown } from '../../src/core/shown.js'
import type { Done } from './look-then-act.js'
import { writes } from './retail-writes.js'
import { copyOf, reads, type Action, type Database } from './retail.js'
import { runScript } from './run-script.js'

/** One call of the model: what it wrote, and what it was shown. */
export interface Entry {
  readonly name: string
  readonly input: string
  readonly result: string
}

const tools = { ...reads, ...writes }

function perform(db: Database, name: string, input: Json): { readonly value: Json } | { readonly error: string } {
  try {
    return { value: copyOf(tools[name]!(db, input as unknown as Action['arguments'])) }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

/** Every call of a plan as a call of the model. */
export function replayDirectly(
  db: Database,
  actions: readonly Action[],
): { readonly entries: Entry[]; readonly done: Done[] } {
  const entries: Entry[] = []
  const done: Done[] = []
  for (const action of actions) {
    const { name } = action
    const answer = perform(db, name, action.arguments as unknown as Json)
    const failure =
      'error' in answer ? { error: { code: 'failed', message: answer.error, retryable: false } } : undefined
    const result = 'value' in answer ? answer.value : failure!
    entries.push({ name, input: JSON.stringify(action.arguments), result: shown(result) })
    done.push({ ...action, ...answer })
  }
  return { entries, done }
}

/** Every script as a call of the model, run in the sandbox. */
export async function replayScripts(db: Database, scripts: readonly string[]): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for (const code of scripts) {
    const value = await runScript(code, Object.keys(tools), (name, input) => perform(db, name, input))
    entries.push({ name: 'run_script', input: JSON.stringify({ code }), result: shown(value) })
  }
  return entries
}

export const stateOf = (db: Database): string => canonicalJson(db as unknown as Json)
