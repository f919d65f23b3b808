import { fileNote, type AttachedFile } from './attached-file.js'
import type { Outcome, Part, Reconciliation, RunEvent, ToolCall, ToolResult, UserMessage } from './events.js'
import { framed } from './framed.js'
import { isJsonObject, type Json } from './json.js'
import { shown, wellFormed } from './shown.js'
import type { AnswerFormat } from './tool-definition.js'
import { unknownCode } from './failure.js'
import { isTurnedAway, withdrawal } from './withdrawn.js'

/** What is sent to the model, derived. `key` is a call's identity in the whole session: `run.step.index`. */
export type Message =
  | { readonly role: 'user'; readonly text: string; readonly files?: readonly AttachedFile[] }
  /** The app's, in the middle of a conversation. */
  | { readonly role: 'instructions'; readonly text: string }
  | {
      readonly role: 'assistant'
      readonly parts: readonly Part[]
      readonly calls: readonly KeyedCall[]
      readonly origin: Origin
      readonly serverState?: Json
    }
  | {
      readonly role: 'tool'
      readonly call: KeyedCall
      readonly outcome: Outcome
      readonly text: string
      /** The text is the app's own words, or ours. All else is data, and goes out in a frame that says so. */
      readonly trusted?: boolean
      /** Ours, to the model, beside the text. */
      readonly note?: string
      readonly files?: readonly AttachedFile[]
      /** Names of deferred tools that it tells the model of. */
      readonly tools?: readonly string[]
    }
  | { readonly role: 'news'; readonly callId: string; readonly done: boolean; readonly text: string }
  /** Ours, to a model that has to go on. */
  | { readonly role: 'note'; readonly text: string }

export interface KeyedCall extends ToolCall {
  readonly key: string
}
/** Who wrote a message: only the same provider and model gets its native parts back. */
export interface Origin {
  readonly provider: string
  readonly model: string
}

export interface Transcript {
  readonly messages: readonly Message[]
  readonly run: number
  readonly origin: Origin
  /** The model may run scripts, by which it gets at what is cut. */
  readonly hasScripts: boolean
  readonly answer?: AnswerFormat
  /** Calls of the last message, not yet answered in `messages`. */
  readonly waiting: readonly KeyedCall[]
  readonly results: ReadonlyMap<string, Message & { role: 'tool' }>
  readonly news: readonly Message[]
  readonly note?: Message
  readonly cut?: readonly Part[]
  /** The provider turned the last request away before it did anything. */
  readonly isTurnedAway?: boolean
}

export const emptyTranscript: Transcript = {
  messages: [],
  run: 0,
  origin: { provider: '', model: '' },
  hasScripts: false,
  waiting: [],
  results: new Map(),
  news: [],
}

/**
 * The transcript after one more event of a session. It grows only at `step-start` and `run-end`: results in call order, then
 * reconciled news in log order. A cut message is dropped when its step is tried again, and kept when it was the run's last.
 */
export function grow(t: Transcript, event: RunEvent): Transcript {
  switch (event.type) {
    case 'run-start':
      return {
        ...t,
        run: t.run + 1,
        origin: event.model,
        hasScripts: event.engine !== undefined,
        answer: event.answer,
      }
    case 'user-message':
      return { ...t, messages: [...t.messages, ...userMessages(event, t.answer)] }
    case 'assistant-message': {
      const parts = event.parts.map(wellFormedPart)
      if (!event.complete) return { ...t, cut: parts, isTurnedAway: isTurnedAway(event.failure) }
      const calls = event.calls.map((call) => keyed(t, call))
      const { serverState } = event
      const message: Message = {
        role: 'assistant',
        parts,
        calls,
        origin: t.origin,
        ...(serverState !== undefined && { serverState }),
      }
      return { ...t, waiting: calls, cut: undefined, messages: [...t.messages, message] }
    }
    case 'answer-check':
      return event.verdict === 'repair' && event.note
        ? { ...t, note: { role: 'note', text: wellFormed(event.note) } }
        : t
    case 'tool-result': {
      const call = t.waiting.find(({ callId }) => callId === event.callId)
      if (!call) return t
      if (t.results.has(event.callId)) throw new RangeError(`Cannot fold: two results for tool call "${event.callId}"`)
      const result = toolMessage(event, call, t.hasScripts)
      return { ...t, results: new Map(t.results).set(event.callId, result) }
    }
    case 'tool-reconciled':
      return {
        ...t,
        news: [...t.news, { role: 'news', callId: event.callId, done: event.done, text: newsText(event) }],
      }
    case 'step-start':
    case 'run-end':
      return flush(t, event.type === 'run-end')
    default:
      return t
  }
}

/** The messages of a session whose runs' logs follow each other. */
export function transcript(events: Iterable<RunEvent>, from = emptyTranscript): Transcript {
  let t = from
  for (const event of events) t = grow(t, event)
  return t
}

function flush(t: Transcript, isEnd: boolean): Transcript {
  const messages = [
    ...(t.isTurnedAway && !isEnd ? t.messages : withdrawn(t.messages, t.isTurnedAway ? 'cancelled' : 'unknown')),
  ]
  for (const { callId } of t.waiting) {
    const result = t.results.get(callId)
    if (!result) throw new RangeError(`Cannot fold: no result for tool call "${callId}" before the next request`)
    messages.push(...(isEnd ? withdrawn([result], 'cancelled') : [result]))
  }
  if (t.cut?.length && isEnd) messages.push({ role: 'assistant', parts: t.cut, calls: [], origin: t.origin })
  messages.push(...t.news, ...(t.note ? [t.note] : []))
  return {
    ...t,
    messages,
    waiting: [],
    results: new Map(),
    news: [],
    note: undefined,
    cut: undefined,
    isTurnedAway: false,
  }
}

/**
 * What a person approved and the provider runs, it runs when it reads so. An approval that no reply came to is taken back: sent
 * again, the call would be made twice, or in a later run that nobody approved it for.
 */
function withdrawn(messages: readonly Message[], outcome: 'unknown' | 'cancelled'): readonly Message[] {
  const answered = messages.findLastIndex(({ role }) => role === 'assistant')
  return messages.map((message, i) => {
    if (i < answered || message.role !== 'tool' || message.outcome !== 'ok' || !message.call.executor) return message
    return { ...message, ...withdrawal(outcome) }
  })
}

function userMessages({ text, files, instructions }: UserMessage, answer: AnswerFormat | undefined): Message[] {
  const messages: Message[] = [{ role: 'user', text: wellFormed(text), ...(files?.length ? { files } : {}) }]
  if (instructions) messages.push({ role: 'instructions', text: wellFormed(instructions) })
  if (answer) messages.push({ role: 'note', text: answerNote(answer) })
  return messages
}

/** Not all providers can be held to a schema, and none is told in words what it is for. */
const answerNote = ({ schema }: AnswerFormat): string =>
  `When you are done with this message, answer with JSON alone, without a word or a fence around it, that fits this schema: ${JSON.stringify(schema)}`

function filesOf({ hasFiles, output }: ToolResult): readonly AttachedFile[] | undefined {
  const files = hasFiles && isJsonObject(output) ? output.files : undefined
  return Array.isArray(files) ? (files as unknown as readonly AttachedFile[]) : undefined
}

function toolsOf({ hasTools, output }: ToolResult): readonly string[] | undefined {
  const tools = hasTools && isJsonObject(output) ? output.tools : undefined
  return Array.isArray(tools) ? (tools as readonly string[]) : undefined
}

/** Files are given beside the text. */
function withoutFiles(result: ToolResult): Json {
  const { output = null } = result
  const files = filesOf(result)
  return files && isJsonObject(output) ? { ...output, files: files.map(fileNote) } : output
}

/** A call's identity in the whole session. */
export const keyOf = (run: number, callId: string): string => `${run}.${callId}`

/** Its text, as any provider takes it; what its own provider gets back is `native`. */
const wellFormedPart = (part: Part): Part => ('text' in part ? { ...part, text: wellFormed(part.text) } : part)

const keyed = (t: Transcript, call: ToolCall): KeyedCall => ({ ...call, key: keyOf(t.run, call.callId) })

function toolMessage(event: ToolResult, call: KeyedCall, hasScripts: boolean): Message & { role: 'tool' } {
  const { outcome, trusted, note } = event
  const [files, tools] = [filesOf(event), toolsOf(event)]
  return {
    role: 'tool',
    call,
    outcome,
    text: outcome === 'ok' ? outputText(event, hasScripts ? call.key : undefined) : failureText(event),
    ...(trusted && { trusted }),
    ...(note !== undefined && { note }),
    ...(files && { files }),
    ...(tools && { tools }),
  }
}

/** What a script printed stands below what it returned: each within its own budget. */
function outputText(result: ToolResult, handle: string | undefined): string {
  const { prints, output, outputInvalid } = result
  if (output === undefined && outputInvalid !== undefined) return `It took effect. ${wellFormed(outputInvalid)}`
  const rest = handle === undefined ? undefined : `in a script, results(${JSON.stringify(handle)}) gives all of it`
  const text = shown(withoutFiles(result), rest)
  return prints === undefined ? text : `${text}\n\nPrinted:\n${wellFormed(prints)}`
}

function failureText({ outcome, failure, output, prints }: ToolResult): string {
  const error = failure ?? { code: outcome === 'unknown' ? unknownCode : outcome, message: outcome, retryable: false }
  const text = shown({ error: { ...error }, ...(output === undefined ? {} : { output }) })
  return prints === undefined ? text : `${text}\n\nPrinted:\n${wellFormed(prints)}`
}

function newsText({ toolName, done, output, trusted }: Reconciliation): string {
  const what = `The outcome of an earlier call of ${toolName} was unknown.`
  if (!done) return `${what} It was looked for and not found yet; it may still take effect.`
  const known = `${what} It is now known: it took effect`
  if (output === undefined) return `${known}.`
  const text = shown(output)
  return `${known}, and returned:\n${trusted ? text : framed(toolName, text)}`
}
