import { builtInNames, type BuiltInName } from '../core/built-ins.js'
import type { JsonSchema } from '../core/json.js'
import type { ToolDefinition } from '../core/tool-definition.js'

const objectOf = (properties: Readonly<Record<string, JsonSchema>>, ...required: string[]): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const text: JsonSchema = { type: 'string' }

const inputs: Readonly<Record<BuiltInName, JsonSchema>> = {
  'script.sleep': objectOf({ ms: { type: 'number' } }, 'ms'),
  'script.search': objectOf({ query: text, limit: { type: 'integer', minimum: 1, maximum: 50 } }, 'query'),
  'script.describe': objectOf({ name: text }, 'name'),
  'script.results': objectOf({ handle: text }, 'handle'),
}

/** What every script can call without a tool of the app: reads that the runtime answers itself. */
export const builtInTools: readonly ToolDefinition[] = builtInNames.map((name) => ({
  name,
  description: 'Built into every script',
  input: inputs[name],
  risk: 'read',
}))
