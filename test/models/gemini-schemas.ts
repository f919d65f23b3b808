import type { Json, JsonObject } from '../../src/core/json.js'
import { record, textOf } from './recorded-json.js'

/** A schema in the API's first dialect, that of OpenAPI, in JSON Schema: its types are in capitals, and may be null. */
export function fromOpenApi(schema: Json): JsonObject {
  const { type, nullable, properties, items, anyOf, ...rest } = record(schema)
  const name = textOf(type).toLowerCase()
  return {
    ...rest,
    ...(name ? { type: nullable === true ? [name, 'null'] : name } : {}),
    ...(properties ? { properties: mapped(properties) } : {}),
    ...(items ? { items: fromOpenApi(items) } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: (anyOf as readonly Json[]).map(fromOpenApi) } : {}),
  }
}

const mapped = (properties: Json): JsonObject =>
  Object.fromEntries(Object.entries(record(properties)).map(([name, value]) => [name, fromOpenApi(value)]))

/** Keywords that the API reads; it passes over the others. */
export const readKeywords = new Set(
  '$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum anyOf oneOf properties additionalProperties required propertyOrdering'.split(
    ' ',
  ),
)

/** A schema without the keywords that the API passes over, and with a constant as the one value that there is. */
export function readSchema(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(readSchema)
  if (typeof schema !== 'object' || schema === null) return schema
  const { const: constant, ...rest } = schema as JsonObject
  const read = constant === undefined ? rest : { ...rest, enum: [constant] }
  return Object.fromEntries(
    Object.entries(read).flatMap(([key, value]): [string, Json][] => {
      if (!readKeywords.has(key)) return []
      if (key !== 'properties' && key !== '$defs')
        return [[key, /^(enum|required)$/.test(key) ? value : readSchema(value)]]
      return [[key, Object.fromEntries(Object.entries(record(value)).map(([name, one]) => [name, readSchema(one)]))]]
    }),
  )
}
