import { resultText } from '../../core/framed.js'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.js'
import { isTextTool } from '../../core/tool-definition.js'
import type { KeyedCall, Message } from '../../core/transcript.js'
import { argumentsOf, isOwn, legalName, nativeOf, partsOf } from '../history.js'
import type { ModelConfig, ModelRequest } from '../model.js'
import type { ChatCapabilities } from './capabilities.js'
import { joined, said, toContent, toResultFiles, type Content } from './content.js'
import { chatIds } from './ids.js'

type AssistantTurn = Message & { role: 'assistant' }
type ToolTurn = Message & { role: 'tool' }
type Sent = JsonObject & { readonly role: string; readonly content: Content | null }

interface Writer {
  readonly config: ModelConfig
  readonly can: ChatCapabilities
  readonly ids: ReadonlyMap<string, string>
  /** Tools whose calls are a text here. */
  readonly textTools: ReadonlySet<string>
}

/** Roles alternate, as the templates of many models demand: what the user says in several messages is sent as one. */
export function toMessages({ messages, tools }: ModelRequest, config: ModelConfig, can: ChatCapabilities): Sent[] {
  const textTools = new Set(can.textTools ? tools.filter(isTextTool).map(({ name }) => name) : [])
  const writer: Writer = { config, can, ids: chatIds(messages, config, can), textTools }
  const results = new Map(messages.flatMap((one) => (one.role === 'tool' ? [[one.call.key, one] as const] : [])))
  const sent: Sent[] = []
  const speak = (content: Content) => {
    const last = sent.at(-1)
    if (last?.role === 'user')
      return void (sent[sent.length - 1] = { role: 'user', content: joined(last.content!, content) })
    if (last?.role === 'tool' && !can.userAfterResult) sent.push({ role: 'assistant', content: 'OK.' })
    sent.push({ role: 'user', content })
  }
  for (const message of messages) {
    if (message.role === 'tool') continue
    if (message.role === 'assistant') {
      const turn = toAssistant(message, writer)
      if (!turn) continue
      if (needsUser(sent)) sent.push(goOn)
      sent.push(turn)
      const answers = message.calls.flatMap(({ key }) => results.get(key) ?? [])
      sent.push(...answers.map((answer) => toResult(answer, writer)))
      const files = answers.flatMap(({ call, files: some = [] }) => toResultFiles(call.toolName, some, can))
      if (files.length > 0) speak(files)
    } else if (message.role === 'instructions' && can.lateInstructions)
      sent.push({ role: 'system', content: said(message.text) })
    else speak(toContent(message.text, message.role === 'user' ? message.files : [], can))
  }
  if (sent.at(-1)?.role === 'assistant') sent.push(goOn)
  return sent
}

/** Where two turns of the model follow each other, and where a request would end in one. */
const goOn: Sent = { role: 'user', content: 'Go on.' }

/** Instructions in the middle are no turn. */
function needsUser(sent: readonly Sent[]): boolean {
  const role = sent.findLast((one) => one.role !== 'system')?.role
  return role !== 'user' && role !== 'tool'
}

const toResult = (result: ToolTurn, { ids }: Writer): Sent => ({
  role: 'tool',
  tool_call_id: ids.get(result.call.key)!,
  content: said(resultText(result)),
})

/** The message, or undefined when there is nothing in it that can be sent. */
function toAssistant(message: AssistantTurn, writer: Writer): Sent | undefined {
  const own = isOwn(message.origin, writer.config)
  const pairs = partsOf(message)
  const tool_calls = pairs.flatMap(({ part, call }) =>
    call ? [toCall(call, own ? nativeOf(part) : undefined, writer)] : [],
  )
  const natives = own ? pairs.flatMap(({ part, call }) => (call ? [] : [nativeOf(part) ?? {}])) : []
  const texts = pairs.flatMap(({ part }) =>
    (part.type === 'text' || part.type === 'refusal') && part.text.trim() !== '' ? [part.text] : [],
  )
  if (texts.length === 0 && tool_calls.length === 0) return undefined
  return {
    role: 'assistant',
    content: natives.some(isContentPart) ? toContentParts(message) : texts.length > 0 ? texts.join('\n\n') : null,
    ...(tool_calls.length > 0 ? { tool_calls } : {}),
    ...returnedFields(natives, tool_calls.length > 0, writer.can),
  }
}

/** A server that answered in a list of parts takes it back, with the thinking in it. */
function toContentParts({ parts }: AssistantTurn): JsonObject[] {
  return parts.flatMap((part) => {
    const native = nativeOf(part)
    if (part.type === 'text' || part.type === 'refusal')
      return part.text.trim() === '' ? [] : [native ?? { type: 'text', text: part.text }]
    return part.type !== 'call' && native && isContentPart(native) ? [native] : []
  })
}

const isContentPart = ({ type }: JsonObject): boolean => type === 'text' || type === 'thinking' || type === 'reference'

function returnedFields(natives: readonly JsonObject[], hasCalls: boolean, can: ChatCapabilities): JsonObject {
  const fields = Object.assign({}, ...natives.filter((native) => native.type === undefined)) as JsonObject
  const key = can.returned.find((name) => Object.hasOwn(fields, name))
  if (key !== undefined) return { [key]: fields[key]! }
  return can.demanded !== undefined && hasCalls ? { [can.demanded]: '' } : {}
}

function toCall(call: KeyedCall, native: JsonObject | undefined, { ids, textTools }: Writer): JsonObject {
  const { toolName, input } = call
  const id = ids.get(call.key)!
  const name = legalName(toolName)
  if (typeof input === 'string' && textTools.has(toolName)) return { id, type: 'custom', custom: { name, input } }
  const extra = native?.extra_content
  return {
    id,
    type: 'function',
    function: { name, arguments: argumentText(call) },
    ...(isJsonObject(extra) ? { extra_content: extra } : {}),
  }
}

/** Templates read the arguments, so they are an object even when the model wrote something else. */
function argumentText(call: KeyedCall): string {
  const input = call.input as Json | undefined
  const { inputText } = call
  if (inputText?.trim() === '') return JSON.stringify(argumentsOf(call))
  // The text of a text tool, which came in an object.
  const isWrapped = typeof input === 'string' && input !== inputText && inputText?.trimStart().startsWith('{')
  return inputText !== undefined && (isJsonObject(input) || isWrapped) ? inputText : JSON.stringify(argumentsOf(call))
}
