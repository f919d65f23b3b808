import { type Json, type JsonObject } from '../../src/core/json.js'
import { listOf, textOf } from '../models/recorded-json.js'
import { bare, isText, textsIn, toolOf, unmarked } from './normal-pieces.js'

/** Calls whose ids are not the API's are named by their order, so that another id may stand for one that is taken. */
function named(block: JsonObject, ids: { of: Map<string, string>; count: number }): JsonObject {
  const id = textOf(block.type === 'tool_use' ? block.id : block.type === 'tool_result' ? block.tool_use_id : '')
  if (id === '' || id.startsWith('toolu_')) return block
  if (block.type === 'tool_result') return { ...block, tool_use_id: ids.of.get(id) ?? id }
  ids.of.set(id, `call ${++ids.count}`)
  return { ...block, id: ids.of.get(id)! }
}

export function normalAnthropic(body: JsonObject): JsonObject {
  const ids = { of: new Map<string, string>(), count: 0 }
  const turns: { role: string; content: JsonObject[] }[] = []
  for (const { role, content } of listOf(body.messages)) {
    const list = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content)
    const blocks = list.map((marked: JsonObject) => {
      const block = named(unmarked(marked), ids)
      if (block.type === 'text')
        return { ...(role === 'user' ? bare(block) : block), text: block.text === '(no text)' ? null : block.text! }
      if (block.type !== 'tool_result') return role === 'user' ? bare(block) : block
      return bare({ ...block, content: isText(block.content) ? textsIn(block.content) : block.content! })
    })
    const last = turns.at(-1)
    if (last && last.role === role) last.content.push(...blocks)
    else turns.push({ role: textOf(role), content: blocks })
  }
  const tools = listOf(body.tools).map((tool) => toolOf(tool, 'input_schema'))
  return {
    ...unmarked(body),
    system: textsIn(body.system),
    messages: turns as unknown as Json,
    tools: tools.toSorted((a, b) => textOf(a.name).localeCompare(textOf(b.name))),
  }
}
