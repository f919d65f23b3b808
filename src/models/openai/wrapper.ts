import { isJsonObject, type Json, type JsonObject } from '../../core/json.js'
import type { ReplyPart } from '../model.js'
import { textAt } from '../wire.js'

/** A function that nobody declared, by which some models ask for several calls at once. */
const wrapperName = /^(multi_tool_use[._])?parallel$/

/** Whether an item is the wrapper of a call of the tool: it has a name of its own. */
export const isWrapperOf = (item: JsonObject, toolName: string): boolean =>
  item.type === 'function_call' && wrapperName.test(textAt(item, 'name')) && item.name !== toolName

/** The calls in a wrapper, each with the wrapper as its native object; undefined unless every one is of a tool of the request. */
export function unwrapped(item: JsonObject, names: ReadonlySet<string>): ReplyPart[] | undefined {
  const name = textAt(item, 'name')
  if (item.type !== 'function_call' || !wrapperName.test(name) || names.has(name)) return undefined
  const uses = usesIn(textAt(item, 'arguments'))
  const calls = uses.map((use): ReplyPart | undefined => {
    if (!isJsonObject(use)) return undefined
    const toolName = declared(textAt(use, 'recipient_name'), names)
    if (toolName === undefined) return undefined
    const inputText = JSON.stringify(use.parameters ?? {})
    return { type: 'call', toolName, inputText, wireId: textAt(item, 'call_id') || undefined, native: item }
  })
  const found = calls.filter((call) => call !== undefined)
  return found.length > 0 && found.length === uses.length ? found : undefined
}

function usesIn(text: string): readonly Json[] {
  try {
    const value = JSON.parse(text) as Json
    return isJsonObject(value) && Array.isArray(value.tool_uses) ? value.tool_uses : []
  } catch {
    return []
  }
}

const declared = (recipient: string, names: ReadonlySet<string>): string | undefined => {
  const name = recipient.replace(/^functions\./, '')
  return [name, name.replace('.', '__')].find((one) => names.has(one))
}
