import { isJsonObject, type Json, type JsonObject } from '../core/json.js'
import type { KeyedCall, Message, Origin } from '../core/transcript.js'
import { HandrailError } from '../errors.js'

type AssistantTurn = Message & { role: 'assistant' }
export type PartOf<Turn extends AssistantTurn = AssistantTurn> = Turn['parts'][number]

/** Only the same provider and model gets its native parts back. */
export const isOwn = (origin: Origin, self: Origin): boolean =>
  origin.provider === self.provider && origin.model === self.model

/**
 * A provider answers a history with an open or an unknown call with 400 for ever, so such a one is never sent.
 * @throws {HandrailError} `model_bad_request` unless the messages after each call message answer each of its calls once.
 */
export function checkHistory(messages: readonly Message[]): void {
  const open = new Set<string>()
  for (const [i, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (open.delete(message.call.key)) continue
      throw bad(`message ${i} answers call "${message.call.key}", which is not open there`)
    }
    if (open.size > 0) throw bad(`message ${i} comes before the result of call "${[...open][0]}"`)
    if (message.role === 'assistant') for (const { key } of message.calls) open.add(key)
  }
  if (open.size > 0) throw bad(`call "${[...open][0]}" has no result`)
}

const bad = (what: string) => new HandrailError('model_bad_request', `Cannot encode the history: ${what}`)

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
