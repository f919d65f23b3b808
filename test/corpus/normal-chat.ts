import { isJsonObject, type JsonObject } from '../../src/core/json.js'
import { essence } from '../models/chat-canonical.js'
import { listOf, textOf } from '../models/recorded-json.js'
import { isSystem, textsIn, toolOf } from './normal-pieces.js'

export function normalChat({
  max_completion_tokens: limit = null,
  messages: given = null,
  n = null,
  false: misread,
  ...body
}: JsonObject): JsonObject {
  const messages = listOf(given)
  // Where a recording went through YAML, the key `n` has become `false`.
  const count = misread ?? n
  const said: JsonObject[] = []
  for (const message of messages.filter((one) => !isSystem(one) && one.content !== 'Go on.').map(essence)) {
    const last = said.at(-1)
    if (!last || last.role !== 'user' || message.role !== 'user') said.push(message)
    else said[said.length - 1] = { ...last, text: `${textOf(last.text)}\n\n${textOf(message.text)}` }
  }
  return {
    ...body,
    n: count === 1 ? null : count,
    max_tokens: body.max_tokens ?? limit,
    messages: said,
    instructions: messages
      .filter(isSystem)
      .map(({ content }) => textsIn(content))
      .join('\n\n'),
    tools: listOf(body.tools).map(({ function: called, ...rest }) =>
      isJsonObject(called) ? toolOf(called, 'parameters') : rest,
    ),
  }
}
