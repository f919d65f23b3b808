import type { JsonSchema } from '../core/json.js'
import { grammarInWords, type ToolDefinition } from '../core/tool-definition.js'

/** What a text tool takes, for a provider whose tools take objects: its text as the one field of an object. */
export function textToolSchema({ input, grammar }: Pick<ToolDefinition, 'input' | 'grammar'>): JsonSchema {
  const described = typeof input.description === 'string' ? input.description.trim() : ''
  const description = [described || 'The whole input, as one text.', grammar && grammarInWords(grammar)]
    .filter((line) => line !== undefined)
    .join('\n\n')
  return {
    type: 'object',
    properties: { input: { type: 'string', description } },
    required: ['input'],
    additionalProperties: false,
  }
}
