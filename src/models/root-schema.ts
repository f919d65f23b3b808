import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../core/json.js'

const combinators = ['anyOf', 'oneOf', 'allOf'] as const
const refused = [...combinators, 'enum', 'not', 'if', 'then', 'else', '$ref']

/**
 * The schema as providers take it: an object at the root, no combinator beside it. Properties of the branches are offered
 * together, which is looser than the author's schema; the gate still checks against that one.
 */
export function toRootSchema(schema: JsonSchema): JsonSchema {
  const isPlain = schema.type === 'object' && refused.every((key) => !Object.hasOwn(schema, key))
  if (isPlain) return schema
  const { properties, required } = collect(schema, schema, 0)
  const kept = Object.entries(schema).filter(([key]) => !refused.includes(key))
  return {
    ...Object.fromEntries(kept),
    type: 'object',
    properties: Object.fromEntries(properties),
    required: [...required],
  }
}

interface Shape {
  readonly properties: Map<string, Json>
  readonly required: Set<string>
}

function collect(schema: Json, root: JsonSchema, depth: number): Shape {
  const shape: Shape = { properties: new Map(), required: new Set() }
  if (!isJsonObject(schema) || depth > 8) return shape
  if (isJsonObject(schema.properties))
    for (const [name, value] of Object.entries(schema.properties)) offer(shape.properties, name, value)
  for (const name of listOf(schema.required)) if (typeof name === 'string') shape.required.add(name)
  if (typeof schema.$ref === 'string') add(shape, [collect(resolve(schema.$ref, root), root, depth + 1)], 'all')
  for (const key of combinators) {
    const branches = listOf(schema[key]).map((branch) => collect(branch, root, depth + 1))
    add(shape, branches, key === 'allOf' ? 'all' : 'one')
  }
  return shape
}

/** What all branches require is required; of one of several, only what they have in common. */
function add(shape: Shape, branches: readonly Shape[], holds: 'all' | 'one'): void {
  for (const { properties, required } of branches) {
    for (const [name, value] of properties) offer(shape.properties, name, value)
    for (const name of required)
      if (holds === 'all' || branches.every((branch) => branch.required.has(name))) shape.required.add(name)
  }
}

function offer(properties: Map<string, Json>, name: string, value: Json): void {
  const was = properties.get(name)
  if (was === undefined) properties.set(name, value)
  else if (JSON.stringify(was) !== JSON.stringify(value)) properties.set(name, { anyOf: [...choices(was), value] })
}

const choices = (schema: Json): readonly Json[] =>
  isJsonObject(schema) && Object.keys(schema).length === 1 && Array.isArray(schema.anyOf) ? schema.anyOf : [schema]

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

/** What a `$ref` refers to; null when there is nothing. */
export function resolve(ref: string, root: JsonSchema): Json {
  let at: Json = root
  for (const step of ref.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (!isJsonObject(at) || !Object.hasOwn(at, name)) return null
    at = (at as JsonObject)[name]!
  }
  return at
}
