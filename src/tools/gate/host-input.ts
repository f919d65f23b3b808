import { isJsonObject, type Json, type JsonObject } from '../../core/json.js'
import type { ToolDefinition } from '../../core/tool-definition.js'

/**
 * What a model sent of the fields that the app fills. Another case of a name is refused too, unless it is a field of its own: a
 * tool may read names more kindly than a schema does.
 */
export function sentHostField({ hostInput = [], input: schema }: ToolDefinition, input: Json): string | undefined {
  if (hostInput.length === 0 || !isJsonObject(input)) return undefined
  const known = isJsonObject(schema.properties) ? schema.properties : {}
  const hosts = new Map(hostInput.map((field) => [folded(field), field]))
  return Object.keys(input).find((key) => {
    if (key === '__proto__' || hostInput.includes(key)) return true
    return hosts.has(folded(key)) && !Object.hasOwn(known, key)
  })
}

/** Defines own fields, whatever they are called. */
export const filledInput = (input: Json, filled: JsonObject): Json =>
  isJsonObject(input) && Object.keys(filled).length > 0
    ? Object.fromEntries([...Object.entries(input), ...Object.entries(filled)])
    : input

/** The input without what the app fills; or the field that is not as the app filled it. */
export function withoutHostInput(
  { hostInput = [] }: Pick<ToolDefinition, 'hostInput'>,
  input: Json,
  isSame: (field: string, value: Json) => boolean,
): { readonly input: Json } | { readonly changed: string } {
  if (!isJsonObject(input) || hostInput.length === 0) return { input }
  const changed = hostInput.find((field) => Object.hasOwn(input, field) && !isSame(field, input[field]!))
  if (changed !== undefined) return { changed }
  return { input: Object.fromEntries(Object.entries(input).filter(([key]) => !hostInput.includes(key))) }
}

const folded = (name: string): string => name.normalize('NFKC').toLowerCase()
