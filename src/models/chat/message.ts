import { isJsonObject, type Json, type JsonObject } from '../../core/json.js'
import type { ToolDefinition } from '../../core/tool-definition.js'
import type { ModelDelta, ReplyPart } from '../model.js'
import { objectsAt, textAt } from '../wire.js'
import { addFragment, type ChatCall } from './calls.js'
import { joinDetails, joinParts } from './joining.js'
import { createTagWatch } from './openers.js'
import { readTextCalls } from './text-calls.js'
import { createThinkTag, type Spoken } from './think-tag.js'

/** `thoughts` stand in a field of the message, `thinking` is part of its content, `tagged` stood in tags in it. */
interface Said {
  readonly kind: 'text' | 'refusal' | 'thinking' | 'thoughts' | 'tagged'
  text: string
  /** The part of a content that came as a list; one of a plain string has none. */
  native?: JsonObject
  /** Characters that were shown. */
  shown: number
  readonly watch: ReturnType<typeof createTagWatch>
}
type Slot =
  | Said
  | { readonly kind: 'call'; readonly call: ChatCall }
  | { readonly kind: 'other'; readonly native: JsonObject }

export interface ChatMessage {
  /** Takes the next delta, or a whole message. */
  read(delta: JsonObject): ModelDelta[]
  /** @param cut what is to be left out: the call that came last, or all of them */
  end(cut: 'nothing' | 'last' | 'calls'): {
    readonly parts: readonly ReplyPart[]
    readonly deltas: readonly ModelDelta[]
  }
}

const thoughtFields = ['reasoning_content', 'reasoning', 'reasoning_details']
const read = new Set(['role', 'content', 'refusal', 'tool_calls', 'function_call', 'index'])

/**
 * Puts a message together of its deltas: its parts in the order in which they began.
 * @param tools whose calls are also found when the model writes them into its text
 */
export function createChatMessage(tools: readonly ToolDefinition[]): ChatMessage {
  const slots: Slot[] = []
  const calls: ChatCall[] = []
  const fields = new Map<string, Json>()
  let last: Slot | undefined
  /** Some servers say the same thoughts in two fields: one is shown. */
  let thoughtField: string | undefined

  const say = (kind: Said['kind'], text: string, native?: JsonObject): ModelDelta[] => {
    let said = open(kind, native !== undefined)
    if (!said) slots.push((said = { kind, text: '', shown: 0, watch: createTagWatch() }))
    last = said
    said.text += text
    if (native) said.native = said.native ? joinParts(said.native, native) : native
    return show(said, kind === 'text' && tools.length > 0 ? said.watch.pass(text) : text)
  }
  /** Where more of the same goes. A message has one field for thoughts, however often the model speaks in between. */
  const open = (kind: Said['kind'], inList: boolean): Said | undefined => {
    const found =
      kind === 'thoughts'
        ? slots.find((slot) => slot.kind === kind)
        : slots.findLast((slot) => slot.kind !== 'thoughts' && slot.kind !== 'call')
    return found && 'watch' in found && found.kind === kind && !!found.native === inList ? found : undefined
  }
  const show = (said: Said, text: string): ModelDelta[] => {
    said.shown += text.length
    const type = said.kind === 'text' || said.kind === 'refusal' ? 'text' : 'reasoning'
    return text === '' ? [] : [{ type, index: slots.indexOf(said), text }]
  }

  const tag = createThinkTag()
  const speak = ({ thinks, text }: Spoken) => (text === '' ? [] : say(thinks ? 'tagged' : 'text', text))
  const readContent = (content: Json | undefined): ModelDelta[] => {
    if (typeof content === 'string') return tag.push(content).flatMap(speak)
    if (!Array.isArray(content)) return []
    return (content as readonly Json[]).flatMap((part) => {
      if (!isJsonObject(part)) return readContent(part)
      if (part.type === 'text') return say('text', textAt(part, 'text'), part)
      if (part.type === 'thinking') return say('thinking', thinkingOf(part), part)
      if (part.type === 'refusal') return say('refusal', textAt(part, 'refusal'))
      slots.push((last = { kind: 'other', native: part }))
      return []
    })
  }
  const readCall = (fragment: JsonObject): ModelDelta[] => {
    const { call, text } = addFragment(calls, fragment)
    let slot = slots.find((one) => one.kind === 'call' && one.call === call)
    if (!slot) slots.push((slot = { kind: 'call', call }))
    last = slot
    return [{ type: 'call', index: slots.indexOf(slot), toolName: call.name, text }]
  }

  return {
    read(delta) {
      for (const [key, value] of Object.entries(delta))
        if (!read.has(key) && !isNothing(value)) note(fields, key, value)
      const told = thoughtFields.filter((key) => !isNothing(delta[key] ?? null))
      const said = told.map((key) => [key, thoughtsIn(delta, key)] as const)
      thoughtField ??= said.find(([, text]) => text !== '')?.[0]
      const thoughts = said.find(([key]) => key === thoughtField)?.[1] ?? ''
      const refusal = textAt(delta, 'refusal')
      return [
        ...(told.length > 0 ? say('thoughts', thoughts) : []),
        ...readContent(delta.content),
        ...(refusal === '' ? [] : say('refusal', refusal)),
        ...objectsAt(delta, 'tool_calls').flatMap(readCall),
      ]
    },
    end(cut) {
      const cameLast = last
      const deltas = tag.end().flatMap(speak)
      let index = slots.length
      const looksForCalls = calls.length === 0 && tools.length > 0 && cut === 'nothing'
      const parts = slots.flatMap((slot): ReplyPart[] => {
        if (slot.kind === 'call')
          return cut === 'calls' || (cut === 'last' && slot === cameLast) ? [] : [callPart(slot.call)]
        if (slot.kind === 'other') return [{ type: 'other', native: slot.native }]
        const found =
          looksForCalls && slot.kind === 'text' ? readTextCalls(slot.text, tools) : { text: slot.text, calls: [] }
        const isChanged = found.calls.length > 0
        slot.text = found.text
        deltas.push(...show(slot, slot.text.slice(slot.shown)))
        for (const { toolName, inputText } of found.calls)
          deltas.push({ type: 'call', index: index++, toolName, text: inputText })
        const native = slot.kind === 'thoughts' ? pick(fields, thoughtFields) : isChanged ? undefined : slot.native
        return [...saidPart(slot, native), ...found.calls.map(textCallPart)]
      })
      for (const key of thoughtFields) fields.delete(key)
      if (fields.size > 0) parts.push({ type: 'other', native: Object.fromEntries(fields) })
      return { parts, deltas }
    },
  }
}

/** Empty values say nothing: some servers write out each field that they know. */
const isNothing = (value: Json): boolean =>
  !value || (typeof value === 'object' && Object.values(value).every(isNothing))

function note(fields: Map<string, Json>, key: string, value: Json): void {
  const before = fields.get(key)
  if (thoughtFields.includes(key) && typeof before === 'string' && typeof value === 'string')
    fields.set(key, before + value)
  else if (Array.isArray(before) && Array.isArray(value)) fields.set(key, joinDetails(before, value))
  else fields.set(key, value)
}

const thinkingOf = ({ thinking }: JsonObject): string =>
  typeof thinking === 'string'
    ? thinking
    : objectsAt({ thinking: thinking ?? [] }, 'thinking')
        .map((one) => textAt(one, 'text'))
        .join('')

function thoughtsIn(delta: JsonObject, field: string): string {
  if (typeof delta[field] === 'string') return textAt(delta, field)
  const details = objectsAt(delta, field)
  return details.map((detail) => textAt(detail, 'text') || textAt(detail, 'summary')).join('')
}

const pick = (fields: ReadonlyMap<string, Json>, keys: readonly string[]): JsonObject =>
  Object.fromEntries([...fields].filter(([key]) => keys.includes(key)))

function saidPart({ kind, text }: Said, native: JsonObject | undefined): ReplyPart[] {
  if (text === '' && !native) return []
  const type = kind === 'text' || kind === 'refusal' ? kind : 'reasoning'
  return [native ? { type, text, native } : { type, text }]
}

/** A call that no tool can answer, because it has no name, is kept and not made. */
function callPart({ id, name, text, isText, native }: ChatCall): ReplyPart {
  if (isText) {
    const whole: JsonObject = { ...native, ...(id ? { id } : {}), custom: { name, input: text } }
    const call = { type: 'call', toolName: name, inputText: text, isText, ...(id ? { wireId: id } : {}) } as const
    return name.trim() === '' ? { type: 'other', native: whole } : { ...call, native: whole }
  }
  const inputText = text.trim() === '' ? '{}' : text
  const whole: JsonObject = { ...native, ...(id ? { id } : {}), function: { name, arguments: inputText } }
  if (name.trim() === '') return { type: 'other', native: whole }
  return { type: 'call', toolName: name, inputText, ...(id ? { wireId: id } : {}), native: whole }
}

const textCallPart = ({
  toolName,
  inputText,
  written,
}: ReturnType<typeof readTextCalls>['calls'][number]): ReplyPart => ({
  type: 'call',
  toolName,
  inputText,
  native: { written },
})
