import { isDeepStrictEqual } from 'node:util'
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.js'
import { listOf, record, textOf } from '../models/recorded-json.js'

/** How the answer is to be delivered and kept, which is not what is asked. */
const delivery = new Set(['stream', 'stream_options', 'store', 'include', 'prompt_cache_key'])

/** Without fields that say nothing. */
export const bare = (body: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(body).filter(([key, value]) => !delivery.has(key) && !isDefault(key, value)))

/** Several calls in one reply are what every provider begins with. */
const isDefault = (key: string, value: Json): boolean =>
  key === 'parallel_tool_calls' ? value !== false : isNothing(value)

export const isNothing = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  value === 'auto' ||
  (isJsonObject(value) && value.type === 'auto' && Object.keys(value).length === 1) ||
  (typeof value === 'object' && Object.values(value).every((inside) => isNothing(inside as Json)))

export const textsIn = (content: Json | undefined): string =>
  typeof content === 'string'
    ? content
    : listOf(content)
        .map(({ text }) => textOf(text))
        .join('\n')

export const isText = (content: Json | undefined): boolean =>
  typeof content === 'string' || listOf(content).every(({ type }) => textOf(type).endsWith('text'))

export const isSystem = ({ role }: JsonObject): boolean => role === 'system' || role === 'developer'

/** Where a client marks the end of what is to be cached is its own choice. */
export const unmarked = (block: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(block).filter(([key]) => key !== 'cache_control'))

/** A schema without what an object has anyway; `key` is the provider's name for it. */
export function toolOf(tool: JsonObject, key: string): JsonObject {
  const { type, allowed_callers, ...rest } = unmarked(tool)
  const { properties = {}, ...schema } = record(rest[key])
  const named: JsonObject = type === 'function' || type === 'custom' ? {} : { type: type ?? null }
  // Unless it says more, only the model itself calls it; the order of who may says nothing.
  const callers: JsonObject = Array.isArray(allowed_callers)
    ? { allowed_callers: allowed_callers.map(String).toSorted((a, b) => (a < b ? -1 : 1)) }
    : {}
  const isDefault = isDeepStrictEqual(allowed_callers, ['direct'])
  return bare({
    ...rest,
    ...(!isDefault && callers),
    ...named,
    ...(rest[key] === undefined ? {} : { [key]: { ...schema, properties } }),
  })
}
