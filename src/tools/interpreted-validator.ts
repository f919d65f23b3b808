import ZSchema, { ValidateError, type SchemaErrorDetail, type ZSchemaOptions } from 'z-schema'
import { at, escapeStep, toFaults, type Finding, type Validator } from './fault.js'
import type { Json } from '../core/json.js'
import { invalidSchema, prepareSchema } from './prepare-schema.js'

const versions = { '07': 'draft-07', '2020-12': 'draft2020-12' } as const

const options: ZSchemaOptions = {
  reportPathAsArray: true,
  formatAssertions: false,
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
      let validate: ReturnType<typeof engine.compile>
      try {
        validate = engine.compile(schema as never)
      } catch (cause) {
        const detail = cause instanceof ValidateError ? cause.details?.[0] : undefined
        throw invalidSchema(what, detail ? pointerOf(detail) : '', detail?.message ?? String(cause), cause)
      }
      return (value) => {
        // Draft-07 asserts the encoding of content where it is not asked to.
        const { valid, err } = validate(value, { excludeErrors: ['INVALID_FORMAT'] })
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

const pointerOf = ({ path }: SchemaErrorDetail): string =>
  (path as readonly (string | number)[]).map((step) => `/${escapeStep(String(step))}`).join('')

const keywords: Readonly<Record<string, string>> = {
  CONST: 'const',
  CONTAINS: 'contains',
  SCHEMA_IS_FALSE: 'false',
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
    case 'ARRAY_ADDITIONAL_ITEMS': {
      const allowed = ((schema as { items?: unknown[] }).items ?? []).length
      const items = at(root, path) as readonly Json[]
      return items.slice(allowed).map((_, i) => ({ path: below(String(allowed + i)), keyword: 'false', schema }))
    }
    default:
      return [{ path, keyword: keywords[code] ?? detail.keyword ?? code, schema }]
  }
}
