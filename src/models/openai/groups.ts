import type { JsonObject } from '../../core/json.js'
import { objectsAt, textAt } from '../wire.js'

/** How an item that the model made goes back: as it is, without the id by which it refers to its reasoning, or not at all. */
export type Return = 'whole' | 'bare' | 'never'

/**
 * Reasoning without its encrypted content cannot be read again, and an item is refused without the reasoning that led to it, so
 * both go together: the reasoning, and the ids of what follows up to the next. Reasoning that led to nothing is left out alone.
 */
export function returnsOf(items: readonly JsonObject[], reasoningBack: boolean): Return[] {
  const returns: Return[] = []
  let group: { readonly start: number; isReadable: boolean } = { start: 0, isReadable: true }
  for (const [i, item] of items.entries()) {
    if (isReasoning(item)) {
      if (i === 0 || !isReasoning(items[i - 1]!)) group = { start: i, isReadable: true }
      if (!reasoningBack || !isReadable(item)) {
        group.isReadable = false
        returns.fill('never', group.start)
      }
      returns.push(group.isReadable ? 'whole' : 'never')
    } else returns.push(group.isReadable ? 'whole' : bare(item))
  }
  for (let i = items.length - 1; i >= 0 && (isReasoning(items[i]!) || returns[i] === 'never'); i--) returns[i] = 'never'
  return returns
}

const isReasoning = ({ type }: JsonObject): boolean => type === 'reasoning'

const isReadable = (item: JsonObject): boolean =>
  textAt(item, 'encrypted_content') !== '' || objectsAt(item, 'content').length > 0

/** Calls of hosted tools have to have their ids, and programs their own. */
const bare = ({ type }: JsonObject): Return => {
  if (typeof type === 'string' && hosted.test(type)) return 'never'
  return type === 'program' || type === 'program_output' || type === 'mcp_list_tools' || type === 'compaction'
    ? 'whole'
    : 'bare'
}

const hosted = /^(web_search|file_search|code_interpreter|image_generation|mcp)_call$/

export function withoutId(item: JsonObject): JsonObject {
  const { id: _, ...rest } = item
  return rest
}
