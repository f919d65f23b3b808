import { isJsonObject, type JsonObject, type JsonSchema } from '../core/json.js'
import type { ToolDefinition } from '../core/tool-definition.js'

/** The definition as models and scripts are told of it: without the fields that the app fills. */
export function toOffered(definition: ToolDefinition): ToolDefinition {
  const { hostInput, input } = definition
  return hostInput ? { ...definition, input: withoutFields(input, hostInput) } : definition
}

function withoutFields(schema: JsonSchema, names: readonly string[]): JsonSchema {
  const { required, properties, ...rest } = schema
  const left = Array.isArray(required) ? required.filter((name) => !names.includes(name as string)) : []
  return {
    ...rest,
    ...(isJsonObject(properties) && { properties: withoutNames(properties, names) }),
    ...(left.length > 0 && { required: left }),
  }
}

const withoutNames = (fields: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))

/** Where else than among its fields the schema speaks of a field, so that it cannot be taken out; undefined: nowhere. */
export function otherMentionOf(schema: JsonSchema, name: string): string | undefined {
  const { properties: _, required: __, minProperties, maxProperties, ...rest } = schema
  if (minProperties !== undefined || maxProperties !== undefined) return 'minProperties or maxProperties'
  const about = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas']
  const keyword = [...about, 'dependencies', 'propertyNames'].find((key) =>
    JSON.stringify(rest[key] ?? null).includes(JSON.stringify(name)),
  )
  if (keyword !== undefined) return keyword
  return JSON.stringify(schema).includes(`"#/properties/${name}`) ? '$ref' : undefined
}
