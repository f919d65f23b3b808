import type { FinishReason, Remark } from '../../core/events.js'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.js'
import { isTextTool, type ToolDefinition } from '../../core/tool-definition.js'
import type { Usage } from '../../core/usage.js'
import type { ModelReply, ReplyPart } from '../model.js'
import { ReportedError, type ErrorFacts } from '../model-error.js'
import type { Decoder } from '../read-reply.js'
import { textToolSchema } from '../text-tool.js'
import { createRemarks } from '../told.js'
import { badReply, countAt, inner, objectsAt, textAt, toUsage } from '../wire.js'
import { createChatMessage } from './message.js'

/** Pushed when a stream has ended by itself: usage comes after the finish reason, and not every server says a last word. */
export const streamEnd: JsonObject = { object: 'stream.end' }

/**
 * Reads one stream of the Chat Completions API, or an answer in one piece as its only event.
 * @param tools whose calls are also found when the model writes them into its text
 * @param asked what there is to say of the request
 */
export function createChatDecoder(tools: readonly ToolDefinition[] = [], asked: readonly Remark[] = []): Decoder {
  const message = createChatMessage(tools.map(asWritten))
  const remarks = createRemarks(asked)
  let usage: JsonObject | undefined
  let finish = ''
  let started = false
  let ended = false
  let reply: ModelReply | undefined

  return {
    reply: () => reply,
    push(event) {
      const chunk = event as Json | undefined
      if (!isJsonObject(chunk)) throw badReply('a chunk is not an object')
      if (chunk === streamEnd) {
        if (!ended) return []
        const { parts, deltas } = message.end(cutBy(finish))
        reply = { parts, finish: finishOf(parts, finish), usage: usageOf(usage), ...remarks.all() }
        return deltas
      }
      const choices = objectsAt(chunk, 'choices')
      const choice = choices.find(({ index }) => !index)
      const error = failureIn(chunk, choice)
      if (error) throw error
      usage = inner(chunk, 'usage') ?? inner(inner(chunk, 'x_groq'), 'usage') ?? usage
      if (!choice) {
        // A server that gives no finish reason ends with its usage.
        ended ||= started && choices.length === 0 && isJsonObject(chunk.usage)
        if (!known.some((key) => Object.hasOwn(chunk, key))) remarks.unknown(chunk)
        return []
      }
      started = true
      finish = textAt(choice, 'finish_reason') || finish
      const delta = inner(choice, 'delta')
      const whole = delta ? undefined : inner(choice, 'message')
      ended ||= finish !== '' || whole !== undefined
      return message.read(delta ?? whole ?? {})
    },
  }
}

/** A text tool's text is a field where the model writes a call into its own text. */
const asWritten = (tool: ToolDefinition): ToolDefinition =>
  isTextTool(tool) ? { ...tool, input: textToolSchema(tool) } : tool

/** Fields of which a chunk without a choice has one. */
const known = ['choices', 'usage', 'x_groq', 'prompt_filter_results']

const finishes: Readonly<Record<string, FinishReason>> = {
  __proto__: null as never,
  '': 'stop',
  stop: 'stop',
  eos: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  max_tokens: 'length',
  model_length: 'context',
  model_context_window_exceeded: 'context',
  content_filter: 'content-filter',
  sensitive: 'content-filter',
  refusal: 'refusal',
}

/** The last call of a reply that was cut is cut itself, though it may parse; what a filter stopped is not to be run. */
function cutBy(finish: string): 'nothing' | 'last' | 'calls' {
  const reason = finishes[finish]
  return reason === 'length' || reason === 'context'
    ? 'last'
    : reason === 'content-filter' || reason === 'refusal'
      ? 'calls'
      : 'nothing'
}

function finishOf(parts: readonly ReplyPart[], said: string): FinishReason {
  const has = (type: ReplyPart['type']) => parts.some((part) => part.type === type)
  const finish = finishes[said] ?? 'other'
  if (finish !== 'stop' && finish !== 'other') return finish
  if (has('call')) return 'calls'
  if (has('refusal')) return 'refusal'
  return finish === 'other' && /^(tool_calls|tool_use|function_call)$/.test(said) && has('text') ? 'stop' : finish
}

/** What was wrong at the server, which it says here in the place of a reply. */
const broken = new Set(['error', 'abort', 'network_error', 'insufficient_system_resource'])

function failureIn(chunk: JsonObject, choice: JsonObject | undefined): ReportedError | undefined {
  const error = chunk.error ?? choice?.error
  if (isJsonObject(error) || (typeof error === 'string' && error !== '')) return new ReportedError(toFacts(error))
  if (chunk.object === 'error' || (chunk.type === 'error' && !choice)) return new ReportedError(toFacts(chunk))
  const finish = textAt(choice, 'finish_reason')
  if (!broken.has(finish)) return undefined
  return new ReportedError({ type: 'server_error', message: `it ended with "${finish}"` })
}

/** What an error of a stream says. Gateways put the status of the server behind them where a code should be. */
export function toFacts(error: Json): ErrorFacts {
  if (!isJsonObject(error)) return { message: typeof error === 'string' ? error : JSON.stringify(error) }
  const number = Number(error.code ?? error.status ?? NaN)
  const status = Number.isInteger(number) && number >= 400 && number < 600 ? number : undefined
  const { message = null, metadata } = error
  const said = typeof message === 'string' ? message : JSON.stringify(message)
  const raw = isJsonObject(metadata) ? textAt(metadata, 'raw') : ''
  return {
    status,
    code: status === undefined ? textAt(error, 'code') || undefined : undefined,
    type: textAt(error, 'type') || undefined,
    param: textAt(error, 'param') || undefined,
    message: [said === 'null' ? '' : said, raw].filter(Boolean).join(': ') || 'it gave no reason',
  }
}

/** Some count reasoning apart from the output: the total tells. */
function usageOf(usage: JsonObject | undefined): Usage | undefined {
  const input = countAt(usage, 'prompt_tokens')
  const said = countAt(usage, 'completion_tokens') ?? (input === undefined ? undefined : 0)
  const rest = (countAt(usage, 'total_tokens') ?? 0) - (input ?? 0)
  const details = inner(usage, 'prompt_tokens_details')
  return toUsage({
    input,
    output: said === undefined ? undefined : Math.max(said, rest),
    cacheRead: countAt(details, 'cached_tokens') ?? countAt(usage, 'prompt_cache_hit_tokens'),
    cacheWrite: countAt(details, 'cache_write_tokens'),
    reasoning: countAt(inner(usage, 'completion_tokens_details'), 'reasoning_tokens'),
  })
}
