import type { FinishReason, Remark } from '../../core/events.js'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.js'
import type { Usage } from '../../core/usage.js'
import { HandrailError } from '../../errors.js'
import type { ModelDelta, ModelReply, ReplyPart } from '../model.js'
import { ReportedError } from '../model-error.js'
import type { Decoder } from '../read-reply.js'
import { createRemarks } from '../told.js'
import { badReply, countAt, inner, objectsAt, stringAt, textAt, toUsage } from '../wire.js'
import { toFacts } from './failure.js'
import { putArgument } from './partial-args.js'

interface Progress {
  /** Parts as the provider made them; one is replaced as it grows. */
  readonly natives: JsonObject[]
  /** The call whose arguments are still coming. */
  open?: { readonly index: number; readonly args: Record<string, Json> }
  finish: string
  why: string
  /** The prompt was refused. */
  isBlocked: boolean
  /** Of a candidate, which are no part of its content. */
  readonly sources: Map<string, Json>
  usage?: JsonObject
  /** Of the goes before this one. */
  readonly earlier: JsonObject[]
}

/**
 * Reads one stream of `generateContent`, or its one answer. It has no last event: the reply is there when the stream has ended
 * after a finish reason.
 * @param toolNames our names of tools, by those on the wire, where they differ
 * @param asked what there is to say of the request
 */
export function createGeminiDecoder(
  toolNames: ReadonlyMap<string, string> = new Map(),
  asked: readonly Remark[] = [],
): Decoder {
  const progress: Progress = { natives: [], finish: '', why: '', isBlocked: false, sources: new Map(), earlier: [] }
  const remarks = createRemarks(asked)
  let reply: ModelReply | undefined
  return {
    reply: () => reply,
    push(given) {
      const event = given as Json | undefined
      if (!isJsonObject(event)) throw badReply('an event is not an object')
      const error = inner(event, 'error')
      if (error) throw new ReportedError(toFacts(error))
      const usage = inner(event, 'usageMetadata')
      if (countAt(usage, 'promptTokenCount') !== undefined) progress.usage = usage
      const blocked = textAt(inner(event, 'promptFeedback'), 'blockReason')
      if (blocked) {
        const why = textAt(inner(event, 'promptFeedback'), 'blockReasonMessage')
        Object.assign(progress, { finish: blocked, why, isBlocked: true })
      }
      if (isJsonObject(event.modelStatus)) progress.sources.set('modelStatus', event.modelStatus)
      if (!Object.keys(event).some((key) => known.has(key)) && Object.keys(event).length > 0) remarks.unknown(event)
      const candidate = objectsAt(event, 'candidates').find(({ index }) => index === undefined || index === 0)
      if (!candidate) return []
      progress.finish = textAt(candidate, 'finishReason') || progress.finish
      progress.why = textAt(candidate, 'finishMessage') || progress.why
      for (const key of sources) if (isJsonObject(candidate[key])) progress.sources.set(key, candidate[key])
      if (candidate.finishReason === 'CONTINUATION' && progress.usage) {
        progress.earlier.push(progress.usage)
        progress.usage = undefined
      }
      return objectsAt(inner(candidate, 'content') ?? {}, 'parts').flatMap((part) => take(progress, part, toolNames))
    },
    end() {
      if (!progress.finish) return
      for (const [key, detail] of progress.sources) remarks.note({ code: codeOf(key), detail })
      reply = { ...toReply(progress, toolNames), ...remarks.all() }
    },
  }
}

/** What an event may be about, or hold alone. */
const known = new Set(
  'candidates usageMetadata promptFeedback modelStatus modelVersion responseId createTime sdkHttpResponse'.split(' '),
)
/** What an answer is built on: nobody takes it back, but people want to see it. */
const sources = ['groundingMetadata', 'urlContextMetadata', 'citationMetadata']
const codeOf = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

function take(progress: Progress, part: JsonObject, toolNames: ReadonlyMap<string, string>): ModelDelta[] {
  if (isJsonObject(part.functionCall)) return takeCall(progress, part, part.functionCall, toolNames)
  const { natives } = progress
  const last = natives.at(-1)
  const joins = last !== undefined && isPlain(last) && isPlain(part) && isThought(last) === isThought(part)
  if (joins) natives[natives.length - 1] = { ...last, text: textAt(last, 'text') + textAt(part, 'text') }
  // Nothing is lost with it, and some models take none back.
  else if (!isPlain(part) || part.text !== '') natives.push(part)
  const text = textAt(part, 'text')
  return text ? [{ type: isThought(part) ? 'reasoning' : 'text', index: natives.length - 1, text }] : []
}

/** Text and nothing else: what has a signature, or what we do not know, stays a part of its own. */
const isPlain = (part: JsonObject): boolean =>
  typeof part.text === 'string' && Object.keys(part).every((key) => key === 'text' || key === 'thought')

const isThought = ({ thought }: JsonObject): boolean => thought === true

function takeCall(
  progress: Progress,
  part: JsonObject,
  call: JsonObject,
  toolNames: ReadonlyMap<string, string>,
): ModelDelta[] {
  const { natives, open } = progress
  const { partialArgs, willContinue, ...rest } = call
  if (call.name === undefined && !open) {
    if (Object.keys(rest).length > 0) throw badReply('a function call has no string "name"')
    return []
  }
  const shown = (index: number, text: string): ModelDelta[] => [
    { type: 'call', index, toolName: nameOf(natives[index]!, toolNames), text },
  ]
  if (call.name !== undefined) {
    if (open) throw cut(natives[open.index])
    stringAt(call, 'name', 'a function call')
    natives.push(part)
    const index = natives.length - 1
    if (willContinue !== true && partialArgs === undefined) return shown(index, inputOf(part).inputText)
    progress.open = { index, args: { ...inner(call, 'args') } }
  }
  const { index, args } = progress.open!
  for (const piece of objectsAt(call, 'partialArgs')) putArgument(args, piece)
  const { partialArgs: _, willContinue: __, ...before } = inner(natives[index]!, 'functionCall')!
  natives[index] = { ...natives[index], ...part, functionCall: { ...before, ...rest, args } }
  if (willContinue === true) return call.name === undefined ? [] : shown(index, '')
  progress.open = undefined
  return shown(index, inputOf(natives[index]).inputText)
}

const nameOf = (native: JsonObject, toolNames: ReadonlyMap<string, string>): string => {
  const name = textAt(inner(native, 'functionCall'), 'name')
  return toolNames.get(name) ?? name
}

const finishes: Readonly<Record<string, FinishReason>> = {
  __proto__: null as never,
  STOP: 'stop',
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  TOO_MANY_TOOL_CALLS: 'other',
  UNEXPECTED_TOOL_CALL: 'other',
}

/** Reasons with which nothing usable comes, but may the next time. */
const flukes = new Set([
  'MALFORMED_FUNCTION_CALL',
  'MALFORMED_RESPONSE',
  'OTHER',
  'NO_IMAGE',
  'FINISH_REASON_UNSPECIFIED',
  'UNEXPECTED_TOOL_CALL',
])
const blocks =
  /^(SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|LANGUAGE|IMAGE_.*|MODEL_ARMOR|ESCALATION|PUP_LIMITED_DISABLED|JAILBREAK|BLOCK.*)$/

function toReply(
  { natives, open, finish, why, isBlocked, usage, earlier }: Progress,
  toolNames: ReadonlyMap<string, string>,
): ModelReply {
  const isCut = finish === 'MAX_TOKENS'
  if (open && !isCut) throw cut(natives[open.index])
  const whole = natives.filter((_, i) => i !== open?.index)
  const parts = whole.filter((native) => Object.keys(native).length > 0).map((native) => toPart(native, toolNames))
  const hasCalls = parts.some(({ type }) => type === 'call')
  const counts = usageOf(usage ? [...earlier, usage] : earlier)
  if (isBlocked || blocks.test(finish)) {
    const kept = parts.filter(({ type }) => type !== 'call')
    const text = why || `The answer was blocked: ${finish}`
    return { parts: [...kept, { type: 'refusal', text }], finish: 'content-filter', usage: counts }
  }
  if (finish.startsWith('MALFORMED') || (flukes.has(finish) && parts.length === 0)) throw fluke(finish, why)
  if (finish === 'MISSING_THOUGHT_SIGNATURE' && !hasCalls)
    throw new HandrailError(
      'model_bad_request',
      `Cannot send the history: the model misses a thought signature. ${why}`.trim(),
    )
  if (hasCalls && !isCut) return { parts, finish: 'calls', usage: counts }
  return { parts, finish: finishes[finish] ?? 'other', usage: counts }
}

const fluke = (finish: string, why: string) =>
  new HandrailError('model_bad_reply', `The model gave no reply that can be used: ${why || finish}`, {
    retryable: true,
  })

const cut = (native: JsonObject | undefined) =>
  fluke('', `the call of "${textAt(inner(native, 'functionCall'), 'name')}" was cut`)

function toPart(native: JsonObject, toolNames: ReadonlyMap<string, string>): ReplyPart {
  const call = inner(native, 'functionCall')
  if (call) {
    const { inputText, args } = inputOf(native)
    const wireId = textAt(call, 'id') || undefined
    const sent = args === undefined ? native : { ...native, functionCall: { ...call, args } }
    return { type: 'call', toolName: nameOf(native, toolNames), inputText, wireId, native: sent }
  }
  if (typeof native.text !== 'string') return { type: 'other', native }
  return { type: isThought(native) ? 'reasoning' : 'text', text: native.text, native }
}

/** The arguments as text, and in place of what is no object, one that the API takes back. */
function inputOf(native: JsonObject): { readonly inputText: string; readonly args?: JsonObject } {
  const args = inner(native, 'functionCall')?.args ?? {}
  if (isJsonObject(args)) return { inputText: JSON.stringify(args) }
  const inputText = typeof args === 'string' ? args : JSON.stringify(args)
  return { inputText, args: { INVALID_JSON: inputText } }
}

/** The sum of all goes: each is paid for. */
function usageOf(usages: readonly JsonObject[]): Usage | undefined {
  const sum = (key: string) => {
    const counts = usages.flatMap((usage) => countAt(usage, key) ?? [])
    return counts.length > 0 ? counts.reduce((a, b) => a + b) : undefined
  }
  const prompt = sum('promptTokenCount')
  const thoughts = sum('thoughtsTokenCount')
  return toUsage({
    input: prompt === undefined ? undefined : prompt + (sum('toolUsePromptTokenCount') ?? 0),
    output: prompt === undefined ? undefined : (sum('candidatesTokenCount') ?? 0) + (thoughts ?? 0),
    cacheRead: sum('cachedContentTokenCount'),
    cacheWrite: undefined,
    reasoning: thoughts,
  })
}
