import { isJsonObject, type Json, type JsonSchema } from '../core/json.js'
import { HandrailError } from '../errors.js'
import { at, escapeStep } from './fault.js'

export type Draft = '07' | '2020-12'
export interface PreparedSchema {
  readonly draft: Draft
  readonly schema: MutableSchema
}
export type MutableSchema = Record<string, Json>

/**
 * A schema as both engines take it: which draft it is, and a copy of its own, since both write into what they are given.
 * @throws {HandrailError} `invalid_schema` for what one of them would take amiss, or not refuse.
 */
export function prepareSchema(given: JsonSchema, what: string): PreparedSchema {
  const { $schema, ...schema } = JSON.parse(JSON.stringify(given)) as MutableSchema
  const draft = typeof $schema === 'string' && /draft-0[4-7]/.test($schema) ? '07' : '2020-12'
  checkKeys(schema, schema, '', what)
  if (draft === '07') eachSubschema(schema, dropBesideReference)
  eachSubschema(schema, (node, path) => {
    checkPattern(node.pattern, `${path}/pattern`, what)
    if (isJsonObject(node.patternProperties))
      for (const pattern of Object.keys(node.patternProperties))
        checkPattern(pattern, `${path}/patternProperties`, what)
  })
  return { draft, schema }
}

const named = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']
const listed = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']
const single = [
  'items',
  'additionalItems',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
]
const unevaluated = ['unevaluatedItems', 'unevaluatedProperties']

/** Every schema within a schema, itself included; what only looks like one, as in `enum` or `default`, is not. */
export function eachSubschema(schema: Json, visit: (node: MutableSchema, path: string) => void, path = ''): void {
  if (!isJsonObject(schema)) return
  const inner: [Json, string][] = []
  for (const keyword of named)
    for (const [name, value] of Object.entries(isJsonObject(schema[keyword]) ? schema[keyword] : {}))
      inner.push([value, `/${keyword}/${escapeStep(name)}`])
  for (const keyword of listed)
    if (Array.isArray(schema[keyword]))
      for (const [i, value] of schema[keyword].entries()) inner.push([value, `/${keyword}/${i}`])
  for (const keyword of [...single, ...unevaluated]) inner.push([schema[keyword] ?? null, `/${keyword}`])
  visit(schema as MutableSchema, path)
  for (const [value, step] of inner) eachSubschema(value, visit, path + step)
}

/** Draft-07 ignores what is beside a `$ref`; Ajv would not. */
function dropBesideReference(node: MutableSchema): void {
  if (typeof node.$ref !== 'string') return
  for (const keyword of Object.keys(node)) if (!['$ref', 'definitions', '$defs'].includes(keyword)) delete node[keyword]
}

/** With the `u` flag if the pattern allows it: many authors escape more than it does. */
export function toRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u')
  } catch (error) {
    if (error instanceof SyntaxError) return new RegExp(pattern)
    throw error
  }
}

function checkPattern(pattern: Json | undefined, place: string, what: string): void {
  if (typeof pattern !== 'string') return
  try {
    toRegExp(pattern)
  } catch (cause) {
    throw invalidSchema(what, place, (cause as Error).message, cause)
  }
}

/**
 * z-schema keeps its own notes in the schema, under names that begin with `__$`, and follows a reference such as `#/__proto__`
 * to write one into `Object.prototype`.
 */
function checkKeys(value: Json, root: JsonSchema, path: string, what: string): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    const place = `${path}/${escapeStep(key)}`
    if (key.startsWith('__$')) throw invalidSchema(what, place, 'names that begin with __$ are not allowed')
    if (isReference(key) && typeof inner === 'string' && isHostile(inner, root))
      throw invalidSchema(what, place, `the reference ${JSON.stringify(inner)} leads nowhere`)
    checkKeys(inner as Json, root, place, what)
  }
}

const isReference = (key: string): boolean => key === '$ref' || key === '$dynamicRef' || key === '$recursiveRef'

function isHostile(reference: string, root: JsonSchema): boolean {
  const decoded = decode(reference)
  if (!/__proto__|constructor|prototype/.test(decoded)) return false
  return !decoded.startsWith('#') || at(root, decoded.slice(1)) === undefined
}

function decode(reference: string): string {
  try {
    return decodeURIComponent(reference)
  } catch (error) {
    if (error instanceof URIError) return reference
    throw error
  }
}

export const invalidSchema = (what: string, place: string, why: string, cause?: unknown): HandrailError =>
  new HandrailError('invalid_schema', `Cannot use the schema of the ${what}: ${place || 'its root'}: ${why}`, { cause })
