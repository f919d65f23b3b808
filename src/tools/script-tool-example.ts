import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../core/json.js'
import { isTextTool, type ToolDefinition } from '../core/tool-definition.js'
import { access } from './declarations.js'
import { dotted, literal, quoted } from './declarations-literal.js'
import { resolveReference } from './declarations-type.js'

/** Where the output of one read has what another one must be given. */
interface Link {
  readonly from: ToolDefinition
  readonly to: ToolDefinition
  readonly field: string
  /** The property of the output that lists what has the field; absent: the output itself does. */
  readonly list?: string
  readonly isList: boolean
  readonly worth: number
}

/** Characters of a value that a schema gives; a longer one shows no more. */
const longestSample = 100
/** Required fields of a tool that is shown: with more, its call is longer than the rest of the description. */
const mostFields = 16

/** A script of reads, so that a model that copies it does no harm; of two if one gives what the other takes. */
export function exampleOf(tools: readonly ToolDefinition[]): string | undefined {
  const reads = tools
    .filter(({ risk, input }) => risk === 'read' && requiredOf(input).length <= mostFields)
    .slice(0, 100)
  const [first] = reads
  if (!first) return undefined
  const call = (tool: ToolDefinition, given: readonly string[] = [], more = ''): string => {
    const input = sample(tool.input, 3, tool.input)
    if (isTextTool(tool)) return `${access(tool.name, tools)}(${literal(input)})`
    const own = Object.entries(input as JsonObject)
    const fields = own
      .filter(([name]) => !given.includes(name))
      .map(([name, value]) => `${quoted(name)}: ${literal(value)}`)
    const all = [...fields, ...(more ? [more] : [])].join(', ')
    return `${access(tool.name, tools)}(${all ? `{ ${all} }` : ''})`
  }
  const link = bestLink(reads)
  if (!link) return `const found = await ${call(first)}\nreturn ${picked('found', first)}`
  const { from, to, field, list, isList } = link
  const pass = (object: string) => call(to, [field], `${quoted(field)}: ${dotted(object, field)}`)
  const source = list === undefined ? 'found' : dotted('found', list)
  const part = picked(isList ? 'each' : 'details', to, field)
  const lines = isList
    ? [
        `const details = await Promise.all(${source}.map((each) => ${pass('each')}))`,
        `return ${part === 'each' ? 'details' : `details.map((each) => (${part}))`}`,
      ]
    : [`const details = await ${pass('found')}`, `return ${part}`]
  return [`const found = await ${call(from)}`, ...lines].join('\n')
}

/** Two fields of what a tool gives, as a script would pick what it needs; the name alone if there are few. */
function picked(name: string, { output }: ToolDefinition, given?: string): string {
  const shape = follow(output, output)
  const properties = isJsonObject(shape?.properties) ? Object.keys(shape.properties) : []
  const others = properties.filter((key) => key !== given).slice(0, 2)
  if (properties.length < 4 || others.length < 2) return name
  return `{ ${others.map((key) => `${quoted(key)}: ${dotted(name, key)}`).join(', ')} }`
}

/** The first of the best: from a list, needing little else. Only what the schemas say counts: the same name and type. */
function bestLink(reads: readonly ToolDefinition[]): Link | undefined {
  let best: Link | undefined
  for (const to of reads)
    for (const field of requiredOf(to.input))
      for (const from of reads) {
        if (from === to || requiredOf(from.input).includes(field)) continue
        const place = placeOf(field, kindOf(propertyOf(to.input, field, to.input), to.input), from)
        if (!place) continue
        const worth = (place.isList ? 4 : 0) - requiredOf(from.input).length - requiredOf(to.input).length
        if (!best || worth > best.worth) best = { from, to, field, ...place, worth }
      }
  return best
}

function placeOf(
  field: string,
  kind: Json | undefined,
  { output }: ToolDefinition,
): Pick<Link, 'list' | 'isList'> | undefined {
  const shape = follow(output, output)
  if (!shape || !output || (kind !== 'string' && kind !== 'number' && kind !== 'integer')) return undefined
  const has = (schema: JsonObject | undefined) => kindOf(propertyOf(schema, field, output), output) === kind
  const itemsOf = (schema: JsonObject | undefined) => schema?.type === 'array' && has(follow(schema.items, output))
  if (itemsOf(shape)) return { isList: true }
  const lists = Object.keys(isJsonObject(shape.properties) ? shape.properties : {})
  const list = lists.find((name) => itemsOf(propertyOf(shape, name, output)))
  if (list !== undefined) return { list, isList: true }
  return has(shape) ? { isList: false } : undefined
}

const requiredOf = ({ required }: JsonSchema): readonly string[] =>
  Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []

const kindOf = (schema: JsonObject | undefined, root: JsonSchema): Json | undefined => follow(schema, root)?.type

function propertyOf(schema: JsonObject | undefined, name: string, root: JsonSchema): JsonObject | undefined {
  const { properties } = schema ?? {}
  return isJsonObject(properties) && Object.hasOwn(properties, name) ? follow(properties[name], root) : undefined
}

function follow(schema: Json | undefined, root: JsonSchema | undefined, steps = 8): JsonObject | undefined {
  if (!isJsonObject(schema)) return undefined
  if (typeof schema.$ref !== 'string' || !root) return schema
  return steps > 0 ? follow(resolveReference(schema.$ref, root), root, steps - 1) : undefined
}

/** A value of the shape that a schema asks for, of its required properties only. */
function sample(part: Json | undefined, depth: number, root: JsonSchema): Json {
  const schema = follow(part, root)
  if (!schema) return {}
  const [first] = [schema.enum, schema.examples].flatMap((list) => (Array.isArray(list) ? list.slice(0, 1) : []))
  const given = [schema.const, schema.default, first].find((value) => value !== undefined)
  if (given !== undefined && JSON.stringify(given).length <= longestSample) return given
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'string') return '...'
  if (type === 'number' || type === 'integer') return typeof schema.minimum === 'number' ? schema.minimum : 1
  if (type === 'boolean') return true
  if (type === 'null') return null
  if (type === 'array') return depth > 0 ? [sample(schema.items, depth - 1, root)] : []
  const { properties } = schema
  if (!isJsonObject(properties) || depth === 0) return {}
  const names = requiredOf(schema).filter((name) => Object.hasOwn(properties, name))
  return Object.fromEntries(names.map((name) => [name, sample(properties[name], depth - 1, root)]))
}
