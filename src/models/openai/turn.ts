import { isJsonObject, type JsonObject } from '../../core/json.js'
import type { KeyedCall, Message } from '../../core/transcript.js'
import { argumentsOf, nativeOf, partsOf, type PartOf } from '../history.js'
import { textAt } from '../wire.js'
import { returnsOf, withoutId } from './groups.js'
import { wireNameOf, type WireTools } from './tools.js'
import { isWrapperOf } from './wrapper.js'

export type Turn = Message & { readonly role: 'assistant' }

/** How the result of a call goes out. */
export interface Reply {
  readonly type: 'function_call_output' | 'custom_tool_call_output' | 'mcp_approval_response'
  /** By which it refers to its call. */
  readonly id: string
  readonly caller?: JsonObject
  /** The calls that the model made as one, by their keys: they are answered as one. */
  readonly together?: readonly string[]
}

/** What is the same for all turns of a history, and what they have said so far. */
export interface History {
  readonly tools: WireTools
  readonly ids: ReadonlyMap<string, string>
  /** Call ids of the programs that go back. */
  readonly programs: Set<string>
  /** Whether reasoning goes back, too. */
  readonly reasoningBack: boolean
  readonly callsLast: boolean
  readonly phases: boolean
  /** By the key of the call. */
  readonly replies: Map<string, Reply>
}

/** The items of a turn of the same model as they were, and without what only its maker can read those of another. */
export function turnItems(turn: Turn, isOwn: boolean, history: History): JsonObject[] {
  const items = isOwn ? ownItems(turn, history) : foreignItems(turn, history)
  if (!history.callsLast) return items
  const isCall = ({ type }: JsonObject) => answered.has(type as string)
  return [...items.filter((item) => !isCall(item)), ...items.filter(isCall)]
}

const answered = new Set(['function_call', 'custom_tool_call', 'mcp_approval_request'])

const foreignItems = (turn: Turn, history: History): JsonObject[] =>
  partsOf(turn).flatMap(({ part, call }) => (call ? [rebuilt(call, history)] : saidIn(part, history)))

function ownItems(turn: Turn, history: History): JsonObject[] {
  const entries = partsOf(turn).flatMap(({ part, call }): Entry[] => {
    const native = nativeOf(part)
    if (native?.type === 'program') history.programs.add(textAt(native, 'call_id'))
    // What another model's program came to is of no use without it.
    if (native?.type === 'program_output' && !history.programs.has(textAt(native, 'call_id'))) return []
    if (native || call) return [{ item: native ?? {}, native, call }]
    return saidIn(part, history).map((item) => ({ item }))
  })
  const wrapped = wrappedIn(entries)
  const returns = returnsOf(
    entries.map(({ item }) => item),
    history.reasoningBack,
  )
  return entries.flatMap(({ item, native, call }, i) => {
    const how = returns[i]!
    if (call) return callItems(call, native, how === 'bare', wrapped, history)
    if (how === 'never') return []
    return [how === 'bare' ? withoutId(item) : item]
  })
}

interface Entry {
  readonly item: JsonObject
  readonly native?: JsonObject
  readonly call?: KeyedCall
}

/** The keys of the calls that came in one item, by its id. */
function wrappedIn(entries: readonly Entry[]): ReadonlyMap<string, readonly string[]> {
  const wrapped = new Map<string, string[]>()
  for (const { native, call } of entries) {
    if (!native || !call || !isWrapperOf(native, call.toolName)) continue
    const id = textAt(native, 'call_id')
    wrapped.set(id, [...(wrapped.get(id) ?? []), call.key])
  }
  return wrapped
}

function callItems(
  call: KeyedCall,
  native: JsonObject | undefined,
  isBare: boolean,
  wrapped: ReadonlyMap<string, readonly string[]>,
  history: History,
): JsonObject[] {
  const { ids, replies, programs } = history
  const together = native && isWrapperOf(native, call.toolName) ? wrapped.get(textAt(native, 'call_id')) : undefined
  if (together && together[0] !== call.key) return []
  const item = native && ownCall(native, ids.get(call.key)!, isBare, programs)
  if (!item) return [rebuilt(call, history)]
  for (const key of together ?? [call.key]) replies.set(key, { ...replyTo(item), ...(together && { together }) })
  return [item]
}

/** Undefined for what cannot be answered as it is. */
function ownCall(
  native: JsonObject,
  id: string,
  isBare: boolean,
  programs: ReadonlySet<string>,
): JsonObject | undefined {
  // Its id is what an approval refers to.
  if (native.type === 'mcp_approval_request') return isBare || textAt(native, 'id') === '' ? undefined : native
  if (native.type !== 'function_call' && native.type !== 'custom_tool_call') return undefined
  const { caller, ...direct } = native
  const item = caller === undefined || hasCaller(native, programs) || !isProgram(caller) ? native : direct
  const named = item.call_id === id ? item : { ...item, call_id: id }
  return isBare ? withoutId(named) : named
}

const isProgram = (caller: JsonObject[string] | undefined): caller is JsonObject =>
  isJsonObject(caller) && caller.type === 'program'

const hasCaller = ({ caller }: JsonObject, programs: ReadonlySet<string>): boolean =>
  isProgram(caller) && programs.has(textAt(caller, 'caller_id'))

function replyTo(item: JsonObject): Reply {
  if (item.type === 'mcp_approval_request') return { type: 'mcp_approval_response', id: textAt(item, 'id') }
  const type = item.type === 'custom_tool_call' ? 'custom_tool_call_output' : 'function_call_output'
  return { type, id: textAt(item, 'call_id'), ...(isProgram(item.caller) && { caller: item.caller }) }
}

function rebuilt(call: KeyedCall, { tools, ids, replies }: History): JsonObject {
  const { type, name, namespace } = wireNameOf(call.toolName, tools)
  const fields: JsonObject = { call_id: ids.get(call.key)!, ...(namespace !== undefined && { namespace }), name }
  const item: JsonObject =
    type === 'custom'
      ? { type: 'custom_tool_call', ...fields, input: textOf(call) }
      : { type: 'function_call', ...fields, arguments: argumentText(call) }
  replies.set(call.key, replyTo(item))
  return item
}

const textOf = ({ input, inputText }: KeyedCall): string =>
  typeof input === 'string' ? input : (inputText ?? JSON.stringify(input ?? ''))

const argumentText = (call: KeyedCall): string =>
  isJsonObject(call.input) && call.inputText !== undefined ? call.inputText : JSON.stringify(argumentsOf(call))

function saidIn(part: PartOf, { phases }: History): JsonObject[] {
  if ((part.type !== 'text' && part.type !== 'refusal') || part.text.trim() === '') return []
  const phase = phases ? textAt(nativeOf(part), 'phase') : ''
  return [{ role: 'assistant', content: part.text, ...(phase !== '' && { phase }) }]
}
