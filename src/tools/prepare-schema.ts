import type { Json, JsonSchema } from '../core/json.js'
import { HandrailError } from '../errors.js'
import { at } from './fault.js'

export interface PreparedSchema {
  readonly draft: '07' | '2020-12'
  readonly schema: JsonSchema
}

/**
 * A schema as both engines take it: which draft it is, and a copy of its own, since both write into what they are given.
 * @throws {HandrailError} `invalid_schema` for what one of them would take amiss.
 */
export function prepareSchema(schema: JsonSchema, what: string): PreparedSchema {
  const { $schema, ...copy } = JSON.parse(JSON.stringify(schema)) as JsonSchema
  const draft = typeof $schema === 'string' && /draft-0[4-7]/.test($schema) ? '07' : '2020-12'
  checkReferences(copy, copy, '', what)
  return { draft, schema: copy }
}

/** A reference such as `#/__proto__` makes z-schema write into `Object.prototype`. */
function checkReferences(value: Json, root: JsonSchema, path: string, what: string): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (isReference(key) && typeof inner === 'string' && isHostile(inner, root))
      throw invalidSchema(what, `${path}/${key}`, `the reference ${JSON.stringify(inner)} leads nowhere`)
    checkReferences(inner as Json, root, `${path}/${key}`, what)
  }
}

const isReference = (key: string): boolean => key === '$ref' || key === '$dynamicRef' || key === '$recursiveRef'

function isHostile(reference: string, root: JsonSchema): boolean {
  const decoded = decode(reference)
  return (
    /__proto__|constructor|prototype/.test(decoded) && at(root, decoded.slice(decoded.indexOf('#') + 1)) === undefined
  )
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
