import { isJsonObject, type Json, type JsonObject } from '../../core/json.js'
import type { ModelConfig } from '../model.js'

/** Messages with the end of the instructions, which the tools come before, and of the transcript marked for the cache. */
export function marked(messages: readonly JsonObject[], cache: ModelConfig['cache']): readonly JsonObject[] {
  if (cache === 'off') return messages
  const mark = { type: 'ephemeral', ...(cache === 'long' ? { ttl: '1h' } : {}) }
  const ends = new Set([messages.findLastIndex(({ role }) => role === 'system'), messages.length - 1])
  return messages.map((message, i) => (ends.has(i) ? withMark(message, mark) : message))
}

function withMark({ content, ...message }: JsonObject, mark: JsonObject): JsonObject {
  const parts: readonly Json[] = Array.isArray(content) ? content : [{ type: 'text', text: content ?? '' }]
  // Of a file, one may be refused.
  const at = parts.findLastIndex((part) => isJsonObject(part) && (part.type === 'text' || part.type === 'image_url'))
  return {
    ...message,
    content: parts.map((part, i) => (i === at ? { ...(part as JsonObject), cache_control: mark } : part)),
  }
}
