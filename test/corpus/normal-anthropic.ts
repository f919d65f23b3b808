import { type Json, type JsonObject } from '../../src/core/json.js'
import { listOf, textOf } from '../models/recorded-json.js'
import { bare, isText, textsIn, toolOf, unmarked } from './normal-pieces.js'

export function normalAnthropic(body: JsonObject): JsonObject {
  const turns: { role: string; content: JsonObject[] }[] = []
  for (const { role, content } of listOf(body.messages)) {
    const list = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
    const blocks = list.map((marked: JsonObject) => {
      const block = unmarked(marked)
      if (block.type !== 'tool_result') return block
      return bare({ ...block, content: isText(block.content) ? textsIn(block.content) : block.content! })
    })
    const last = turns.at(-1)
    if (last && last.role === role) last.content.push(...blocks)
    else turns.push({ role: textOf(role), content: blocks })
  }
  return {
    ...body,
    system: textsIn(body.system),
    messages: turns as unknown as Json,
    tools: listOf(body.tools).map((tool) => toolOf(tool, 'input_schema')),
  }
}
