import type { Json } from '../../../src/core/json.js'
import type { HostCall, HostResult, ScriptFailureCode, ScriptLimits } from '../../../src/sandbox/script.js'

/** How a script may end: the code of its failure without `script_`. */
export type Kind = 'ok' | (ScriptFailureCode extends `script_${infer Name}` ? Name : never)

/** What a script tries, and how it ends. */
export interface Attack {
  /** Goes on with "no script": what must not happen. */
  readonly name: string
  readonly code: string
  /** Where it is not as usual in its family. */
  readonly ends?: Kind | readonly Kind[]
  /** What it returns when it ends well. */
  readonly value?: Json
  /** What its failure says. */
  readonly message?: RegExp
  /** Inputs of the calls of tools that the host is told. */
  readonly told?: readonly Json[]
  readonly prints?: readonly string[]
  readonly answer?: (call: HostCall) => HostResult
  readonly limits?: Partial<ScriptLimits>
}

/** Attacks of one kind, and the only ways in which any of them may end. */
export interface Family {
  readonly name: string
  readonly allowed: readonly Kind[]
  /** How an attack ends that says nothing else; absent: as the table allows. */
  readonly usual?: Kind
  readonly limits?: Partial<ScriptLimits>
  readonly attacks: readonly Attack[]
}

type Short = readonly [name: string, code: string, more?: Omit<Attack, 'name' | 'code'> | Kind | readonly Kind[]]

/** Attacks in short: a name, a script, and how it ends. */
export const attacks = (list: readonly Short[]): readonly Attack[] =>
  list.map(([name, code, more = {}]) =>
    typeof more === 'string' || Array.isArray(more)
      ? { name, code, ends: more as Kind | readonly Kind[] }
      : { name, code, ...(more as Partial<Attack>) },
  )
