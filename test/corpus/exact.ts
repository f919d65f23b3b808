import { deepStrictEqual } from 'node:assert/strict'
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.js'
import type { ModelReply } from '../../src/models/model.js'
import { heard, joined, toldBy, type Told } from '../models/chat-told.js'
import { factsOf, partsIn } from '../models/gemini-recordings.js'
import { finishes, wanted } from '../models/recorded-end.js'
import {
  anthropicAnswer,
  anthropicStreamAnswer,
  eventsOf,
  listOf,
  openAIAnswer,
  openAIStreamAnswer,
  record,
  textOf,
  type Answer,
} from '../models/recorded-json.js'
import type { Outcome } from './replay.js'
import type { Family, RecordedResponse } from './responses.js'

/** What a reply has to come to, read off the recording without the decoder. */
interface Form {
  /** The reply as the recording tells it; absent when it tells of a failure. */
  readonly wanted?: Json
  readonly of: (reply: ModelReply) => Json
}

/** The form to compare a response with; undefined when it has no end, or is an answer with an error status. */
export function formOf(response: RecordedResponse): Form | undefined {
  if (response.status !== 200) return undefined
  const form = forms[response.family](response)
  return form && { wanted: form.wanted && plain(form.wanted), of: (reply) => plain(form.of(reply)) }
}

/** How an outcome differs from the form; undefined when it does not. */
export function difference({ wanted: expected, of }: Form, outcome: Outcome): string | undefined {
  if (expected === undefined) return 'code' in outcome ? undefined : 'it is a reply, expected a failure'
  if (!('reply' in outcome)) return 'code' in outcome ? `${outcome.code}: ${outcome.message}` : outcome.crash
  try {
    deepStrictEqual(of(outcome.reply), expected)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}

interface Loose {
  readonly wanted?: object
  readonly of: (reply: ModelReply) => object
}

const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json

const forms: Readonly<Record<Family, (response: RecordedResponse) => Loose | undefined>> = {
  openai: openAIForm,
  anthropic: anthropicForm,
  chat: chatForm,
  gemini: geminiForm,
}

function openAIForm({ isStream, body }: RecordedResponse): Loose | undefined {
  const events = isStream ? eventsOf(body) : []
  const last = events.findLast(({ type }) => /^(response\.(completed|incomplete|failed)|error)$/.test(textOf(type)))
  const response = isStream ? record(last?.response) : (JSON.parse(body) as JsonObject)
  if (isStream ? !last : /^(queued|in_progress|cancelled)$/.test(textOf(response.status))) return undefined
  if (last?.type === 'error' || response.status === 'failed') {
    const { code } = isJsonObject(response.error)
      ? response.error
      : isJsonObject(last?.error)
        ? last.error
        : record(last)
    return code === 'context_length_exceeded' ? tooLong : failure
  }
  const answer = isStream ? openAIStreamAnswer(events) : openAIAnswer(response)
  // Some servers end without the items; some give them other ids at the end, so the items are those that were finished.
  const items = answer.items.length > 0 ? answer.items : listOf(response.output)
  const whole = listOf(response.output).length > 0 ? openAIAnswer(response) : answer
  const refuses = items.some(({ content }) => listOf(content).some(({ type }) => type === 'refusal'))
  const waits = /^program(_output)?$/.test(textOf(items.findLast(({ type }) => type !== 'reasoning')?.type))
  // Calls of a reply that was stopped for another reason than its length are not made, and not sent again.
  const isStopped = !!record(response.incomplete_details).reason && finishes[whole.end] !== 'length'
  if (isStopped)
    return answerForm(
      { ...whole, facts: [] },
      items.filter((item) => !isCall(item)),
    )
  return answerForm(whole, items, refuses ? 'refusal' : waits ? 'resend' : undefined)
}

const tooLong: Loose = { wanted: { finish: 'context' }, of: ({ finish }) => ({ finish }) }

function anthropicForm({ isStream, body }: RecordedResponse): Loose | undefined {
  if (!isStream) return answerForm(anthropicAnswer(JSON.parse(body) as JsonObject))
  const events = eventsOf(body)
  if (events.some(({ type }) => type === 'error')) return failure
  return events.some(({ type }) => type === 'message_stop') ? answerForm(anthropicStreamAnswer(events)) : undefined
}

const failure: Loose = { of: ({ parts }) => parts }

function answerForm(answer: Answer, items = answer.items, ending?: string): Loose {
  const finish = ending ?? finishes[answer.end] ?? 'other'
  const isRefusal = answer.end === 'refusal'
  const calls = wanted(answer).map(({ call, name, input }) => ({ id: call, name, input }))
  return {
    wanted: {
      calls: isRefusal ? [] : calls,
      usage: answer.usage,
      finish: calls.length > 0 && !isRefusal ? 'calls' : finish,
      text: answer.text,
      // A refused turn must not go back, and a call that was cut must not be made.
      items: isRefusal ? [] : finish === 'length' ? items.filter((item) => !isCall(item)) : items,
    },
    of: ({ parts, usage, finish: said }) => {
      const natives = parts.flatMap(({ native }) => (native === undefined ? [] : [native as JsonObject]))
      const text = parts.map((part) => (part.type === 'text' || part.type === 'refusal' ? part.text : '')).join('')
      return {
        calls: finish === 'length' ? [] : heardCalls(parts),
        usage: { input: usage?.input, output: usage?.output },
        finish: said,
        text: isRefusal ? text.slice(0, answer.text.length) : text,
        items: finish === 'length' ? natives.filter((item) => !isCall(item)) : natives,
      }
    },
  }
}

const isCall = ({ type }: JsonObject): boolean =>
  /^(function_call|custom_tool_call|mcp_approval_request|.*tool_use)$/.test(textOf(type))

const heardCalls = (parts: ModelReply['parts']) =>
  parts.flatMap((part) =>
    part.type === 'call' ? [{ id: part.wireId, name: part.toolName, input: parsed(part.inputText) }] : [],
  )

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}

function chatForm({ isStream, body }: RecordedResponse): Loose | undefined {
  const chunks = isStream ? eventsOf(body) : [JSON.parse(body) as JsonObject]
  if (chunks.some(({ error, choices }) => !!error || listOf(choices).some((choice) => !!choice.error))) return failure
  const last = chunks.findLast(({ choices }) => listOf(choices).some(({ finish_reason }) => !!finish_reason))
  const hasEnd = !isStream || !!last || listOf(chunks.at(-1)?.choices).length === 0
  if (!hasEnd) return undefined
  const told = isStream ? joined({ body }) : toldBy(chunks[0]!)
  const said = textOf(listOf(last?.choices).findLast(({ finish_reason }) => !!finish_reason)?.finish_reason)
  const isCut = said === 'length'
  const finish = told.calls.length > 0 && !isCut ? 'calls' : chatEnds[said]
  // A call that was cut must not be made.
  const whole = <T extends Told>(one: T) => (isCut ? { ...one, calls: [] } : one)
  return {
    wanted: { ...whole(told), finish },
    of: (reply) => ({ ...whole(heard(reply)), finish: finish && reply.finish }),
  }
}

/** Words that all servers mean alike; of others we know only that they are the end. */
const chatEnds: Readonly<Record<string, string>> = { stop: 'stop', length: 'length', content_filter: 'content-filter' }

const geminiEnds: Readonly<Record<string, string>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  UNEXPECTED_TOOL_CALL: 'other',
  TOO_MANY_TOOL_CALLS: 'other',
  OTHER: 'other',
  NO_IMAGE: 'other',
  FINISH_REASON_UNSPECIFIED: 'other',
}

/** With these a reply may come to nothing, which is worth another try. */
const geminiFlukes = /^(UNEXPECTED_TOOL_CALL|OTHER|NO_IMAGE|FINISH_REASON_UNSPECIFIED)$/

function geminiForm({ isStream, body }: RecordedResponse): Loose | undefined {
  const events = isStream ? eventsOf(body) : [JSON.parse(body) as JsonObject]
  if (events.some(({ error }) => !!error)) return failure
  const ends = events.map(({ candidates }) => textOf(listOf(candidates)[0]?.finishReason))
  const blocked = events.some(({ promptFeedback }) => !!record(promptFeedback).blockReason)
  const end = ends.findLast((one) => one !== '')
  if (end === undefined && !blocked) return undefined
  const told = factsOf(partsIn(events))
  if (end?.startsWith('MALFORMED')) return failure
  if (!blocked && geminiFlukes.test(end ?? '') && partsIn(events).every(({ text }) => text === '')) return failure
  const usage = record(events.findLast((event) => record(event.usageMetadata).promptTokenCount)?.usageMetadata)
  const finish = geminiEnds[end ?? ''] ?? 'content-filter'
  return {
    wanted: {
      ...told,
      tokens: usage.totalTokenCount,
      thoughtTokens: usage.thoughtsTokenCount,
      finish: told.calls.length > 0 && finish !== 'content-filter' && finish !== 'length' ? 'calls' : finish,
    },
    of: ({ parts, usage: counts, finish: said }) => ({
      ...factsOf(parts.flatMap(({ native }) => (native === undefined ? [] : [native as JsonObject]))),
      tokens: counts && counts.input + counts.output,
      thoughtTokens: counts?.reasoning,
      finish: said,
    }),
  }
}
