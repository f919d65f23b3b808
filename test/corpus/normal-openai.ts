import { type JsonObject } from '../../src/core/json.js'
import { listOf, textOf } from '../models/recorded-json.js'
import { bare, isSystem, isText, textsIn, toolOf } from './normal-pieces.js'

export function normalOpenAI(body: JsonObject): JsonObject {
  const items = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : listOf(body.input)
  const start = items.findIndex((item) => !isSystem(item))
  const system = items.slice(0, start).map(({ content }: JsonObject) => textsIn(content))
  return {
    ...body,
    instructions: [textOf(body.instructions), ...system].filter(Boolean).join('\n\n'),
    input: items.slice(start).map((item): JsonObject => {
      const { type = 'message', status: _, content, output, ...rest } = item as JsonObject
      return bare({
        type,
        ...rest,
        ...(content === undefined ? {} : { content: isText(content) ? textsIn(content) : content }),
        ...(output === undefined ? {} : { output: isText(output) ? textsIn(output) : output }),
      })
    }),
    tools: listOf(body.tools).map((tool) => toolOf(tool, 'parameters')),
  }
}
