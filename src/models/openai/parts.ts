import type { JsonObject } from '../../core/json.js'
import type { ReplyPart } from '../model.js'
import { inner, objectsAt, stringAt, textAt } from '../wire.js'
import { unwrapped } from './wrapper.js'

/** The parts of a finished item. @param names of the tools of the request */
export function toParts(item: JsonObject, names: ReadonlySet<string>): ReplyPart[] {
  switch (item.type) {
    case 'message': {
      const content = objectsAt(item, 'content')
      const isRefusal = content.some(({ type }) => type === 'refusal')
      const text = content.map((piece) => textAt(piece, piece.type === 'refusal' ? 'refusal' : 'text')).join('')
      return [{ type: isRefusal ? 'refusal' : 'text', text, native: item }]
    }
    case 'reasoning': {
      const pieces = objectsAt(item, 'summary').length > 0 ? objectsAt(item, 'summary') : objectsAt(item, 'content')
      return [{ type: 'reasoning', text: pieces.map((piece) => textAt(piece, 'text')).join('\n\n'), native: item }]
    }
    case 'function_call': {
      const toolName = toolNameIn(item, names)
      const text = stringAt(item, 'arguments', 'a function call')
      const call = { toolName, inputText: text.trim() === '' ? '{}' : text, ...callFields(item) }
      return unwrapped(item, names) ?? [{ type: 'call', ...call, native: item }]
    }
    case 'custom_tool_call': {
      const call = { toolName: toolNameIn(item, names), inputText: stringAt(item, 'input', 'a custom tool call') }
      return [{ type: 'call', ...call, isText: true, ...callFields(item), native: item }]
    }
    case 'mcp_approval_request': {
      const toolName = `${textAt(item, 'server_label')}.${stringAt(item, 'name', 'an approval request')}`
      const wireId = stringAt(item, 'id', 'an approval request')
      return [
        { type: 'call', toolName, inputText: textAt(item, 'arguments'), wireId, executor: 'provider', native: item },
      ]
    }
    default:
      return [{ type: 'other', native: item }]
  }
}

function callFields(item: JsonObject): { readonly wireId?: string; readonly caller?: 'program' } {
  const wireId = textAt(item, 'call_id') || undefined
  return { wireId, ...(textAt(inner(item, 'caller'), 'type') === 'program' && { caller: 'program' }) }
}

/** Our name of the tool that an item calls. A deferred tool that is in no namespace is called in one of its own name. */
export function toolNameIn(item: JsonObject, names: ReadonlySet<string>): string {
  const name = stringAt(item, 'name', item.type === 'custom_tool_call' ? 'a custom tool call' : 'a function call')
  const namespace = textAt(item, 'namespace')
  if (namespace === '') return name
  const spaced = `${namespace}__${name}`
  return !names.has(spaced) && (namespace === name || names.has(name)) ? name : spaced
}
