import type { CallExpression } from 'acorn'
import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../../core/json.js'
import { nearest } from '../../core/nearest.js'
import type { ToolDefinition } from '../../core/tool-definition.js'
import { kindOf, knownOf, type Known } from './literal.js'
import { mostFaults, written, type Fault, type ToolCall } from './tool-use.js'
import type { Tree } from './tree.js'

/** Names that a message lists. */
const mostNamed = 12
/** Schemas inside schemas that are followed. */
const deepest = 32

/** What the gate is certain to refuse of the inputs that are written out. */
export function inputFaults(tree: Tree, calls: readonly ToolCall[], definitions: readonly ToolDefinition[]): Fault[] {
  const inputs = new Map(definitions.map(({ name, input }) => [name, input]))
  const faults: Fault[] = []
  for (const call of calls) {
    const { arguments: given } = call.node
    if (given.some(({ type }) => type === 'SpreadElement')) continue
    const schema = inputs.get(call.name)
    if (given.length > 1) faults.push(tooMany(call, schema))
    else if (schema) faults.push(...faultsOf(tree, call, schema))
    if (faults.length >= mostFaults) break
  }
  return faults
}

function tooMany({ name, node }: ToolCall, schema: JsonSchema | undefined): Fault {
  const fields = schema ? fieldsOf(schema).slice(0, node.arguments.length) : []
  const isText = schema?.type === 'string'
  const example = isText ? textExampleOf(name) : exampleOf(name, fields)
  const kind = isText ? 'a text' : 'an object'
  const text = `${written(name)} takes one argument, ${kind}, and not ${node.arguments.length}: write ${example}.`
  return { at: node.arguments[1]!.start, text }
}

const exampleOf = (name: string, fields: readonly string[]): string =>
  `${written(name)}({ ${fields.map((field) => `${shownKey(field)}: ...`).join(', ') || '...'} })`

const textExampleOf = (name: string): string => `${written(name)}("...")`

const shownKey = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key))

/** Those that must be there, or else all. */
function fieldsOf(schema: JsonSchema): readonly string[] {
  const required = requiredOf(schema)
  return required.length > 0 ? required : Object.keys(isJsonObject(schema.properties) ? schema.properties : {})
}

const requiredOf = ({ required }: JsonObject): readonly string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []

function faultsOf(tree: Tree, { name, node }: ToolCall, schema: JsonSchema): Fault[] {
  const [given] = node.arguments as CallExpression['arguments']
  const known = given ? knownOf(given, tree) : undefined
  if (known === undefined || known.type === 'absent') {
    if (schema.type === 'string')
      return [{ at: known?.at ?? node.start, text: `${written(name)} needs its text: write ${textExampleOf(name)}.` }]
    const fields = requiredOf(schema)
    if (fields.length === 0) return []
    return [
      {
        at: known?.at ?? node.start,
        text: `${written(name)} needs ${listed(fields)}: write ${exampleOf(name, fields)}.`,
      },
    ]
  }
  if (known.type === 'unknown') return []
  if (known.type !== 'object' && schema.type !== 'object') return []
  if (known.type !== 'object') {
    const is = `${written(name)} takes an object, and not ${kindOf(known)}`
    return [{ at: known.at, text: `${is}: write ${exampleOf(name, fieldsOf(schema).slice(0, 3))}.` }]
  }
  return new Against(schema).faults(known, schema, { path: '', tool: name }, 0)
}

const listed = (names: readonly string[]): string =>
  names.length <= mostNamed
    ? names.join(', ')
    : `${names.slice(0, mostNamed).join(', ')} and ${names.length - mostNamed} more`

interface Place {
  readonly tool: string
  /** From the input; empty for itself. */
  readonly path: string
}

const shown = ({ tool, path }: Place): string => (path === '' ? written(tool) : `"${path}" of ${written(tool)}`)
const below = ({ tool, path }: Place, name: string): Place => ({ tool, path: path === '' ? name : `${path}.${name}` })

/** A schema that is asked only what it surely says: what this does not understand, it lets pass. */
class Against {
  constructor(private readonly root: JsonSchema) {}

  faults(known: Known, schema: Json | undefined, place: Place, depth: number): Fault[] {
    if (!isJsonObject(schema) || depth > deepest || known.type === 'unknown' || known.type === 'absent') return []
    if (typeof schema.$ref === 'string') return this.faults(known, this.#resolve(schema.$ref), place, depth + 1)
    const type = typeFault(known, schema, place)
    if (type) return [type]
    const all = Array.isArray(schema.allOf) ? schema.allOf : []
    return [
      ...valueFault(known, schema, place),
      ...(known.type === 'object' ? this.#objectFaults(known, schema, place, depth) : []),
      ...(known.type === 'array' ? this.#itemFaults(known, schema, place, depth) : []),
      ...all.flatMap((each: Json) => this.faults(known, each, place, depth + 1)),
      ...this.#unionFaults(known, schema, place, depth),
    ]
  }

  /** A union refuses what each of its branches refuses. */
  #unionFaults(known: Known, { anyOf, oneOf }: JsonObject, place: Place, depth: number): Fault[] {
    return [anyOf, oneOf].flatMap((branches) => {
      if (!Array.isArray(branches) || branches.length === 0) return []
      const found = branches.map((branch: Json) => this.faults(known, branch, place, depth + 1))
      if (found.some(({ length }) => length === 0)) return []
      const [only, ...others] = found.filter((_, i) => !this.#isNull(branches[i]))
      if (only && others.length === 0) return only
      return [
        {
          at: known.at,
          text: `${shown(place)} may not be ${kindOf(known)}: it fits none of what the tool takes there.`,
        },
      ]
    })
  }

  #isNull(schema: Json | undefined): boolean {
    return isJsonObject(schema) && schema.type === 'null'
  }

  #objectFaults(known: Known & { type: 'object' }, schema: JsonObject, place: Place, depth: number): Fault[] {
    const properties = isJsonObject(schema.properties) ? schema.properties : {}
    const given = [...known.fields].filter(([, { value }]) => value.type !== 'absent')
    const names = given.map(([name]) => name)
    const isClosed = schema.additionalProperties === false && !isJsonObject(schema.patternProperties)
    const extra = given.filter(([name]) => !Object.hasOwn(properties, name))
    const missing = requiredOf(schema).filter((name) => !names.includes(name))
    const spare = extra.map(([name]) => name)
    const slips = new Map(missing.map((name) => [name, slipOf(name, spare, missing)]))
    const free = Object.keys(properties).filter((name) => !names.includes(name))
    const meant = new Set<string>()
    const forbidden = (isClosed ? extra.slice(0, mostFaults) : []).map(([name, { at }]): Fault => {
      const near = missing.find((each) => slips.get(each) === name) ?? nearest(name, free)
      if (near !== undefined) meant.add(near)
      const guess = near === undefined ? takes(Object.keys(properties)) : ` Did you mean "${near}"?`
      return { at, text: `${shown(place)} has no field "${name}".${guess}` }
    })
    const absent = missing.filter((name) => !meant.has(name))
    const instead = absent.flatMap((name) => slips.get(name) ?? [])
    const guess = instead.length > 0 ? `, and has "${instead.join('", "')}"` : ''
    return [
      ...forbidden,
      ...(absent.length > 0
        ? [
            {
              at: known.at,
              text: `${shown(place)} needs ${listed(absent)}${guess}: write ${absent.map((name) => `${shownKey(name)}: ...`).join(', ')}.`,
            },
          ]
        : []),
      ...given.flatMap(([name, { value }]) =>
        Object.hasOwn(properties, name) ? this.faults(value, properties[name], below(place, name), depth + 1) : [],
      ),
    ]
  }

  #itemFaults(known: Known & { type: 'array' }, schema: JsonObject, place: Place, depth: number): Fault[] {
    if (schema.prefixItems !== undefined || !isJsonObject(schema.items)) return []
    const { tool, path } = place
    return known.items.flatMap((item, i) => this.faults(item, schema.items, { tool, path: `${path}[${i}]` }, depth + 1))
  }

  #resolve(pointer: string): Json | undefined {
    if (!/^#(\/|$)/.test(pointer)) return undefined
    let found: Json | undefined = this.root
    for (const step of pointer.split('/').slice(1)) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
      if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
      found = (found as JsonObject)[key]
    }
    return found
  }
}

/** What was written in place of a name that is missing: one alike, or the only one. */
const slipOf = (name: string, spare: readonly string[], missing: readonly string[]): string | undefined =>
  nearest(name, spare) ?? (missing.length === 1 && spare.length === 1 ? spare[0] : undefined)

const takes = (names: readonly string[]): string => (names.length === 0 ? '' : ` It takes ${listed(names)}.`)

const jsonTypes = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']

function typeFault(known: Known, { type, nullable }: JsonObject, place: Place): Fault | undefined {
  const types = Array.isArray(type) ? type : [type]
  if (type === undefined || !types.every((each) => jsonTypes.includes(each as string))) return undefined
  const is = jsonTypeOf(known)
  if (types.includes(is) || (is === 'null' && nullable === true)) return undefined
  const isInteger = known.type === 'scalar' && Number.isInteger(known.value)
  if (is === 'number' && types.includes('integer') && isInteger) return undefined
  return { at: known.at, text: `${shown(place)} must be ${types.join(' or ')}, and is ${kindOf(known)}.` }
}

function jsonTypeOf(known: Known): string {
  if (known.type === 'scalar') return known.value === null ? 'null' : typeof known.value
  return known.type === 'text' ? 'string' : known.type
}

function valueFault(known: Known, schema: JsonObject, place: Place): Fault[] {
  const values = Array.isArray(schema.enum) ? schema.enum : schema.const === undefined ? undefined : [schema.const]
  if (known.type !== 'scalar' || values === undefined || values.includes(known.value)) return []
  if (known.value === null && schema.nullable === true) return []
  const near =
    typeof known.value === 'string'
      ? nearest(
          known.value,
          values.filter((each) => typeof each === 'string'),
        )
      : undefined
  const guess = near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`
  const which = values
    .slice(0, mostNamed)
    .map((value) => JSON.stringify(value))
    .join(', ')
  const one = values.length > 1 ? 'one of ' : ''
  const more = values.length > mostNamed ? ` or ${values.length - mostNamed} more` : ''
  return [{ at: known.at, text: `${shown(place)} must be ${one}${which}${more}, and is ${kindOf(known)}.${guess}` }]
}
