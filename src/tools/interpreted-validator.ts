import ZSchema, { ValidateError, type SchemaErrorDetail, type ZSchemaOptions, type ZSchemaSafe } from 'z-schema'
import { at, escapeStep, toFaults, type Finding, type Validator } from './fault.js'
import type { Json } from '../core/json.js'
import { eachSubschema, invalidSchema, prepareSchema, toRegExp, type MutableSchema } from './prepare-schema.js'

const versions = { '07': 'draft-07', '2020-12': 'draft2020-12' } as const

const options: ZSchemaOptions = {
  reportPathAsArray: true,
  ignoreUnknownFormats: true,
  // The gate has refused what is deeper than 128; a level can take several schemas.
  maxRecursionDepth: 10_000,
}

/** Walks the schema, so that it works under a content security policy without `unsafe-eval`. */
export function createInterpretedValidator(): Validator {
  return {
    name: 'z-schema',
    compile(given, what) {
      const { draft, schema } = prepareSchema(given, what)
      // One engine a schema: an engine remembers the ids of all schemas that it has seen.
      const engine = ZSchema.create({ ...options, version: versions[draft], safe: true })
      eachSubschema(schema, (node) => takeOverStrings(node, engine))
      let validate: ReturnType<typeof engine.compile>
      try {
        validate = engine.compile(schema as never)
      } catch (cause) {
        const detail = cause instanceof ValidateError ? innermost(cause.details?.[0]) : undefined
        throw invalidSchema(what, detail ? pointerOf(detail) : '', detail?.message ?? String(cause), cause)
      }
      return (value) => {
        const { valid, err } = validate(value)
        return valid
          ? []
          : toFaults(
              value,
              (err?.details ?? []).flatMap((detail) => toFindings(detail, value)),
              given,
            )
      }
    },
  }
}

/** The outer ones only say that there is an inner one. */
const innermost = (detail: SchemaErrorDetail | undefined): SchemaErrorDetail | undefined =>
  detail?.inner?.[0] ? innermost(detail.inner[0]) : detail

const pointerOf = ({ path }: SchemaErrorDetail): string =>
  (path as readonly (string | number)[]).map((step) => `/${escapeStep(String(step))}`).join('')

/**
 * Formats and encodings are notes here, not rules. Patterns become a format of this engine, because it refuses those that its
 * heuristic takes for slow, the dates of Zod among them.
 */
function takeOverStrings(node: MutableSchema, engine: ZSchemaSafe): void {
  delete node.format
  delete node.contentEncoding
  delete node.contentMediaType
  if (typeof node.pattern !== 'string') return
  const pattern = toRegExp(node.pattern)
  node.format = `pattern ${node.pattern}`
  engine.registerFormat(node.format, (value) => typeof value !== 'string' || pattern.test(value))
  delete node.pattern
}

const keywords: Readonly<Record<string, string>> = {
  CONST: 'const',
  CONTAINS: 'contains',
  SCHEMA_IS_FALSE: 'false',
  // What a reference to `false` comes to.
  REF_UNRESOLVED: 'false',
}

function toFindings(detail: SchemaErrorDetail, root: Json): Finding[] {
  const path = pointerOf(detail)
  const { params, code } = detail
  const schema = (detail as unknown as Record<symbol, unknown>)[ZSchema.schemaSymbol]
  const below = (step: string) => `${path}/${escapeStep(step)}`
  const [name] = params
  switch (code) {
    case 'OBJECT_MISSING_REQUIRED_PROPERTY':
      return [{ path: below(String(name)), keyword: 'required', schema }]
    case 'OBJECT_DEPENDENCY_KEY':
      return [{ path: below(String(name)), keyword: 'dependentRequired', schema }]
    case 'OBJECT_ADDITIONAL_PROPERTIES':
      return [{ path: below(String(name)), keyword: 'additionalProperties', schema }]
    case 'PROPERTY_NAMES':
      return [{ path: below(String(name)), keyword: 'propertyNames', schema }]
    case 'OBJECT_UNEVALUATED_PROPERTIES':
      return [{ path, keyword: 'unevaluatedProperties', schema, names: String(name).split(', ') }]
    case 'INVALID_FORMAT':
      return [{ path, keyword: 'pattern', schema: { pattern: String(name).slice('pattern '.length) } }]
    case 'ARRAY_ADDITIONAL_ITEMS': {
      const allowed = ((schema as { items?: unknown[] }).items ?? []).length
      const items = at(root, path) as readonly Json[]
      return items.slice(allowed).map((_, i) => ({ path: below(String(allowed + i)), keyword: 'false', schema }))
    }
    default:
      return [{ path, keyword: keywords[code] ?? detail.keyword ?? code, schema }]
  }
}
