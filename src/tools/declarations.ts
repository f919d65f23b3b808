import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../core/json.js'
import type { ToolDefinition } from '../core/tool-definition.js'

const longest = 480
const identifier = /^[a-zA-Z_$][\w$]*$/

/** How a script writes a tool. */
export const access = (name: string): string =>
  identifier.test(name) ? `tools.${name}` : `tools[${JSON.stringify(name)}]`

/** A tool in one line of TypeScript, as deep as it fits. */
export function signature({ name, input, output }: ToolDefinition): string {
  let line = ''
  for (const depth of [4, 3, 2, 1]) {
    const returned = output ? typeOf(output, depth, output) : 'unknown'
    line = `${access(name)}(input: ${typeOf(input, depth, input)}): Promise<${returned}>`
    if (line.length <= longest) return line
  }
  return line.length <= 2 * longest ? line : `${access(name)}(input: object): Promise<unknown>`
}

/** The type of what a schema accepts, cut to `unknown` below `depth`. A reference counts as a level, so cycles end. */
export function typeOf(schema: Json | undefined, depth: number, root: JsonSchema): string {
  if (!isJsonObject(schema) || depth < 0) return 'unknown'
  if (typeof schema.$ref === 'string') return typeOf(resolve(schema.$ref, root), depth - 1, root)
  if (schema.const !== undefined) return literal(schema.const)
  if (Array.isArray(schema.enum))
    return schema.enum.length <= 16 ? union(schema.enum.map(literal)) : kindsOf(schema.enum)
  const branches = schema.anyOf ?? schema.oneOf
  if (Array.isArray(branches)) return union(branches.map((branch: Json) => typeOf(branch, depth, root)))
  const types: readonly Json[] = Array.isArray(schema.type) ? schema.type : [schema.type ?? guess(schema)]
  return union(types.map((type) => ofType(type, schema, depth, root)))
}

function ofType(type: Json, schema: JsonObject, depth: number, root: JsonSchema): string {
  if (type === 'string' || type === 'boolean' || type === 'null' || type === 'number') return type
  if (type === 'integer') return 'number'
  if (type === 'array') {
    const item = typeOf(schema.items, depth - 1, root)
    return item.includes('|') ? `(${item})[]` : `${item}[]`
  }
  return type === 'object' ? objectType(schema, depth, root) : 'unknown'
}

function objectType(
  { properties, required, additionalProperties }: JsonObject,
  depth: number,
  root: JsonSchema,
): string {
  if (!isJsonObject(properties) || Object.keys(properties).length === 0)
    return isJsonObject(additionalProperties)
      ? `Record<string, ${typeOf(additionalProperties, depth - 1, root)}>`
      : 'object'
  if (depth === 0) return 'object'
  const needed = new Set<Json>(Array.isArray(required) ? required : [])
  const fields = Object.entries(properties).map(([name, schema]) => {
    const key = identifier.test(name) ? name : JSON.stringify(name)
    return `${key}${needed.has(name) ? '' : '?'}: ${typeOf(schema, depth - 1, root)}`
  })
  return `{ ${fields.join('; ')} }`
}

const guess = (schema: JsonObject): Json => (schema.properties ? 'object' : schema.items ? 'array' : 'unknown')
const literal = (value: Json): string =>
  typeof value === 'object' && value !== null ? 'object' : JSON.stringify(value)
const kindsOf = (values: readonly Json[]): string =>
  union(values.map((value) => (value === null ? 'null' : typeof value)))
const union = (types: readonly string[]): string => [...new Set(types)].join(' | ') || 'unknown'

function resolve(pointer: string, root: JsonSchema): Json | undefined {
  if (!pointer.startsWith('#')) return undefined
  let found: Json | undefined = root
  for (const step of pointer.slice(1).split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as JsonObject)[key]
  }
  return found
}
