import type { Json, JsonObject, JsonSchema, ModelRequest, ToolDefinition } from '../../index.js'

/** The tool by which the model runs a script, in which it finds the deferred tools. */
const scriptTool = 'run_script'

/** The tools that the model is told of. Without scripts none may be out of reach. */
export function toldTools({ tools }: ModelRequest): readonly ToolDefinition[] {
  const callable = tools.filter(({ callers }) => callers === undefined || callers.includes('model'))
  const hasScripts = callable.some(({ name }) => name === scriptTool)
  return hasScripts ? callable.filter(({ deferred }) => !deferred) : callable
}

/**
 * What the model is held to: `{ tool, input }` for one of the tools that it may call now, or `{ answer }`. So a tool choice and
 * the schema of an answer hold exactly, though the browser knows neither.
 */
export function toConstraint(request: ModelRequest): JsonSchema {
  const { mode = 'auto', tools: chosen } = request.toolChoice ?? {}
  const isChosen = ({ name }: ToolDefinition) => chosen === undefined || chosen.includes(name)
  const tools = mode === 'none' ? [] : toldTools(request).filter(isChosen)
  const forms = tools.map(({ name, input }) => exactly({ tool: { enum: [name] }, input: plainSchema(input) }))
  const answer = request.answer ? plainSchema(request.answer.schema) : { type: 'string' }
  if (mode !== 'required' || forms.length === 0) forms.push(exactly({ answer }))
  return forms.length === 1 ? forms[0]! : { anyOf: forms }
}

const exactly = (properties: JsonObject): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

/** Keywords that every browser is known to take. A constraint with another one is refused whole; the gate checks the rest. */
const kept = ['type', 'enum', 'required']

/** The schema in those keywords, with each `$ref` put in its place. What leads back to itself may be anything there. */
function plainSchema(schema: JsonSchema, root = schema, open: readonly string[] = []): JsonSchema {
  const { $ref: ref } = schema
  if (typeof ref === 'string') {
    const target = open.includes(ref) ? undefined : resolve(ref, root)
    return isObject(target) ? plainSchema(target, root, [...open, ref]) : {}
  }
  const inner = (value: Json | undefined): JsonSchema => (isObject(value) ? plainSchema(value, root, open) : {})
  const plain: Record<string, Json> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (kept.includes(key)) plain[key] = value
    else if (key === 'const') plain.enum = [value]
    else if (key === 'items' && isObject(value)) plain.items = inner(value)
    else if (key === 'additionalProperties') plain[key] = isObject(value) ? inner(value) : value
    else if ((key === 'anyOf' || key === 'oneOf') && Array.isArray(value)) plain.anyOf = value.map(inner)
    else if (key === 'properties' && isObject(value))
      plain.properties = Object.fromEntries(Object.entries(value).map(([name, of]) => [name, inner(of)]))
  }
  return plain
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function resolve(ref: string, root: JsonSchema): Json | undefined {
  let at: Json | undefined = root
  for (const step of ref.replace(/^#\/?/, '').split('/').filter(Boolean)) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
    at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined
  }
  return at
}
