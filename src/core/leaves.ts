import type { Json } from './json.js'
import type { ValuePath } from './tool-definition.js'
import { toPath } from './value-path.js'

export type Leaf = string | number
export interface LeafAt {
  readonly path: ValuePath
  readonly value: Leaf
}

/** The texts and numbers of an input, in its order, each with its path below `at`. An input is as deep as the gate lets it be. */
export function leavesOf(value: Json, at: readonly string[] = []): readonly LeafAt[] {
  if (isLeaf(value)) return [{ path: toPath(at), value }]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner as Json, [...at, key]))
}

/** Where `after` has a text or a number that is not what `before` has there. */
export function changedPaths(before: Json, after: Json): ReadonlySet<ValuePath> {
  const was = new Map(leavesOf(before).map(({ path, value }) => [path, value]))
  return new Set(leavesOf(after).flatMap(({ path, value }) => (was.get(path) === value ? [] : [path])))
}

/** The texts and numbers of any value. Does not recurse, as an output may be deep. */
export function eachLeaf(value: Json, see: (leaf: Leaf) => void): void {
  const left: Json[] = [value]
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    if (isLeaf(item)) see(item)
    else if (typeof item === 'object' && item !== null)
      for (const inner of Object.values(item)) left.push(inner as Json)
  }
}

const isLeaf = (value: Json): value is Leaf => typeof value === 'string' || typeof value === 'number'
