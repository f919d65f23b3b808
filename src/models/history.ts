import { unknownCode } from '../core/failure.js'
import { resultText } from '../core/framed.js'
import { isJsonObject, type Json, type JsonObject } from '../core/json.js'
import type { KeyedCall, Message, Origin } from '../core/transcript.js'
import type { ModelRequest } from './model.js'

type AssistantTurn = Message & { role: 'assistant' }
export type PartOf<Turn extends AssistantTurn = AssistantTurn> = Turn['parts'][number]

/** Only the same provider and model gets its native parts back. */
export const isOwn = (origin: Origin, self: Origin): boolean =>
  origin.provider === self.provider && origin.model === self.model

function closed(messages: readonly Message[]): readonly Message[] {
  const all: Message[] = []
  const open = new Map<string, KeyedCall>()
  let stray: Message[] = []
  const close = () => {
    all.push(...[...open.values()].map(missing), ...stray)
    open.clear()
    stray = []
  }
  for (const message of messages) {
    if (message.role === 'tool') {
      if (open.delete(message.call.key)) all.push(message)
      else stray.push(told(message))
      continue
    }
    close()
    all.push(message)
    if (message.role === 'assistant') for (const call of message.calls) open.set(call.key, call)
  }
  close()
  return all
}

/**
 * The request with one result for each call, right after it. A provider answers a history with an open or an unknown call with
 * 400 for ever. Runs of ours have none; one that does, because it was made elsewhere, goes on: a result that is missing is said
 * to be, and one that answers no open call is told in words.
 */
export const withClosedHistory = (request: ModelRequest): ModelRequest => ({
  ...request,
  messages: closed(request.messages),
})

const missing = (call: KeyedCall): Message => ({
  role: 'tool',
  call,
  outcome: 'unknown',
  text: JSON.stringify({ error: { code: unknownCode, message: 'The result of this call is not known.' } }),
  trusted: true,
})

const told = (result: Message & { role: 'tool' }): Message => ({
  role: 'user',
  text: `A result of ${legalName(result.call.toolName)} (${result.outcome}) that answers no open call: ${resultText(result)}`,
  ...(result.files && { files: result.files }),
})

const legal = /^[\w-]{1,64}$/

/**
 * The id of each call on the wire, by its key: the provider's, unless it is blank, taken, or another provider's and not
 * legal here. Depends only on what comes before, so that a longer history gets the same ids again.
 */
export function wireIds(messages: readonly Message[], self: Origin): ReadonlyMap<string, string> {
  const ids = new Map<string, string>()
  const taken = new Set<string>()
  for (const message of messages) {
    if (message.role !== 'assistant') continue
    for (const { key, wireId } of message.calls) {
      const fits = wireId && !taken.has(wireId) && (isOwn(message.origin, self) || legal.test(wireId))
      let id = fits ? wireId : `call_${key.replaceAll(/[^\w-]/g, '_')}`
      while (taken.has(id)) id += '_'
      taken.add(id)
      ids.set(key, id)
    }
  }
  return ids
}

/** The parts of a message with the call of each call part. A part of a call that is not in `calls` was cut, and is left out. */
export function partsOf({ parts, calls }: AssistantTurn): { part: PartOf; call?: KeyedCall }[] {
  const left = new Map(calls.map((call) => [call.callId, call]))
  const pairs: { part: PartOf; call?: KeyedCall }[] = []
  for (const part of parts) {
    if (part.type !== 'call') pairs.push({ part })
    else if (left.has(part.callId)) pairs.push({ part, call: left.get(part.callId) })
    if (part.type === 'call') left.delete(part.callId)
  }
  for (const call of left.values()) pairs.push({ part: { type: 'call', callId: call.callId }, call })
  return pairs
}

/** The provider's own object, when it may be sent back. */
export const nativeOf = (part: PartOf): JsonObject | undefined => (isJsonObject(part.native) ? part.native : undefined)

/** A name that any provider takes: models also ask for tools that do not exist. */
export const legalName = (name: string): string => name.replaceAll(/[^\w-]/g, '_').slice(0, 64) || 'unknown'

/**
 * The arguments as an object, which is what a rebuilt call must have even when the model wrote something else. The text of a text
 * tool is the field `input`, as `textToolSchema` has it.
 */
export function argumentsOf({ input, inputText }: KeyedCall): JsonObject {
  const value: Json | undefined = input
  if (isJsonObject(value)) return value
  if (typeof value === 'string' && isText(value, inputText)) return { input: value }
  return { INVALID_JSON: inputText ?? JSON.stringify(value ?? null) }
}

/** Whether an input is a text tool's: the model wrote it as it is, or in an object. As JSON it stands in quotes. */
const isText = (input: string, inputText: string | undefined): boolean =>
  inputText === undefined || inputText === input || /^\s*\{/.test(inputText)
