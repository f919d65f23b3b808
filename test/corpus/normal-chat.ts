import { isJsonObject, type JsonObject } from '../../src/core/json.js'
import { asOne, essence } from '../models/chat-canonical.js'
import { listOf, record } from '../models/recorded-json.js'
import { isSystem, textsIn, toolOf } from './normal-pieces.js'

export function normalChat({
  max_completion_tokens: limit = null,
  messages: given = null,
  n = null,
  false: misread,
  stop = null,
  ...body
}: JsonObject): JsonObject {
  const messages = listOf(given)
  const start = messages.findIndex((message) => !isSystem(message))
  const [system, rest] = start < 0 ? [messages, []] : [messages.slice(0, start), messages.slice(start)]
  // Where a recording went through YAML, the key `n` has become `false`.
  const count = misread ?? n
  const said = rest
    .filter(({ content }) => content !== 'Go on.')
    .map((message) => ({
      ...essence(message),
      role: isSystem(message) ? 'system' : (message.role ?? null),
    }))
  return {
    ...body,
    n: count === 1 ? null : count,
    max_tokens: body.max_tokens ?? limit,
    stop: typeof stop === 'string' ? [stop] : stop,
    messages: asOne(said),
    instructions: system.map(({ content }) => textsIn(content)).join('\n\n'),
    tools: listOf(body.tools).map(({ function: called, ...other }) =>
      isJsonObject(called) ? toolOf({ parameters: {}, ...called, type: 'function' }, 'parameters') : record(other),
    ),
  }
}
