import type { JsonObject } from '../../src/core/json.js'
import { listOf, record, textOf } from './recorded-json.js'
import { schemaComplaints } from './root-schema-rules.js'

/** Why the Messages API would answer a request with 400. */
export function anthropicComplaints(body: JsonObject): string[] {
  const found: string[] = []
  const answered = new Set<string>()
  let open: string[] = []
  const messages = listOf(body.messages)
  if (messages[0]?.role !== 'user') found.push('the first message is not of the user')
  for (const [i, message] of messages.entries()) {
    if (message.role === messages[i - 1]?.role) found.push(`messages ${i - 1} and ${i} have the same role`)
    const blocks = listOf(message.content)
    if (blocks.length === 0) found.push(`message ${i} is empty`)
    const results = blocks.filter(({ type }) => type === 'tool_result').map(({ tool_use_id }) => textOf(tool_use_id))
    if (message.role === 'user') {
      const missing = open.filter((id) => !results.includes(id))
      if (missing.length > 0)
        found.push(`tool_use ids were found without tool_result blocks immediately after: ${missing.join()}`)
      if (results.some((id) => !open.includes(id) || answered.has(id)))
        found.push(`message ${i} answers what was not asked`)
      if (blocks.slice(0, results.length).some(({ type }) => type !== 'tool_result'))
        found.push('results are not first')
      for (const id of results) answered.add(id)
    }
    open = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => textOf(id))
    if (new Set(open).size < open.length || open.some((id) => answered.has(id))) found.push('a tool_use id is taken')
    for (const block of blocks) found.push(...blockComplaints(block))
    if (textOf(blocks.at(-1)?.type).endsWith('thinking')) found.push(`the final block of message ${i} is thinking`)
  }
  if (open.length > 0) found.push('the last calls have no results')
  if (!Number.isInteger(body.max_tokens)) found.push('max_tokens is required')
  for (const key of ['temperature', 'top_p', 'top_k']) if (key in body) found.push(`${key} was removed`)
  for (const tool of listOf(body.tools)) found.push(...schemaComplaints(record(tool.input_schema)))
  const marked = [...listOf(body.system), ...listOf(body.tools), ...messages.flatMap(({ content }) => listOf(content))]
  if (marked.filter((block) => 'cache_control' in block).length > 4)
    found.push('more than 4 blocks are marked for the cache')
  return found
}

function blockComplaints(block: JsonObject): string[] {
  const found: string[] = []
  if (block.type === 'text' && textOf(block.text).trim() === '') found.push('a text block is blank')
  if (block.type === 'tool_use') {
    if (!/^[a-zA-Z0-9_-]+$/.test(textOf(block.id))) found.push(`tool_use id "${textOf(block.id)}"`)
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(textOf(block.name))) found.push(`tool name "${textOf(block.name)}"`)
    if (typeof block.input !== 'object' || block.input === null || Array.isArray(block.input))
      found.push('input is no object')
  }
  if (block.type === 'thinking' && !block.signature) found.push('a thinking block has no signature')
  return found
}
