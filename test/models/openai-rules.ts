import type { JsonObject } from '../../src/core/json.js'
import { listOf, record, textOf } from './recorded-json.js'
import { schemaComplaints } from './root-schema-rules.js'

/** Why the Responses API would answer a stateless request with 400; empty when it would not. */
export function openAIComplaints(body: JsonObject): string[] {
  const found: string[] = []
  const open = new Set<string>()
  const seen = new Set<string>()
  const items = listOf(body.input)
  for (const [i, item] of items.entries()) {
    const id = textOf(item.call_id)
    if (item.type === 'function_call') {
      if (!/^[^]{1,64}$/.test(id) || seen.has(id)) found.push(`call id "${id}" is blank, long or taken`)
      if (!/^[\w.-]{1,64}$/.test(textOf(item.name))) found.push(`function name "${textOf(item.name)}"`)
      if (typeof item.arguments !== 'string') found.push('arguments are not a string')
      open.add(id)
      seen.add(id)
    } else if (item.type === 'function_call_output') {
      if (!open.delete(id)) found.push(`No tool call found for function call output with call_id ${id}`)
      if (typeof item.output !== 'string') found.push('output is not a string')
    } else if (item.type === 'reasoning') {
      if (!item.encrypted_content && listOf(item.content).length === 0)
        found.push(`Item ${i} of type reasoning cannot be read`)
      const next = items[i + 1]
      if (!next || next.role === 'user' || next.type === 'function_call_output')
        found.push(`Item ${i} of type reasoning was provided without its required following item`)
    } else if (open.size > 0 && item.role === 'user')
      found.push(`No tool output found for function call ${[...open].join()}`)
  }
  if (open.size > 0) found.push(`No tool output found for function call ${[...open].join()}`)
  if (textOf(body.prompt_cache_key).length > 64) found.push('prompt_cache_key is too long')
  for (const tool of listOf(body.tools)) found.push(...schemaComplaints(record(tool.parameters)))
  return found
}
