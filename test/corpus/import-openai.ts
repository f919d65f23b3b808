import type { JsonObject } from '../../src/core/json.js'
import type { ModelConfig } from '../../src/models/model.js'
import { listOf, textOf } from '../models/recorded-json.js'
import {
  createHistory,
  limitOf,
  requestOf,
  textIn,
  toolOf,
  type Imported,
  type RecordedRequest,
} from './import-pieces.js'

export function importOpenAI({ request: body }: RecordedRequest): Imported {
  const config: ModelConfig = { provider: 'openai', model: textOf(body.model), ...limitOf(body, 'max_output_tokens') }
  const missing = new Set<string>()
  const history = createHistory(config)
  let instructions = textOf(body.instructions)
  let hasBegun = false
  for (const item of typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : listOf(body.input)) {
    const { type, role, content } = item as JsonObject
    const isSystem = role === 'system' || role === 'developer'
    if (isSystem && !hasBegun) instructions = [instructions, textIn(content, missing)].filter(Boolean).join('\n\n')
    else if (isSystem) missing.add('late instructions')
    else if (role === 'user') history.user(textIn(content, missing))
    else if (role === 'assistant') history.part({ type: 'text', text: textIn(content, missing), native: item })
    else if (type === 'reasoning') history.part({ type: 'reasoning', text: '', native: item })
    else if (type === 'function_call') {
      const { call_id, name, arguments: text } = item as JsonObject
      history.call(textOf(call_id), textOf(name), textOf(text), item)
    } else if (type === 'function_call_output') {
      const { call_id, output } = item as JsonObject
      if (!history.result(textOf(call_id), textIn(output, missing), false)) missing.add('a result of a call elsewhere')
    } else history.part({ type: 'other', native: item })
    hasBegun ||= !isSystem
  }
  const tools = listOf(body.tools).flatMap((tool) => toolOf(tool, tool.parameters, missing))
  return { request: requestOf(instructions, tools, history.end()), config, missing: [...missing] }
}
