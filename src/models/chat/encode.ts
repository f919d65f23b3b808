import type { OpenAI } from 'openai'
import type { Remark } from '../../core/events.js'
import type { JsonObject } from '../../core/json.js'
import { withExtra } from '../extra.js'
import { withClosedHistory } from '../history.js'
import { hostedTools } from '../hosted-tools.js'
import type { ModelConfig, ModelRequest } from '../model.js'
import { offeredTools } from '../offered.js'
import { chatCapabilities } from './capabilities.js'
import { marked } from './cache-marks.js'
import { toMessages } from './messages.js'
import { chatAnswer, chatSettings, chatToolChoice } from './settings.js'
import { strictRemarks, toChatTool } from './tools.js'

export type ChatBody = OpenAI.Chat.ChatCompletionCreateParamsStreaming

interface ChatRequest {
  readonly body: ChatBody
  /** What of the settings is not in it. */
  readonly remarks: readonly Remark[]
}

/** Fields that only we may fill in. */
const ours = ['model', 'messages', 'tools', 'functions', 'tool_choice', 'function_call', 'stream', 'n']

/**
 * A request to the Chat Completions API, with nothing in it that the server is not known to take.
 * @throws {HandrailError} `model_bad_request` when `extra` has a field
 * that is ours, or when a hosted tool is to be asked about.
 */
export function toChatRequest(given: ModelRequest, config: ModelConfig, can = chatCapabilities(config)): ChatRequest {
  const request = withClosedHistory(given)
  const { instructions, cacheKey } = request
  const { told } = offeredTools(request, { ...config, programs: false }, false)
  const tools = [...told.map((tool) => toChatTool(tool, can)), ...hostedTools(config)]
  const system: JsonObject[] = instructions.trim() === '' ? [] : [{ role: 'system', content: instructions }]
  const settings = chatSettings(config, can, tools.length > 0)
  const choice = chatToolChoice(request, told, can)
  const sent = [...system, ...toMessages(request, config, can)]
  const body = {
    model: config.model,
    messages: can.cacheMarks ? marked(sent, config.cache) : sent,
    stream: true,
    ...(can.streamOptions ? { stream_options: { include_usage: true } } : {}),
    ...(tools.length === 0 ? {} : { tools }),
    ...choice.fields,
    ...chatAnswer(request, can, tools.length > 0),
    ...(can.cacheKey && config.cache !== 'off' ? { prompt_cache_key: cacheKey.slice(-64) } : {}),
    ...settings.fields,
  }
  return {
    body: withExtra(body, config, ours) as unknown as ChatBody,
    remarks: [...settings.remarks, ...strictRemarks(told, can), ...choice.remarks],
  }
}

/** The body alone; throws as `toChatRequest` does. */
export const encodeChat = (request: ModelRequest, config: ModelConfig, can = chatCapabilities(config)): ChatBody =>
  toChatRequest(request, config, can).body
