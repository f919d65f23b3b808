import type { Outcome, Part, Reconciliation, RunEvent, ToolCall, ToolResult } from './events.js'
import type { Json } from './json.js'

/** What is sent to the model, derived. `key` is a call's identity in the whole session: `run.step.index`. */
export type Message =
  | { readonly role: 'user'; readonly text: string }
  | {
      readonly role: 'assistant'
      readonly parts: readonly Part[]
      readonly calls: readonly KeyedCall[]
      readonly origin: Origin
    }
  | { readonly role: 'tool'; readonly call: KeyedCall; readonly outcome: Outcome; readonly text: string }
  | { readonly role: 'news'; readonly callId: string; readonly done: boolean; readonly text: string }

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
  /** Calls of the last message, not yet answered in `messages`. */
  readonly waiting: readonly KeyedCall[]
  readonly results: ReadonlyMap<string, Message & { role: 'tool' }>
  readonly news: readonly Message[]
  readonly cut?: readonly Part[]
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

/** Characters of one tool result that the model is shown. */
export const shownCharacters = 16_000
/** Characters of what a script prints that it is shown. */
export const shownPrints = 8_000

/**
 * The transcript after one more event of a session. It grows only at `step-start` and `run-end`: results in call order, then
 * reconciled news in log order. A cut message is dropped when its step is tried again, and kept when it was the run's last.
 */
export function grow(t: Transcript, event: RunEvent): Transcript {
  switch (event.type) {
    case 'run-start':
      return { ...t, run: t.run + 1, origin: event.model, hasScripts: event.engine !== undefined }
    case 'user-message':
      return { ...t, messages: [...t.messages, { role: 'user', text: wellFormed(event.text) }] }
    case 'assistant-message': {
      if (!event.complete) return { ...t, cut: event.parts }
      const calls = event.calls.map((call) => keyed(t, call))
      const message: Message = { role: 'assistant', parts: event.parts, calls, origin: t.origin }
      return { ...t, waiting: calls, cut: undefined, messages: [...t.messages, message] }
    }
    case 'tool-result': {
      const call = t.waiting.find(({ callId }) => callId === event.callId)
      if (!call) return t
      if (t.results.has(event.callId)) throw new RangeError(`Cannot fold: two results for tool call "${event.callId}"`)
      const { outcome } = event
      const text = outcome === 'ok' ? resultText(event, t.hasScripts ? call.key : undefined) : failureText(event)
      return { ...t, results: new Map(t.results).set(event.callId, { role: 'tool', call, outcome, text }) }
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
  const messages = [...t.messages]
  for (const { callId } of t.waiting) {
    const result = t.results.get(callId)
    if (!result) throw new RangeError(`Cannot fold: no result for tool call "${callId}" before the next request`)
    messages.push(result)
  }
  if (t.cut?.length && isEnd) messages.push({ role: 'assistant', parts: t.cut, calls: [], origin: t.origin })
  messages.push(...t.news)
  return { ...t, messages, waiting: [], results: new Map(), news: [], cut: undefined }
}

/** A call's identity in the whole session. */
export const keyOf = (run: number, callId: string): string => `${run}.${callId}`

const keyed = (t: Transcript, call: ToolCall): KeyedCall => ({ ...call, key: keyOf(t.run, call.callId) })

/** What a script printed stands below what it returned: each within its own budget. */
function resultText({ output, prints }: ToolResult, handle: string | undefined): string {
  const rest = handle === undefined ? undefined : `in a script, results(${JSON.stringify(handle)}) gives all of it`
  const text = shown(output ?? null, rest)
  return prints === undefined ? text : `${text}\n\nPrinted:\n${wellFormed(prints)}`
}

/** @param rest how to get at what is cut */
export function shown(output: Json, rest?: string): string {
  const text = typeof output === 'string' ? output : JSON.stringify(output)
  return cut(text, shownCharacters, rest)
}

/** The beginning of a text that is too long, with a note of what is missing. */
export function cut(text: string, most: number, rest?: string): string {
  if (text.length <= most) return wellFormed(text)
  const start = wellFormed(text.slice(0, most).replace(/[\ud800-\udbff]$/, ''))
  return `${start}\n[cut: ${start.length} of ${text.length} characters are shown${rest ? `; ${rest}` : ''}]`
}

/** Half of a surrogate pair, as of a text cut in an emoji, is no text: providers refuse a history with it for ever. */
const wellFormed = (text: string): string => text.replaceAll(/\p{Surrogate}/gu, '\ufffd')

function failureText({ outcome, failure, output, prints }: ToolResult): string {
  const error = failure ?? { code: outcome, message: outcome, retryable: false }
  const text = shown({ error: { ...error }, ...(output === undefined ? {} : { output }) })
  return prints === undefined ? text : `${text}\n\nPrinted:\n${wellFormed(prints)}`
}

function newsText({ toolName, done, output }: Reconciliation): string {
  const what = `The outcome of an earlier call of ${toolName} was unknown.`
  if (!done) return `${what} It was looked for and not found yet; it may still take effect.`
  return `${what} It is now known: it took effect${output === undefined ? '' : ` and returned ${shown(output)}`}.`
}
