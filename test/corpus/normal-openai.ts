import type { Json, JsonObject } from '../../src/core/json.js'
import { listOf, record, textOf } from '../models/recorded-json.js'
import { isInstructions } from './import-openai.js'
import { bare, isText, textsIn, toolOf } from './normal-pieces.js'

export function normalOpenAI(body: JsonObject): JsonObject {
  const items = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : listOf(body.input)
  // Beside what a server keeps, the instructions are the last ones, and not the first.
  const start = body.previous_response_id || body.conversation ? 0 : items.findIndex((item) => !isInstructions(item))
  const system = items.slice(0, start).map(({ content }: JsonObject) => textsIn(content))
  return {
    ...body,
    instructions: [textOf(body.instructions), ...system].filter(Boolean).join('\n\n'),
    input: items.slice(start).map(normalItem),
    tools: listOf(body.tools).map(normalTool),
    reasoning: bare(record(body.reasoning)),
  }
}

function normalItem(item: JsonObject): JsonObject {
  const { type = 'message', status: _, content, output, ...rest } = item
  return bare({
    type,
    ...rest,
    ...(isInstructions(item) && { role: 'developer' }),
    ...(content !== undefined && { content: normalContent(content) }),
    ...(output !== undefined && { output: normalContent(output) }),
  })
}

/** Without the marks for the cache. */
const normalContent = (content: Json): Json =>
  isText(content)
    ? textsIn(content)
    : listOf(content).map((piece) =>
        bare(Object.fromEntries(Object.entries(piece).filter(([key]) => key !== 'prompt_cache_breakpoint'))),
      )

function normalTool(tool: JsonObject): JsonObject {
  if (tool.type === 'namespace') return { ...tool, tools: listOf(tool.tools).map(normalTool) }
  const { require_approval: asks, ...rest } = tool
  // That it asks always is what it does anyway.
  return toolOf(tool.type === 'mcp' && asks === 'always' ? rest : tool, 'parameters')
}
