import type { Json } from './json.js'
import { segmentsOf } from './path-segments.js'
import type { ValuePath } from './tool-definition.js'

export { segmentsOf }

export const toPath = (segments: readonly string[]): ValuePath =>
  segments.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** What is at a path, each with the path without `*` at which it is. Nothing where the value is of another form. */
export function valuesAt(value: Json, path: ValuePath): readonly { readonly path: ValuePath; readonly value: Json }[] {
  let found: { readonly at: readonly string[]; readonly value: Json }[] = [{ at: [], value }]
  for (const segment of segmentsOf(path))
    found = found.flatMap((each) =>
      fieldsOf(each.value, segment).map(([key, inner]) => ({ at: [...each.at, key], value: inner })),
    )
  return found.map((each) => ({ path: toPath(each.at), value: each.value }))
}

/** A copy in which everything at the path is what `change` makes of it. */
export function changedAt(value: Json, path: ValuePath, change: (value: Json) => Json): Json {
  return changed(value, segmentsOf(path), change)
}

function changed(value: Json, [segment, ...rest]: readonly string[], change: (value: Json) => Json): Json {
  if (segment === undefined) return change(value)
  const inner = fieldsOf(value, segment).map(([key, item]) => [key, changed(item, rest, change)] as const)
  if (inner.length === 0) return value
  if (Array.isArray(value)) return value.map((item: Json, i) => inner.find(([key]) => key === String(i))?.[1] ?? item)
  return Object.fromEntries([...Object.entries(value as object), ...inner]) as Json
}

/** Own fields only: `constructor` is a field like any other, or none. */
function fieldsOf(value: Json, segment: string): readonly (readonly [key: string, value: Json])[] {
  if (typeof value !== 'object' || value === null) return []
  if (segment === '*') return Object.entries(value) as [string, Json][]
  const isThere = Object.hasOwn(value, segment) && Object.prototype.propertyIsEnumerable.call(value, segment)
  return isThere ? [[segment, (value as Readonly<Record<string, Json>>)[segment]!]] : []
}
