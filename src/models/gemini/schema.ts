import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../core/json.js'

/** What `parametersJsonSchema` knows; the rest is left out, which is looser: the gate still checks against the author's schema. */
const known = new Set([
  '$id',
  '$anchor',
  'type',
  'format',
  'title',
  'description',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'propertyOrdering',
])
const lists = ['anyOf', 'oneOf', 'prefixItems']

type References = ReadonlyMap<string, ReadonlySet<string>>
/** The definition that a schema is part of, and which definitions refer to which. */
interface Place {
  readonly definition: string
  readonly references: References
}

export function toGeminiSchema(schema: JsonSchema): JsonObject {
  const definitions = { ...objectOf(schema.definitions), ...objectOf(schema.$defs) }
  const { $defs: _, definitions: __, ...rest } = schema
  const named = [
    ['#', rest] as const,
    ...Object.entries(definitions).map(([name, body]) => [refTo(name), body] as const),
  ]
  const references = new Map(named.map(([name, body]) => [name, new Set(refsIn(body))]))
  const [root, ...others] = named.map(([name, body]) => convert(body, { definition: name, references }))
  if (others.length === 0) return root!
  return { ...root, $defs: Object.fromEntries(Object.keys(definitions).map((name, i) => [name, others[i]!])) }
}

const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {})
const refTo = (name: string) => `#/$defs/${name}`
const wireRef = (ref: string) => ref.replace(/^#\/definitions\//, '#/$defs/')

function convert(given: Json, place: Place): JsonObject {
  const schema = merged(objectOf(given))
  // It may have no siblings.
  if (typeof schema.$ref === 'string') return schema.$ref.startsWith('#') ? { $ref: wireRef(schema.$ref) } : {}
  const made: Record<string, Json> = Object.fromEntries(Object.entries(schema).filter(([key]) => known.has(key)))
  const { items, properties, additionalProperties: more } = schema
  const values = schema.const === undefined ? schema.enum : [schema.const]
  if (Array.isArray(values) && values.every((value) => typeof value === 'string' || typeof value === 'number'))
    made.enum = values
  for (const key of lists) if (Array.isArray(schema[key])) made[key] = schema[key].map((part) => convert(part, place))
  if (Array.isArray(items)) made.prefixItems = items.map((item) => convert(item, place))
  else if (items !== undefined) made.items = convert(items, place)
  if (isJsonObject(properties)) {
    const all = Object.entries(properties)
    made.properties = Object.fromEntries(all.map(([name, value]) => [name, convert(value, place)]))
  }
  if (more !== undefined) made.additionalProperties = typeof more === 'boolean' ? more : convert(more, place)
  if (Array.isArray(schema.required)) {
    // What leads back to itself may not be required, be it through an array or beside null.
    const loops = (name: Json) => typeof name === 'string' && leadsBack(objectOf(properties)[name] ?? null, place)
    made.required = schema.required.filter((name) => !loops(name))
  }
  return made
}

/** `allOf` is not known: its parts are put into the schema itself. */
function merged({ allOf, ...schema }: JsonObject): JsonObject {
  if (!Array.isArray(allOf)) return schema
  return [...allOf.map((part) => merged(objectOf(part))), schema].reduce<JsonObject>((all, part) => {
    const properties = { ...objectOf(all.properties), ...objectOf(part.properties) }
    const required = [...listOf(all.required), ...listOf(part.required)]
    return {
      ...all,
      ...part,
      ...(Object.keys(properties).length > 0 ? { properties } : {}),
      ...(required.length > 0 ? { required: [...new Set(required)] } : {}),
    }
  }, {})
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

function refsIn(schema: Json): string[] {
  if (Array.isArray(schema)) return schema.flatMap(refsIn)
  if (!isJsonObject(schema)) return []
  const own = typeof schema.$ref === 'string' ? [wireRef(schema.$ref)] : []
  return [...own, ...Object.values(schema).flatMap(refsIn)]
}

function leadsBack(schema: Json, { definition, references }: Place): boolean {
  const seen = new Set<string>()
  const next = refsIn(schema)
  for (let ref = next.pop(); ref !== undefined; ref = next.pop()) {
    if (ref === definition) return true
    if (!seen.has(ref)) next.push(...(references.get(ref) ?? []))
    seen.add(ref)
  }
  return false
}
