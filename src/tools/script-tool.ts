import { isJsonObject, type Json, type JsonSchema } from '../core/json.js'
import type { ToolDefinition } from '../core/tool-definition.js'
import { access, signature } from './declarations.js'

export const scriptToolName = 'run_script'

const input: JsonSchema = {
  type: 'object',
  properties: { code: { type: 'string', minLength: 1, description: 'JavaScript, the body of an async function' } },
  required: ['code'],
  additionalProperties: false,
}

/**
 * The tool by which the model runs a script. The same tools give the same bytes: the description is a part of the prefix that
 * providers cache.
 */
export function scriptToolDefinition(tools: readonly ToolDefinition[]): ToolDefinition {
  const example = exampleOf(tools)
  const description = [
    'Runs JavaScript that calls the other tools, and returns only what it returns. Prefer it when a task takes several calls, a loop, or only a part of what a tool gives.',
    'Each tool is tools.NAME(input) and returns a promise of its output; a failed call rejects with an error that has code and message. Await and return work at the top level; run independent calls with Promise.all. print(...) shows values. Return or print only what you need: nothing else is kept. There is no network, no DOM, no import.',
    tools.length > 0 ? `The tools:\n${tools.map(signature).join('\n')}` : 'There are no tools yet.',
    ...(example ? [`For example:\n${example}`] : []),
  ].join('\n\n')
  return { name: scriptToolName, description, input, risk: 'read' }
}

/** Made of a read, so that a model that copies it does no harm. */
function exampleOf(tools: readonly ToolDefinition[]): string | undefined {
  const tool = tools.find(({ risk }) => risk === 'read')
  if (!tool) return undefined
  const call = `${access(tool.name)}(${JSON.stringify(sample(tool.input, 3))})`
  return `const result = await ${call}\nprint(result)\nreturn result`
}

/** A value of the shape that a schema asks for, of its required properties only. */
function sample(schema: Json | undefined, depth: number): Json {
  if (!isJsonObject(schema)) return {}
  const { enum: values, examples } = schema
  if (schema.const !== undefined) return schema.const
  if (schema.default !== undefined) return schema.default
  for (const list of [values, examples]) if (Array.isArray(list) && list.length > 0) return list[0]!
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'string') return '...'
  if (type === 'number' || type === 'integer') return typeof schema.minimum === 'number' ? schema.minimum : 1
  if (type === 'boolean') return true
  if (type === 'null') return null
  if (type === 'array') return depth > 0 ? [sample(schema.items, depth - 1)] : []
  const { properties, required } = schema
  if (!isJsonObject(properties) || !Array.isArray(required) || depth === 0) return {}
  const names = required.filter((name) => typeof name === 'string' && Object.hasOwn(properties, name)) as string[]
  return Object.fromEntries(names.map((name) => [name, sample(properties[name], depth - 1)]))
}
