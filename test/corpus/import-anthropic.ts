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

export function importAnthropic({ request: body }: RecordedRequest): Imported {
  const config: ModelConfig = { provider: 'anthropic', model: textOf(body.model), ...limitOf(body, 'max_tokens') }
  const missing = new Set<string>()
  const history = createHistory(config)
  for (const { role, content } of listOf(body.messages)) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
    if (role === 'system') missing.add('late instructions')
    for (const block of role === 'system' ? [] : (blocks as readonly JsonObject[])) {
      const { type, text } = block
      if (type === 'tool_use') history.call(textOf(block.id), textOf(block.name), JSON.stringify(block.input), block)
      else if (type === 'tool_result') {
        const said = textIn(block.content, missing)
        if (!history.result(textOf(block.tool_use_id), said, block.is_error === true))
          missing.add('a result of a call elsewhere')
      } else if (role === 'user' && type === 'text') history.user(textOf(text))
      else if (role === 'user') missing.add(`content ${textOf(type)}`)
      else if (type === 'text') history.part({ type: 'text', text: textOf(text), native: block })
      else if (textOf(type).endsWith('thinking')) history.part({ type: 'reasoning', text: '', native: block })
      else history.part({ type: 'other', native: block })
    }
  }
  const tools = listOf(body.tools).flatMap((tool) => toolOf(tool, tool.input_schema, missing))
  return { request: requestOf(textIn(body.system, missing), tools, history.end()), config, missing: [...missing] }
}
