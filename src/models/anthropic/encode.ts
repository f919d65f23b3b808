import type { Anthropic } from '@anthropic-ai/sdk'
import type { Remark } from '../../core/events.js'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.js'
import type { Message } from '../../core/transcript.js'
import { withExtra } from '../extra.js'
import { isOwn, withClosedHistory } from '../history.js'
import type { ModelConfig, ModelRequest } from '../model.js'
import { settingsOf } from './settings.js'
import { toolsOf } from './tools.js'
import { toTurns, type Turn } from './turns.js'
import { firstWay, type Way } from './way.js'

type Body = Anthropic.MessageCreateParamsStreaming

interface Encoded {
  readonly body: Body
  /** What of the request was left out or is done in another way, for the reply. */
  readonly remarks: readonly Remark[]
  /** Not all that was said could be sent: after the reply the model has to be asked again. */
  readonly isWaiting: boolean
  /** Headers that it needs beside those of the configuration. */
  readonly headers: Readonly<Record<string, string>>
}

/** Fields of the body that `extra` may not have. */
const ours = ['model', 'stream', 'system', 'messages', 'tools', 'tool_choice']

/** The body of a request to the Messages API; see `encodeAnthropicWith`. */
export const encodeAnthropic = (request: ModelRequest, config: ModelConfig, way = firstWay(config.model)): Body =>
  encodeAnthropicWith(request, config, way).body

/**
 * The body of a request to the Messages API, and what is to be known of it. Two places are marked for its cache: the end of what
 * never changes in a session, and the end of the transcript, which only grows.
 * @throws {HandrailError} `model_bad_request` when a hosted tool is
 * to be asked about, or `extra` has a field of ours.
 */
export function encodeAnthropicWith(given: ModelRequest, config: ModelConfig, way: Way): Encoded {
  const request = withClosedHistory(given)
  const { instructions, messages } = request
  const mark = cacheMark(config)
  const hasInstructions = instructions.trim() !== ''
  const settings = settingsOf(request, config, way.can)
  const { tools, deferred, toolChoice, remarks } = toolsOf(request, config, way, hasInstructions ? {} : mark)
  const { turns, isWaiting } = toTurns(messages, config, way, deferred)
  const container = containerOf(request, config, way)
  const body = {
    model: config.model,
    stream: true,
    ...settings.fields,
    ...(container && { container }),
    ...(hasInstructions && { system: [{ type: 'text', text: instructions, ...mark }] }),
    ...(tools.length > 0 && { tools }),
    ...(toolChoice && { tool_choice: toolChoice }),
    messages: markLast(turns, mark),
  } as unknown as Body
  return {
    body: withExtra(body, config, ours),
    remarks: [...settings.remarks, ...remarks],
    isWaiting,
    headers: headersOf(turns, config),
  }
}

/** Tools that are told of late are in no version of the API yet. */
const lateTools = 'mid-conversation-tool-changes-2026-07-01'

function headersOf(turns: readonly Turn[], { headers = {} }: ModelConfig): Encoded['headers'] {
  if (!turns.some(({ content }) => content.some(({ type }) => type === 'tool_addition'))) return {}
  const given = Object.entries(headers).filter(([name]) => name.toLowerCase() === 'anthropic-beta')
  return { 'anthropic-beta': [...new Set([...given.map(([, value]) => value), lateTools])].join() }
}

const cacheMark = ({ cache = 'short' }: ModelConfig): JsonObject =>
  cache === 'off' ? {} : { cache_control: { type: 'ephemeral', ...(cache === 'long' && { ttl: '1h' }) } }

/** Only what we said is marked: what the model wrote goes back as it was. */
function markLast(turns: readonly Turn[], mark: JsonObject): Turn[] {
  const at = turns.findLastIndex(({ content }) => content.at(-1)!.type !== 'tool_addition')
  const last = turns[at]
  if (!last || last.role === 'assistant') return [...turns]
  return [
    ...turns.slice(0, at),
    { ...last, content: [...last.content.slice(0, -1), { ...last.content.at(-1)!, ...mark }] },
    ...turns.slice(at + 1),
  ]
}

/** The container in which the model's programs ran last, which holds their files, and programs that wait. */
function containerOf({ messages }: ModelRequest, config: ModelConfig, way: Way): Json | undefined {
  const hasPrograms = (message: Message) =>
    message.role === 'assistant' && message.calls.some(({ caller }) => caller === 'program')
  if (!way.container || !(config.programs || config.hostedTools?.length || messages.some(hasPrograms))) return undefined
  const id = messages.map((message) => containerIn(message, config)).findLast((one) => one !== undefined)
  return id !== undefined && isJsonObject(config.extra?.container) ? { id } : id
}

function containerIn(message: Message, config: ModelConfig): string | undefined {
  if (message.role !== 'assistant' || !isOwn(message.origin, config)) return undefined
  const { serverState } = message
  return isJsonObject(serverState) && typeof serverState.container === 'string' ? serverState.container : undefined
}
