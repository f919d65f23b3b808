import type { JsonObject } from '../../src/core/json.js'

/** What is wrong with the root of a schema for OpenAI and Anthropic. */
export function schemaComplaints(schema: JsonObject): string[] {
  const found = schema.type === 'object' ? [] : ['a schema is not of an object']
  const banned = ['anyOf', 'oneOf', 'allOf', 'enum', 'not', '$ref'].filter((key) => key in schema)
  return [...found, ...banned.map((key) => `a schema has ${key} at its root`)]
}
