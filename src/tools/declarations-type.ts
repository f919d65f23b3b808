import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../core/json.js'
import { docOf, literalType, quoted, unionOfLiterals } from './declarations-literal.js'

/** Where named types are kept: of schemas that contain themselves, which cannot be written in one piece. */
export interface TypeNames {
  /** The name for this part of this schema, and whether its type still has to be set. */
  claim(root: JsonSchema, reference: string, depth: number): { readonly name: string; readonly isNew: boolean }
  set(name: string, type: string): void
  /** Told of each type of an object or an enum, with what a name for it could be made of. */
  seen(type: string, hint: string): void
}

export interface TypeStyle {
  readonly root: JsonSchema
  /** Levels of objects and arrays that are written; below is `unknown` or `object`. */
  readonly depth: number
  /** With what the schema says about its fields. */
  readonly docs?: boolean
  /** Absent: a schema that contains itself is written until `depth` ends it. */
  readonly names?: TypeNames
  /** Parts that may be written, counted down; those below 0 are `unknown`. Parts that refer to others twice double each time. */
  readonly budget?: { left: number }
}

/** Parts of a type that has no budget. */
const mostParts = 2_000

interface Type {
  readonly text: string
  readonly of?: '|' | '&'
}

interface Place {
  readonly depth: number
  readonly hint: string
  /** References that are being written, and lead here without an object or an array between. */
  readonly direct: readonly string[]
}

const unknown: Type = { text: 'unknown' }
/** A union of plain texts: wherever its letters stand in a declaration, they are it. */
const texts = /^"[\w .:/-]*"( \| "[\w .:/-]*")+$/

/** The type of what a schema accepts, in TypeScript: as near as a type can tell, and never narrower. */
export function writeType(schema: Json | undefined, style: TypeStyle, hint = ''): string {
  return createWriter(style)(schema, { depth: style.depth, hint, direct: [] }).text
}

function createWriter({ root, depth: deepest, docs = false, names, budget = { left: mostParts } }: TypeStyle) {
  const write = (schema: Json | undefined, place: Place): Type => {
    if (budget.left-- <= 0) return unknown
    if (schema === false) return { text: 'never' }
    if (!isJsonObject(schema) || place.depth < 0) return unknown
    if (typeof schema.$ref === 'string') return both([follow(schema.$ref, place), own(schema, place)])
    return own(schema, place)
  }

  /** What a schema says itself, without what it refers to. */
  const own = (schema: JsonObject, place: Place): Type => {
    const parts: Type[] = [base(schema, place)]
    for (const branches of [schema.anyOf, schema.oneOf]) {
      if (!Array.isArray(branches)) continue
      const types = branches.map((branch: Json) => write(inherit(branch, schema), place))
      const choice = either(types)
      // What only narrows, as a list of required names, says nothing that a type could.
      if (parts[0]!.text === 'object' || !isObject(parts[0]!)) parts[0] = narrower(parts[0]!, choice)
      else if (types.some((type) => type.text !== 'object' && isObject(type))) parts.push(choice)
    }
    if (Array.isArray(schema.allOf)) parts.push(...schema.allOf.map((part: Json) => write(part, place)))
    const type = both(parts)
    return schema.nullable === true ? either([type, { text: 'null' }]) : type
  }

  const base = (schema: JsonObject, place: Place): Type => {
    if (schema.const !== undefined) return { text: literalType(schema.const) }
    if (Array.isArray(schema.enum)) {
      const type = asUnion(unionOfLiterals(schema.enum, docs ? 2_000 : 240))
      if (texts.test(type.text)) names?.seen(type.text, place.hint)
      return type
    }
    const types: readonly Json[] = Array.isArray(schema.type) ? schema.type : [schema.type ?? guess(schema)]
    return either(types.map((type) => ofKind(type, schema, place)))
  }

  const ofKind = (type: Json, schema: JsonObject, place: Place): Type => {
    if (type === 'string' || type === 'boolean' || type === 'null' || type === 'number') return { text: type }
    if (type === 'integer') return { text: 'number' }
    if (type === 'array') return array(schema, place)
    return type === 'object' ? object(schema, place) : unknown
  }

  const array = (schema: JsonObject, place: Place): Type => {
    const inner = { ...below(place), hint: place.hint.replace(/ies$/, 'y').replace(/s$/, '') }
    const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : schema.items
    if (!Array.isArray(first)) return list(write(schema.items, inner))
    const least = typeof schema.minItems === 'number' ? schema.minItems : first.length
    const items = first.map((item: Json, i) =>
      i < least ? write(item, inner).text : `${grouped(write(item, inner))}?`,
    )
    const rest = first === schema.items ? schema.additionalItems : schema.items
    if (isJsonObject(rest)) items.push(`...${list(write(rest, inner)).text}`)
    return { text: `[${items.join(', ')}]` }
  }

  const object = (schema: JsonObject, place: Place): Type => {
    const { properties, required, additionalProperties: others, patternProperties } = schema
    const needed = new Set<string>()
    if (Array.isArray(required)) for (const name of required) if (typeof name === 'string') needed.add(name)
    const known = new Map<string, Json>(isJsonObject(properties) ? Object.entries(properties) : [])
    for (const name of needed) if (!known.has(name)) known.set(name, true)
    const inner = below(place)
    const open = [...Object.values(isJsonObject(patternProperties) ? patternProperties : {}), others].filter(
      isJsonObject,
    )
    if (known.size === 0 && open.length === 0) return { text: others === false ? '{}' : 'object' }
    if (place.depth === 0) return { text: 'object' }
    const fields = [...known].flatMap(([name, field]) => {
      const isNeeded = needed.has(name)
      if (!docs && !isNeeded && isJsonObject(field) && field.deprecated === true) return []
      const type = write(field, { ...inner, hint: name }).text
      return [`${docs ? docOf(field) : ''}${quoted(name)}${isNeeded ? '' : '?'}: ${type}`]
    })
    // An index signature must hold for the named fields too, so beside them it can only say that there may be others.
    if (open.length > 0) {
      const type = known.size > 0 ? 'unknown' : either(open.map((each) => write(each, inner))).text
      fields.push(`[name: string]: ${type}`)
    }
    const hint = typeof schema.title === 'string' ? schema.title : place.hint
    const text = fields.some((field) => field.includes('\n'))
      ? `{\n  ${fields.join('\n').replaceAll('\n', '\n  ')}\n}`
      : `{ ${fields.join('; ')} }`
    names?.seen(text, hint)
    return { text }
  }

  const follow = (reference: string, place: Place): Type => {
    const target = resolveReference(reference, root)
    if (!isJsonObject(target) || place.direct.includes(reference)) return unknown
    const hint = reference.split('/').at(-1)!.replace('#', '') || place.hint
    const inside: Place = { ...place, hint, direct: [...place.direct, reference] }
    if (!names) return write(target, { ...inside, depth: place.depth - 1 })
    // A type may not be made of itself alone: only what is inside an object or an array is called by its name.
    if (!isRecursive(reference, root) || place.direct.length > 0) return write(target, inside)
    const { name, isNew } = names.claim(root, reference, deepest)
    if (isNew) names.set(name, write(target, { depth: deepest, hint, direct: [reference] }).text)
    return { text: name }
  }

  return write
}

const below = ({ depth, hint }: Place): Place => ({ depth: depth - 1, hint, direct: [] })

const isObject = ({ text, of }: Type): boolean => !of && (/^\{[^]*\}$/.test(text) || text === 'object')
const grouped = ({ text, of }: Type): string => (of ? `(${text})` : text)
const list = (item: Type): Type => ({ text: `${grouped(item)}[]` })
const asUnion = (types: readonly string[]): Type => ({
  text: types.join(' | '),
  ...(types.length > 1 && { of: '|' as const }),
})

function either(types: readonly Type[]): Type {
  const possible = types.filter(({ text }) => text !== 'never')
  if (possible.some(({ text }) => text === 'unknown')) return unknown
  if (possible.length < 2) return possible[0] ?? { text: 'never' }
  return asUnion([...new Set(possible.map(({ text }) => text))])
}

function both(types: readonly Type[]): Type {
  const known = types.filter(({ text }) => text !== 'unknown')
  const sharp = known.some((type) => isObject(type) && type.text !== 'object')
    ? known.filter(({ text }) => text !== 'object')
    : known
  const parts = [...new Set(sharp.map((type) => (sharp.length > 1 ? grouped(type) : type.text)))]
  if (parts.length < 2) return sharp[0] ?? unknown
  return { text: parts.join(' & '), of: '&' }
}

const narrower = (wide: Type, choice: Type): Type => (choice.text === 'unknown' ? wide : choice)

/** A branch that does not say of which type it is means that of the schema around it. */
function inherit(branch: Json, { type }: JsonObject): Json {
  const says = ['type', 'enum', 'const', '$ref', 'anyOf', 'oneOf', 'allOf']
  if (type === undefined || !isJsonObject(branch) || says.some((keyword) => keyword in branch)) return branch
  const { required: _, ...rest } = branch
  return branch.properties ? { ...branch, type } : { ...rest, type }
}

function guess(schema: JsonObject): Json {
  if (schema.properties || isJsonObject(schema.additionalProperties) || schema.patternProperties) return 'object'
  return schema.items || schema.prefixItems ? 'array' : 'unknown'
}

const recursive = new WeakMap<JsonSchema, Map<string, boolean>>()

/** Whether what a reference leads to leads back to it. */
function isRecursive(reference: string, root: JsonSchema): boolean {
  const known = recursive.get(root) ?? new Map<string, boolean>()
  recursive.set(root, known)
  const found = known.get(reference) ?? leadsBack(reference, root)
  known.set(reference, found)
  return found
}

function leadsBack(reference: string, root: JsonSchema): boolean {
  const reached = new Set<string>()
  const todo = [reference]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    for (const found of referencesIn(resolveReference(next, root))) {
      if (found === reference) return true
      if (!reached.has(found)) todo.push(found)
      reached.add(found)
    }
  }
  return false
}

function referencesIn(value: Json | undefined): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn)
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : referencesIn(inner),
  )
}

export function resolveReference(reference: string, root: JsonSchema): Json | undefined {
  if (!reference.startsWith('#')) return undefined
  let found: Json | undefined = root
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as JsonObject)[key]
  }
  return found
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
