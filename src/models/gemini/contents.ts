import { resultText } from '../../core/framed.js'
import { isJsonObject, type JsonObject } from '../../core/json.js'
import type { KeyedCall, Message } from '../../core/transcript.js'
import { argumentsOf, isOwn, nativeOf, partsOf, wireIds, type PartOf } from '../history.js'
import type { ModelConfig } from '../model.js'
import { inner, textAt } from '../wire.js'
import type { GeminiWay } from './capabilities.js'
import { resultFiles, toFilePart } from './files.js'
import { geminiName } from './names.js'

export interface Content {
  readonly role: 'user' | 'model'
  readonly parts: readonly JsonObject[]
}
type ToolTurn = Message & { role: 'tool' }

/** The results of a turn's calls are one content right after it, in the calls' order. */
export function toContents(messages: readonly Message[], config: ModelConfig, can: GeminiWay): readonly Content[] {
  const ids = wireIds(messages, config)
  const results = new Map(messages.flatMap((one) => (one.role === 'tool' ? [[one.call.key, one] as const] : [])))
  const contents: Content[] = []
  for (const message of messages) {
    if (message.role === 'tool') continue
    if (message.role !== 'assistant') {
      contents.push(userContent(message))
      continue
    }
    const { parts, responses, files } = toTurn(message, { config, can, ids, results })
    // A turn of calls must follow one of the user, so what the model said in two goes is one turn.
    const before = contents.at(-1)?.role === 'model' ? contents.pop()!.parts : []
    if (before.length + parts.length > 0) contents.push({ role: 'model', parts: [...before, ...parts] })
    if (responses.length > 0) contents.push({ role: 'user', parts: responses })
    if (files.length > 0) contents.push({ role: 'user', parts: files })
  }
  if (can.isUnsigned) return contents.map(unsigned)
  return can.signatures ? contents.map(signed) : contents
}

/** Blank text is refused by some models. */
function userContent(message: Message & { readonly text: string }): Content {
  const files = message.role === 'user' ? (message.files ?? []) : []
  const isBlank = message.text.trim() === ''
  const text = isBlank ? '(no text)' : message.text
  return { role: 'user', parts: [...(isBlank && files.length > 0 ? [] : [{ text }]), ...files.map(toFilePart)] }
}

interface Writer {
  readonly config: ModelConfig
  readonly can: GeminiWay
  readonly ids: ReadonlyMap<string, string>
  readonly results: ReadonlyMap<string, ToolTurn>
}
interface Turn {
  readonly parts: JsonObject[]
  readonly responses: JsonObject[]
  /** Of the results, which have no place in them. */
  readonly files: JsonObject[]
}

function toTurn(message: Message & { role: 'assistant' }, { config, can, ids, results }: Writer): Turn {
  const own = isOwn(message.origin, config)
  const isRefusedHere = message.origin.provider === config.provider
  const turn: Turn = { parts: [], responses: [], files: [] }
  for (const { part, call } of partsOf(message)) {
    const native = own ? nativeOf(part) : undefined
    if (call) {
      const wire = native ?? rebuilt(call, ids.get(call.key)!)
      const result = results.get(call.key)!
      const { inside, after } = resultFiles(result.files ?? [], can.resultFiles)
      turn.parts.push(wire)
      turn.responses.push(toResponse(inner(wire, 'functionCall') ?? {}, result, inside))
      if (after.length > 0) turn.files.push({ text: `From the result of ${call.toolName}:` }, ...after)
    } else if (native) turn.parts.push(native)
    else if (part.type === 'text' || (part.type === 'refusal' && !isRefusedHere)) turn.parts.push(...toText(part))
  }
  // Thoughts alone are no turn: what they led to was cut.
  return turn.parts.every(({ thought }) => thought === true) ? { ...turn, parts: [] } : turn
}

const toText = ({ text }: PartOf & { type: 'text' | 'refusal' }): JsonObject[] => (text.trim() === '' ? [] : [{ text }])

const rebuilt = (call: KeyedCall, id: string): JsonObject => ({
  functionCall: { id, name: geminiName(call.toolName), args: argumentsOf(call) },
})

function toResponse(functionCall: JsonObject, result: ToolTurn, parts: readonly JsonObject[]): JsonObject {
  const id = textAt(functionCall, 'id')
  const text = resultText(result)
  return {
    functionResponse: {
      ...(id ? { id } : {}),
      name: textAt(functionCall, 'name'),
      response: result.outcome === 'ok' ? { output: text } : { error: text },
      ...(parts.length > 0 ? { parts } : {}),
    },
  }
}

/** The word that the API takes for a signature that there never was: "skip_thought_signature_validator" in Base64. */
export const noSignature = 'c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I='

/** A turn is refused whose first call has no signature. */
function signed(content: Content): Content {
  const at = content.parts.findIndex(({ functionCall }) => isJsonObject(functionCall))
  const first = content.parts[at]
  if (content.role !== 'model' || !first || first.thoughtSignature) return content
  return { ...content, parts: content.parts.with(at, { ...first, thoughtSignature: noSignature }) }
}

function unsigned(content: Content): Content {
  const parts = content.parts.map((part): JsonObject => {
    const { thoughtSignature: _, ...rest } = part
    return isJsonObject(part.functionCall) ? { ...part, thoughtSignature: noSignature } : rest
  })
  return { ...content, parts }
}
