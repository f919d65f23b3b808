import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../core/json.js'
import { typeOf } from './declarations.js'
import { nearest } from '../core/nearest.js'

/** What is wrong with a value, and where: `path` is a JSON pointer, `keyword` the rule of the schema that it breaks. */
export interface Fault {
  readonly path: string
  readonly keyword: string
  readonly message: string
}

export type Validate = (value: Json) => readonly Fault[]

/** Two of them give the same verdict, and outside of unions the same faults. */
export interface Validator {
  readonly name: string
  /**
   * @param what Whose schema it is, for the error.
   * @throws {HandrailError} `invalid_schema` if the schema is not one, saying where.
   */
  compile(schema: JsonSchema, what: string): Validate
}

/** What an engine found: the rule, the part of the schema that holds it, and the place in the value. */
export interface Finding {
  readonly path: string
  readonly keyword: string
  readonly schema: unknown
  /** Names of properties, for the rules that are about several. */
  readonly names?: readonly string[]
}

/** One fault for one rule at one place, in one order, in words that do not depend on the engine. */
export function toFaults(value: Json, findings: readonly Finding[], root: JsonSchema): readonly Fault[] {
  const merged = new Map<string, Finding>()
  for (const finding of findings) {
    const key = `${finding.path} ${finding.keyword}`
    const names = [...(merged.get(key)?.names ?? []), ...(finding.names ?? [])]
    merged.set(key, { ...finding, names })
  }
  const sorted = [...merged.keys()].toSorted().map((key) => merged.get(key)!)
  return sorted.map((finding) => {
    const { path, keyword } = finding
    return { path, keyword, message: messageOf(finding, at(value, path), root) }
  })
}

function messageOf({ keyword, schema, names = [], path }: Finding, found: Json | undefined, root: JsonSchema): string {
  const rules = isJsonObject(schema as Json) ? (schema as JsonObject) : {}
  const limit = Object.hasOwn(rules, keyword) ? rules[keyword] : undefined
  const it = `it is ${found === undefined ? 'missing' : short(found)}`
  switch (keyword) {
    case 'type':
      return `must be ${Array.isArray(limit) ? limit.join(' or ') : String(limit as string)}; it is ${kindOf(found)}`
    case 'enum':
      return `must be one of ${Array.isArray(limit) ? list(limit) : ''}; ${it}`
    case 'const':
      return `must be ${short(limit)}; ${it}`
    case 'required':
    case 'dependentRequired':
      return 'is missing'
    case 'additionalProperties': {
      const near = isJsonObject(rules.properties) && nearest(lastStep(path), Object.keys(rules.properties))
      return `is not a property that is known${near ? `; did you mean "${near}"?` : ''}`
    }
    case 'unevaluatedProperties':
      return `has properties that are not known: ${names.map((name) => JSON.stringify(name)).join(', ')}`
    case 'unevaluatedItems':
      return 'has more items than its schema allows'
    case 'false':
      return 'is not allowed'
    case 'anyOf':
    case 'oneOf':
      return `must be exactly one of ${typeOf(rules, 3, root)}; ${it}`.replace(
        keyword === 'anyOf' ? 'exactly one of ' : '',
        '',
      )
    case 'not':
      return `must not be a value like this; ${it}`
    case 'contains':
      return `must hold ${bounds(rules)} of type ${typeOf(rules.contains, 2, root)}`
    case 'propertyNames':
      return 'has a name that is not allowed'
    case 'pattern':
      return `must match the pattern ${short(limit)}; ${it}`
    case 'multipleOf':
      return `must be a multiple of ${short(limit)}; ${it}`
    case 'uniqueItems':
      return 'must not hold the same item twice'
    default: {
      const [text, unit] = comparisons[keyword] ?? [`must satisfy ${keyword}`, '']
      return `${text} ${short(limit)}${unit}; it is ${unit === '' ? short(found) : sizeOf(found)}`
    }
  }
}

const comparisons: Readonly<Record<string, readonly [string, string]>> = {
  minimum: ['must be at least', ''],
  maximum: ['must be at most', ''],
  exclusiveMinimum: ['must be more than', ''],
  exclusiveMaximum: ['must be less than', ''],
  minLength: ['must have at least', ' characters'],
  maxLength: ['must have at most', ' characters'],
  minItems: ['must have at least', ' items'],
  maxItems: ['must have at most', ' items'],
  minProperties: ['must have at least', ' properties'],
  maxProperties: ['must have at most', ' properties'],
}

function bounds({ minContains, maxContains }: JsonObject): string {
  const least = typeof minContains === 'number' ? minContains : 1
  return typeof maxContains === 'number'
    ? `${least} to ${maxContains} items`
    : `at least ${least} item${least === 1 ? '' : 's'}`
}

function sizeOf(value: Json | undefined): string {
  if (typeof value === 'string') return `${Array.from(value).length} long`
  return typeof value === 'object' && value !== null ? String(Object.keys(value).length) : kindOf(value)
}

function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object') return 'an object'
  return typeof value === 'boolean' ? String(value) : `the ${typeof value} ${short(value)}`
}

function short(value: Json | undefined): string {
  const text = JSON.stringify(value) ?? 'missing'
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`
}

const list = (values: readonly Json[]): string =>
  values.length <= 24
    ? values.map(short).join(', ')
    : `${values.slice(0, 24).map(short).join(', ')} and ${values.length - 24} more`

const lastStep = (path: string): string => stepsOf(path).at(-1) ?? ''

export const escapeStep = (step: string): string => step.replaceAll('~', '~0').replaceAll('/', '~1')
const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))

/** What a JSON pointer leads to, by own properties only. */
export function at(value: Json, pointer: string): Json | undefined {
  let found: Json | undefined = value
  for (const step of stepsOf(pointer)) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined
    found = (found as JsonObject)[step]
  }
  return found
}
