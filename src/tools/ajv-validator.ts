import { Ajv, type CodeKeywordDefinition, type ErrorObject, type Options } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { JsonSchema } from '../core/json.js'
import { escapeStep, toFaults, type Finding, type Validator } from './fault.js'
import { invalidSchema, prepareSchema } from './prepare-schema.js'

const options: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  logger: false,
  validateFormats: false,
  ownProperties: true,
  addUsedSchema: false,
  multipleOfPrecision: 10,
}

/** Turns a schema into code. */
export function createAjvValidator(): Validator {
  const engines = { '07': withoutInnerErrors(new Ajv(options)), '2020-12': withoutInnerErrors(new Ajv2020(options)) }
  return {
    name: 'ajv',
    compile(given, what) {
      const { draft, schema } = prepareSchema(given, what)
      const engine = engines[draft]
      if (!engine.validateSchema(schema)) {
        const [error] = engine.errors ?? []
        throw invalidSchema(what, error?.instancePath ?? '', error?.message ?? 'it is not a JSON Schema')
      }
      const validate = compile(engine, schema, what)
      return (value) => (validate(value) ? [] : toFaults(value, (validate.errors ?? []).flatMap(toFindings), given))
    },
  }
}

function compile(engine: Ajv, schema: JsonSchema, what: string) {
  try {
    return engine.compile(schema)
  } catch (cause) {
    throw invalidSchema(what, '', cause instanceof Error ? cause.message : String(cause), cause)
  }
}

/** A union is one fault: what each of its branches found wrong goes. */
function withoutInnerErrors(engine: Ajv): Ajv {
  for (const keyword of ['anyOf', 'oneOf', 'contains']) {
    const definition = engine.getKeyword(keyword) as CodeKeywordDefinition
    engine.removeKeyword(keyword).addKeyword({
      ...definition,
      code(context, type) {
        const { error } = context
        context.error = (...args) => {
          context.reset()
          error.apply(context, args)
        }
        return definition.code(context, type)
      },
    })
  }
  return engine
}

function toFindings(error: ErrorObject): Finding[] {
  const { instancePath, keyword, params, parentSchema: schema, data } = error
  const below = (step: string) => `${instancePath}/${escapeStep(step)}`
  if (error.propertyName !== undefined) return []
  switch (keyword) {
    case 'if':
      return []
    case 'required':
    case 'dependentRequired':
    case 'dependencies':
      return [
        {
          path: below(params.missingProperty),
          keyword: keyword === 'required' ? keyword : 'dependentRequired',
          schema,
        },
      ]
    case 'additionalProperties':
      return [{ path: below(params.additionalProperty), keyword, schema }]
    case 'propertyNames':
      return [{ path: below(params.propertyName), keyword, schema }]
    case 'unevaluatedProperties':
      return [{ path: instancePath, keyword, schema, names: [params.unevaluatedProperty] }]
    case 'false schema':
      return [{ path: instancePath, keyword: 'false', schema }]
    case 'items':
    case 'additionalItems':
      return (data as unknown[])
        .slice(params.limit)
        .map((_, i) => ({ path: below(String(params.limit + i)), keyword: 'false', schema }))
    default:
      return [{ path: instancePath, keyword, schema }]
  }
}
