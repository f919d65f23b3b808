import { resultText } from '../../core/framed.js'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.js'
import type { Message, Origin } from '../../core/transcript.js'
import { isOwn, nativeOf, partsOf, wireIds } from '../history.js'
import { inner, textAt } from '../wire.js'
import type { OpenAICapabilities } from './capabilities.js'
import { toContent } from './files.js'
import type { WireTools } from './tools.js'
import { turnItems, type History, type Reply, type Turn } from './turn.js'

type Result = Message & { readonly role: 'tool' }

export interface Items {
  /** Of each message, in order. */
  readonly items: readonly (readonly JsonObject[])[]
  /** Whether the calls of a turn are answered by the ids that the provider gave them. */
  keepsIds(turn: Turn): boolean
}

/** The input items of a history. */
export function toItems(messages: readonly Message[], self: Origin, tools: WireTools, can: OpenAICapabilities): Items {
  const history: History = {
    tools,
    ids: wireIds(messages, self),
    programs: new Set(),
    reasoningBack: can.reasoningBack,
    callsLast: can.callsLast,
    phases: can.phases,
    replies: new Map(),
  }
  const results = new Map<string, Result>()
  const added = new Set<string>()

  const resultItems = (result: Result): JsonObject[] => {
    results.set(result.call.key, result)
    const reply = history.replies.get(result.call.key)!
    if (reply.together?.some((key) => !results.has(key))) return []
    const all = reply.together?.map((key) => results.get(key)!) ?? [result]
    return [reply.type === 'mcp_approval_response' ? toApproval(reply, result) : toOutput(reply, all, tools, can)]
  }

  /** What the results of a turn tell of stands after the last of them, each tool once. */
  const addedItems = (until: number): JsonObject[] => {
    if (!can.addedTools || messages[until]?.role !== 'tool' || messages[until + 1]?.role === 'tool') return []
    const from = messages.findLastIndex(({ role }, i) => role !== 'tool' && i < until)
    const named = messages.slice(from + 1, until + 1).flatMap((one) => (one.role === 'tool' ? (one.tools ?? []) : []))
    const fresh = [...new Set(named)].filter((name) => !added.has(name))
    for (const name of fresh) added.add(name)
    const definitions = tools.added(fresh)
    return definitions.length > 0 ? [{ type: 'additional_tools', role: 'developer', tools: definitions }] : []
  }

  const itemsOf = (message: Message): JsonObject[] => {
    switch (message.role) {
      case 'user':
        return [{ role: 'user', content: toContent(message.text, message.files, can) }]
      case 'instructions':
        return [{ role: 'developer', content: message.text }]
      // News repeats what a tool returned: a developer message would give that more weight than the user has.
      case 'news':
      case 'note':
        return [{ role: 'user', content: message.text }]
      case 'tool':
        return resultItems(message)
      case 'assistant':
        return turnItems(message, isOwn(message.origin, self), history)
    }
  }

  return {
    items: messages.map((message, i) => [...itemsOf(message), ...addedItems(i)]),
    keepsIds: (turn) =>
      partsOf(turn).every(({ part, call }) => {
        const native = nativeOf(part)
        return !call || history.replies.get(call.key)?.id === textAt(native, replyKey(native))
      }),
  }
}

const replyKey = (native: JsonObject | undefined) => (native?.type === 'mcp_approval_request' ? 'id' : 'call_id')

function toApproval({ type, id }: Reply, { outcome, text }: Result): JsonObject {
  const approve = outcome === 'ok'
  return { type, approval_request_id: id, approve, ...(!approve && { reason: reasonIn(text) }) }
}

const reasonIn = (text: string): string => {
  const value = parsed(text)
  return textAt(isJsonObject(value) ? inner(value, 'error') : undefined, 'message') || text
}

function toOutput(
  { type, id, caller, together }: Reply,
  results: readonly Result[],
  tools: WireTools,
  can: OpenAICapabilities,
): JsonObject {
  const texts = results.map((result) => (caller ? forProgram(result, tools) : resultText(result)))
  const text = together
    ? JSON.stringify(results.map(({ call }, i) => ({ tool: call.toolName, result: texts[i]! })))
    : texts[0]!
  const files = results.flatMap((result) => result.files ?? [])
  return { type, call_id: id, output: toContent(text, files, can), ...(caller && { caller }) }
}

/** In no frame: the model reads what the program makes of it. What it is told to be JSON has to be: a text stands in quotes. */
function forProgram({ call, text }: Result, { offered }: WireTools): string {
  const { output } = offered.get(call.toolName)?.definition ?? {}
  return output === undefined || parsed(text) !== undefined ? text : JSON.stringify(text)
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
