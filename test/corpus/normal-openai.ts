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
    input: asOne(items.slice(start)).map(normalItem),
    tools: inOrder(listOf(body.tools).map(normalTool)),
    reasoning: bare(record(body.reasoning)),
  }
}

/** What the user says in several messages is one. */
function asOne(items: readonly JsonObject[]): JsonObject[] {
  const all: JsonObject[] = []
  for (const item of items) {
    const last = all.at(-1)
    if (last?.role !== 'user' || item.role !== 'user') all.push(item)
    else all[all.length - 1] = { ...last, content: [...piecesOf(last), ...piecesOf(item)] }
  }
  return all
}

const piecesOf = ({ content }: JsonObject): JsonObject[] =>
  typeof content === 'string' ? [{ type: 'input_text', text: content }] : listOf(content)

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

/** Without the marks for the cache; texts in a row are one. */
function normalContent(content: Json): Json {
  if (isText(content)) return textsIn(content)
  const pieces: JsonObject[] = []
  for (const { prompt_cache_breakpoint: _, ...piece } of listOf(content)) {
    const last = pieces.at(-1)
    const isTexts = last !== undefined && isText([last]) && isText([piece])
    if (isTexts) pieces[pieces.length - 1] = { ...last, text: textsIn([last, piece]) }
    else pieces.push(bare(piece))
  }
  return pieces
}

function normalTool(tool: JsonObject): JsonObject {
  if (tool.type === 'namespace') return { ...tool, tools: inOrder(listOf(tool.tools).map(normalTool)) }
  const { require_approval: asks, format, ...rest } = tool
  // That it asks always, or takes any text, is what it does anyway.
  const said = {
    ...rest,
    ...(tool.type === 'mcp' && asks === 'always' ? {} : { require_approval: asks ?? null }),
    ...(record(format).type === 'text' ? {} : { format: format ?? null }),
    ...(tool.type === 'function' && { parameters: tool.parameters ?? { type: 'object' } }),
  }
  return toolOf(said, 'parameters')
}

const inOrder = (tools: readonly JsonObject[]): JsonObject[] => {
  const keys = new Map(tools.map((tool) => [tool, textOf(tool.name) || JSON.stringify(tool)]))
  return tools.toSorted((a, b) => (keys.get(a)! < keys.get(b)! ? -1 : 1))
}
