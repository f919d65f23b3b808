import { isJsonObject, type JsonObject } from '../../src/core/json.js'
import { configOf, toHistory, unsupported } from '../models/chat-canonical.js'
import { listOf } from '../models/recorded-json.js'
import { limitOf, requestOf, textIn, toolOf, type Imported, type RecordedRequest } from './import-pieces.js'

export function importChat(recorded: RecordedRequest): Imported {
  const { request: body } = recorded
  const config = { ...configOf(recorded), ...limitOf(body, 'max_tokens', 'max_completion_tokens') }
  const why = unsupported(body)
  const missing = new Set(why === undefined ? [] : [why])
  const isSystem = ({ role }: JsonObject) => role === 'system' || role === 'developer'
  const messages = listOf(body.messages)
  const instructions = messages.filter(isSystem).map(({ content }) => textIn(content, new Set()))
  const history = toHistory({ ...body, messages: messages.filter((one) => !isSystem(one)) }, config)
  const tools = listOf(body.tools).flatMap(({ function: called }) => {
    return isJsonObject(called) ? toolOf(called, called.parameters, missing) : []
  })
  return { request: requestOf(instructions.join('\n\n'), tools, history), config, missing: [...missing] }
}
