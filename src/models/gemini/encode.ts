import { isJsonObject, type JsonObject } from '../../core/json.js'
import type { KeyedCall, Message, Origin } from '../../core/transcript.js'
import { argumentsOf, checkHistory, isOwn, legalName, nativeOf, partsOf, wireIds, type PartOf } from '../history.js'
import type { ModelConfig, ModelRequest } from '../model.js'
import { toRootSchema } from '../root-schema.js'
import { inner, textAt } from '../wire.js'
import { toGeminiSchema } from './schema.js'

/** The body of a request, as it is on the wire: the SDK's own types leave out parts that it does not know. */
export interface GeminiBody {
  readonly contents: readonly Content[]
  readonly systemInstruction?: { readonly parts: readonly JsonObject[] }
  readonly tools?: readonly { readonly functionDeclarations: readonly JsonObject[] }[]
  readonly generationConfig?: { readonly maxOutputTokens: number }
}
interface Content {
  readonly role: 'user' | 'model'
  readonly parts: readonly JsonObject[]
}

/**
 * The body of a `generateContent` request. The results of a turn's calls are one content right after it, in the calls' order.
 * @throws {HandrailError} `model_bad_request` when a call of the history has no result, or more than one.
 */
export function encodeGemini(request: ModelRequest, config: ModelConfig): GeminiBody {
  const { instructions, tools, messages } = request
  checkHistory(messages)
  const contents = toContents(messages, config)
  return {
    contents: demandsSignatures(config.model) ? contents.map(signed) : contents,
    ...(instructions.trim() === '' ? {} : { systemInstruction: { parts: [{ text: instructions }] } }),
    ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: tools.map(toDeclaration) }] }),
    ...(config.maxOutputTokens === undefined ? {} : { generationConfig: { maxOutputTokens: config.maxOutputTokens } }),
  }
}

const toDeclaration = ({ name, description, input }: ModelRequest['tools'][number]): JsonObject => ({
  name: geminiName(name),
  description,
  parametersJsonSchema: toGeminiSchema(toRootSchema(input)),
})

/** A name that Gemini takes: it may not begin with a digit or a dash. */
export const geminiName = (name: string): string =>
  legalName(name)
    .replace(/^[^a-zA-Z_]/, '_$&')
    .slice(0, 64)

function toContents(messages: readonly Message[], config: ModelConfig): Content[] {
  const ids = wireIds(messages, config)
  const contents: Content[] = []
  for (const [i, message] of messages.entries()) {
    if (message.role === 'user' || message.role === 'news') contents.push(userContent(message.text))
    if (message.role !== 'assistant') continue
    const { parts, responses } = toTurn(message, messages.slice(i + 1), config, ids)
    // A turn of calls must follow one of the user, so what the model said in two goes is one turn.
    const before = contents.at(-1)?.role === 'model' ? contents.pop()!.parts : []
    if (before.length + parts.length > 0) contents.push({ role: 'model', parts: [...before, ...parts] })
    if (responses.length > 0) contents.push({ role: 'user', parts: responses })
  }
  return contents
}

/** Blank text is refused by some models. */
const userContent = (text: string): Content => ({
  role: 'user',
  parts: [{ text: text.trim() === '' ? '(no text)' : text }],
})

type Turn = { readonly parts: JsonObject[]; readonly responses: JsonObject[] }

function toTurn(
  message: Message & { role: 'assistant' },
  after: readonly Message[],
  self: Origin,
  ids: ReadonlyMap<string, string>,
): Turn {
  const own = isOwn(message.origin, self)
  const isRefusedHere = message.origin.provider === self.provider
  const parts: JsonObject[] = []
  const responses: JsonObject[] = []
  for (const { part, call } of partsOf(message)) {
    const native = own ? nativeOf(part) : undefined
    if (call) {
      const wire = native ?? rebuilt(call, ids.get(call.key)!)
      parts.push(wire)
      responses.push(toResponse(inner(wire, 'functionCall') ?? {}, resultOf(call, after)))
    } else if (native) parts.push(native)
    else if (part.type === 'text' || (part.type === 'refusal' && !isRefusedHere)) parts.push(...toText(part))
  }
  // Thoughts alone are no turn: what they led to was cut.
  return parts.every(({ thought }) => thought === true) ? { parts: [], responses } : { parts, responses }
}

const toText = ({ text }: PartOf & { type: 'text' | 'refusal' }): JsonObject[] => (text.trim() === '' ? [] : [{ text }])

const rebuilt = (call: KeyedCall, id: string): JsonObject => ({
  functionCall: { id, name: geminiName(call.toolName), args: argumentsOf(call) },
})

/** `checkHistory` made sure that it is there. */
const resultOf = (call: KeyedCall, after: readonly Message[]) =>
  after.find((message) => message.role === 'tool' && message.call.key === call.key) as Message & { role: 'tool' }

function toResponse(functionCall: JsonObject, { outcome, text }: Message & { role: 'tool' }): JsonObject {
  const id = textAt(functionCall, 'id')
  const response: JsonObject = outcome === 'ok' ? { output: text } : { error: text }
  return { functionResponse: { ...(id ? { id } : {}), name: textAt(functionCall, 'name'), response } }
}

/** From Gemini 3 on, a turn is refused whose first call has no signature. */
const demandsSignatures = (model: string): boolean => !/(^|\/)(gemini-[12]\b|gemma|learnlm)/.test(model)

/** The word that the API takes for a signature that there never was: "skip_thought_signature_validator" in Base64. */
export const noSignature = 'c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I='

function signed(content: Content): Content {
  const at = content.parts.findIndex(({ functionCall }) => isJsonObject(functionCall))
  const first = content.parts[at]
  if (content.role !== 'model' || !first || first.thoughtSignature) return content
  return { ...content, parts: content.parts.with(at, { ...first, thoughtSignature: noSignature }) }
}
