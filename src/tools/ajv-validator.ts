import { Ajv, type CodeKeywordDefinition, type ErrorObject, type Options } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { isJsonObject, type JsonSchema } from '../core/json.js'
import { escapeStep, toFaults, type Finding, type Validator } from './fault.js'
import {
  eachSubschema,
  invalidSchema,
  prepareSchema,
  toRegExp,
  type Draft,
  type MutableSchema,
} from './prepare-schema.js'

const options: Options = {
  strict: false,
  allErrors: true,
  verbose: true,
  logger: false,
  validateFormats: false,
  ownProperties: true,
  code: { regExp: Object.assign(toRegExp, { code: 'toRegExp' }) },
}

/** Turns a schema into code. */
export function createAjvValidator(): Validator {
  const engines = new Map<Draft, Ajv>()
  const engineOf = (draft: Draft): Ajv => {
    const engine = engines.get(draft) ?? createEngine(draft)
    engines.set(draft, engine)
    return engine
  }
  return {
    name: 'ajv',
    compile(given, what) {
      const { draft, schema } = prepareSchema(given, what)
      const engine = engineOf(draft)
      eachSubschema(schema, moveProto)
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
  } finally {
    // Two tools may use one `$id`.
    engine.removeSchema(schema)
  }
}

/** Ajv leaves a property of this name out of `properties`, for the sake of old code. */
function moveProto(node: MutableSchema): void {
  const { properties, patternProperties } = node
  if (!isJsonObject(properties) || !Object.hasOwn(properties, '__proto__')) return
  const { ['__proto__']: schema, ...others } = properties
  node.properties = others
  node.patternProperties = { '^__proto__$': schema!, ...(isJsonObject(patternProperties) && patternProperties) }
}

function createEngine(draft: Draft): Ajv {
  const engine = draft === '07' ? new Ajv(options) : new Ajv2020(options)
  // Compiles the schema of schemas before its unions lose what an author wants to read.
  void engine.validateSchema({})
  return alignEngine(engine)
}

/** Makes an engine find what the interpreted one finds. */
function alignEngine(engine: Ajv): Ajv {
  for (const keyword of ['anyOf', 'oneOf', 'contains']) {
    const definition = engine.getKeyword(keyword) as CodeKeywordDefinition
    engine.removeKeyword(keyword).addKeyword({
      ...definition,
      // A union is one fault: what each of its branches found wrong goes.
      code(context, type) {
        const error = context.error.bind(context)
        context.error = (...args) => {
          context.reset()
          error(...args)
        }
        return definition.code(context, type)
      },
    })
  }
  return engine.removeKeyword('multipleOf').addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    compile: (factor: number) => (value: number) => isMultiple(value / factor),
  })
}

/** 0.3 is a multiple of 0.1, though not to the last bit. */
const isMultiple = (quotient: number): boolean => Math.abs(quotient - Math.round(quotient)) < 1e-10

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
