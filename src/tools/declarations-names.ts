import type { JsonSchema } from '../core/json.js'
import { resolveReference, type TypeNames } from './declarations-type.js'
import { sha256 } from './hash.js'

/** The named types of a set of declarations. */
export interface NameTable {
  /** By what they stand for. */
  readonly names: Map<string, string>
  /** By name. */
  readonly types: Map<string, string>
  /** By type: what a name could be made of, and how often it was written. */
  readonly hints: Map<string, { readonly hint: string; readonly times: number }>
}

/** Characters from which a type is worth a name. */
const shortest = 40
/** Types that a declaration uses, and that none of ours may hide. */
const builtIn = ['Promise', 'Array']

export const createNameTable = (): NameTable => ({ names: new Map(), types: new Map(), hints: new Map() })

/** Names new types in `own`, beside those that are in `kept`. */
export function createTypeNames(own: NameTable, kept: NameTable): TypeNames {
  return {
    claim(root, reference, depth) {
      const key = identityOf(root, reference, depth)
      const known = own.names.get(key) ?? kept.names.get(key)
      if (known !== undefined) return { name: known, isNew: false }
      const name = free(reference.split('/').at(-1)!.replace('#', '') || 'node', own, kept)
      own.names.set(key, name)
      own.types.set(name, 'unknown')
      return { name, isNew: true }
    },
    set: (name, type) => void own.types.set(name, type),
    seen: (type, hint) => count(own, type, { hint, times: 1 }),
  }
}

export function keepNames(own: NameTable, kept: NameTable): void {
  for (const [key, name] of own.names) kept.names.set(key, name)
  for (const [name, type] of own.types) kept.types.set(name, type)
  for (const [type, seen] of own.hints) count(kept, type, seen)
}

function count({ hints }: NameTable, type: string, { hint, times }: { hint: string; times: number }): void {
  const known = hints.get(type)
  hints.set(type, known ? { hint: known.hint, times: known.times + times } : { hint, times })
}

export const typeLines = ({ types }: NameTable): readonly string[] =>
  [...types].map(([name, type]) => `type ${name} = ${type}`)

/** The text after its types, in which a type that comes more than once is a name, if that is shorter. */
export function shareTypes(text: string, table: NameTable): string {
  let whole = [...typeLines(table), text].join('\n')
  const named = new Set(table.types.values())
  const longestFirst = [...table.hints]
    .filter(([type, { times }]) => times > 1 && type.length >= shortest && !named.has(type))
    .toSorted(([a], [b]) => b.length - a.length)
  for (const [type, { hint }] of longestFirst) {
    const pieces = whole.split(type)
    if (pieces.length < 3) continue
    const name = free(hint, table)
    const saved = (pieces.length - 2) * type.length - (pieces.length - 1) * name.length
    if (saved < name.length + 16) continue
    table.types.set(name, type)
    whole = `type ${name} = ${type}\n${pieces.join(name)}`
  }
  return whole
}

const identities = new WeakMap<JsonSchema, Map<string, string>>()

/** Two schemas of the same text whose parts are called the same mean the same. */
function identityOf(root: JsonSchema, reference: string, depth: number): string {
  const known = identities.get(root) ?? new Map<string, string>()
  identities.set(root, known)
  const key = `${depth} ${reference}`
  const identity =
    known.get(key) ??
    sha256(JSON.stringify([reference, depth, resolveReference(reference, root), root.$defs, root.definitions]))
  known.set(key, identity)
  return identity
}

function free(hint: string, ...tables: readonly NameTable[]): string {
  const words = hint.split(/[^a-zA-Z0-9]+/).filter(Boolean)
  const wanted = words
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join('')
    .slice(0, 40)
  const start = /^[A-Z]/.test(wanted) && !builtIn.includes(wanted) ? wanted : `Type${wanted}`
  let name = start
  for (let n = 2; tables.some(({ types }) => types.has(name)); n++) name = `${start}${n}`
  return name
}
