import type { FinishReason } from '../core/events.js'
import type { Json } from '../core/json.js'
import { estimateTokens, type Usage } from '../core/usage.js'
import { HandrailError } from '../errors.js'
import type { GenerateOptions, Model, ModelDelta, ModelReply, ModelRequest, ReplyPart } from '../models/model.js'

/** What a scripted model answers to one request. Everything left out is empty. */
export interface ScriptedReply {
  readonly reasoning?: string
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
  /** Default: `calls` when there are calls, else `stop`. */
  readonly finish?: FinishReason
  /** Tokens. Default: an estimate of four characters a token. */
  readonly usage?: Usage
  /** Fails after it has streamed the rest. Not retryable unless it says so. */
  readonly error?: ScriptedError
  /** The stream ends after the rest without an end: fails with `model_stream_cut`, retryable. */
  readonly cut?: true
}

export interface ScriptedCall {
  readonly tool: string
  readonly input?: Json
  /** The argument text, when it is not the JSON of `input`: for arguments that do not parse. */
  readonly inputText?: string
}

export interface ScriptedError {
  readonly code: string
  readonly message?: string
  readonly retryable?: boolean
}

/** A reply, or a function that makes it of the request that it answers. */
export type ScriptedStep = ScriptedReply | ((request: ModelRequest) => ScriptedReply | Promise<ScriptedReply>)

export interface ScriptedModelOptions {
  /** Characters of one piece of a stream. Default: 16. */
  readonly chunkSize?: number
  /** Milliseconds before each piece. Default: 0, which still lets other work in between. */
  readonly delay?: number
}

export interface ScriptedModel extends Model {
  /** @throws {HandrailError} `scripted_unused` when a reply was never asked for. */
  assertDone(): void
}

/**
 * A model that plays replies in order, one for each request, streamed in pieces. An attempt that fails uses up its reply.
 * Every part is an own part of the reply: reasoning, text, then the calls.
 *
 * `generate` throws {@link HandrailError}: `scripted_unexpected` for a request after the last reply, `model_aborted` when its
 * signal is aborted, and what a reply says by `error` or `cut`.
 */
export function scriptedModel(replies: readonly ScriptedStep[], options: ScriptedModelOptions = {}): ScriptedModel {
  const { chunkSize = 16, delay = 0 } = options
  if (!(chunkSize >= 1))
    throw new HandrailError('scripted_invalid', `Cannot stream in pieces of ${chunkSize} characters`)
  let asked = 0
  return {
    provider: 'scripted',
    model: 'scripted',
    async generate(request, { signal, onDelta }) {
      const step = replies[asked++]
      if (step === undefined) throw unexpected(asked, replies.length, request)
      const reply = typeof step === 'function' ? await step(request) : step
      const parts = toParts(reply)
      for (const delta of parts.flatMap((part, index) => piecesOf(part, index, chunkSize))) {
        await pause(delay, signal)
        onDelta(delta)
      }
      await pause(delay, signal)
      if (reply.error) throw failure(reply.error)
      if (reply.cut) throw new HandrailError('model_stream_cut', `Scripted reply ${asked} was cut`, { retryable: true })
      return {
        parts,
        finish: reply.finish ?? (reply.calls?.length ? 'calls' : 'stop'),
        usage: reply.usage ?? guess(request, parts),
      }
    },
    assertDone() {
      const left = replies.length - asked
      if (left > 0)
        throw new HandrailError('scripted_unused', `Scripted model has ${left} of ${replies.length} replies left`)
    },
  }
}

function toParts({ reasoning, text, calls = [] }: ScriptedReply): ModelReply['parts'] {
  const parts: ReplyPart[] = []
  if (reasoning) parts.push({ type: 'reasoning', text: reasoning })
  if (text) parts.push({ type: 'text', text })
  for (const { tool, input, inputText } of calls)
    parts.push({ type: 'call', toolName: tool, inputText: inputText ?? JSON.stringify(input ?? {}) })
  return parts
}

function piecesOf(part: ReplyPart, index: number, size: number): ModelDelta[] {
  if (part.type === 'call') {
    const { toolName } = part
    return chunks(part.inputText, size).map((text) => ({ type: 'call', index, toolName, text }))
  }
  if (part.type !== 'text' && part.type !== 'reasoning') return []
  const { type } = part
  return chunks(part.text, size).map((text) => ({ type, index, text }))
}

/** By code point: half a character cannot be shown. */
function chunks(text: string, size: number): string[] {
  const characters = Array.from(text)
  const found: string[] = []
  for (let at = 0; at < characters.length; at += size) found.push(characters.slice(at, at + size).join(''))
  return found
}

function pause(delay: number, signal: GenerateOptions['signal']): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(new HandrailError('model_aborted', 'The request to the scripted model was stopped'))
    }
    const go = () => {
      signal.removeEventListener('abort', stop)
      resolve()
    }
    const timer = setTimeout(go, delay)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

const failure = ({ code, message = `Scripted error "${code}"`, retryable }: ScriptedError): HandrailError =>
  new HandrailError(code, message, { retryable })

function unexpected(asked: number, given: number, { messages }: ModelRequest): HandrailError {
  const last = messages.at(-1)
  const about = last
    ? `; its last message is of ${last.role === 'tool' ? `tool "${last.call.toolName}"` : last.role}`
    : ''
  return new HandrailError(
    'scripted_unexpected',
    `Scripted model got request ${asked}, but has ${given} replies${about}`,
  )
}

function guess({ instructions, tools, messages }: ModelRequest, parts: ModelReply['parts']): Usage {
  const input = estimateTokens(instructions.length + JSON.stringify([tools, messages]).length)
  return { input, output: estimateTokens(JSON.stringify(parts).length), estimated: true }
}
