import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../core/json.js'
import { segmentsOf } from '../core/path-segments.js'

/**
 * The schema with what is at a path of its values as `change` makes it, in every branch of it; undefined if it says that nothing
 * can be there. What it leaves open stays open.
 */
export function schemaChangedAt(
  schema: JsonSchema,
  path: string,
  change: (schema: JsonObject) => JsonObject,
): JsonSchema | undefined {
  return changed(schema, segmentsOf(path), change)
}

type Change = (schema: JsonObject) => JsonObject

function changed(schema: JsonObject, [segment, ...rest]: readonly string[], change: Change): JsonObject | undefined {
  if (segment === undefined) return change(schema)
  const found: Record<string, Json> = {}
  const into = (inner: Json | undefined): Json | undefined =>
    isJsonObject(inner) ? changed(inner, rest, change) : inner === true ? true : undefined
  for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
    const branches = schema[keyword]
    if (!Array.isArray(branches)) continue
    const made = branches.map((branch: Json) =>
      isJsonObject(branch) ? changed(branch, [segment, ...rest], change) : branch,
    )
    if (made.some((branch) => branch !== undefined)) found[keyword] = made.map((branch, i) => branch ?? branches[i]!)
  }
  for (const keyword of segment === '*' || /^\d+$/.test(segment) ? ['items', 'additionalProperties'] : []) {
    const inner = into(schema[keyword])
    if (inner !== undefined) found[keyword] = inner
  }
  const { properties } = schema
  const fields = isJsonObject(properties) ? Object.entries(properties) : []
  const made = fields.map(([key, inner]): [string, Json] => [
    key,
    segment === '*' || segment === key ? (into(inner) ?? inner) : inner,
  ])
  if (made.some(([, inner], i) => inner !== fields[i]![1] || (inner === true && isAt(segment, fields[i]![0]))))
    found.properties = Object.fromEntries(made)
  return Object.keys(found).length > 0 ? { ...schema, ...found } : isOpen(schema) ? schema : undefined
}

const isAt = (segment: string, key: string): boolean => segment === '*' || segment === key

/** It says nothing of the form of its values. */
const isOpen = (schema: JsonObject): boolean =>
  !['properties', 'items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', '$ref', 'enum', 'const'].some((key) =>
    Object.hasOwn(schema, key),
  ) &&
  (schema.type === undefined || schema.type === 'object' || schema.type === 'array')
