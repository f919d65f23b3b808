import { isJsonObject, type Json, type JsonObject } from '../../core/json.js'
import { textAt } from '../wire.js'

/** Pieces of one part of a content that came as a list. */
export function joinParts(before: JsonObject, more: JsonObject): JsonObject {
  const joined = { ...before, ...more }
  if (Array.isArray(before.thinking) && Array.isArray(more.thinking))
    return { ...joined, thinking: joinDetails(before.thinking, more.thinking) }
  return { ...joined, text: textAt(before, 'text') + textAt(more, 'text') }
}

/** A list that comes in pieces: what continues the text of the last item is part of it. */
export function joinDetails(before: readonly Json[], more: readonly Json[]): readonly Json[] {
  const list = [...before]
  for (const item of more) {
    const last = list.at(-1)
    if (last !== undefined && continues(last, item)) list[list.length - 1] = extended(last, item)
    else list.push(item)
  }
  return list
}

const texts = ['text', 'summary']

const continues = (last: Json, item: Json): last is JsonObject =>
  isJsonObject(last) &&
  isJsonObject(item) &&
  last.type === item.type &&
  last.index === item.index &&
  (last.id ?? item.id) === (item.id ?? last.id) &&
  (last.index !== undefined || last.type === 'text') &&
  texts.some((key) => key in last)

function extended(last: JsonObject, item: Json): JsonObject {
  if (!isJsonObject(item)) return last
  const given = Object.entries(item).filter(([, value]) => value !== null && value !== '')
  const joined = given.map(
    ([key, value]) => [key, texts.includes(key) ? textAt(last, key) + textAt(item, key) : value] as const,
  )
  return { ...last, ...Object.fromEntries(joined) }
}
