import { scriptToolName } from '../core/built-ins.js'
import type { AssistantMessage, EventBody, Part, ToolCall } from '../core/events.js'
import { deepestInput, hasInfinity, isDeeperThan, isJsonObject, type Json } from '../core/json.js'
import { isTextTool, type ToolChoice } from '../core/tool-definition.js'
import type { RunState } from '../core/state.js'
import { estimateTokens, type Usage } from '../core/usage.js'
import { HandrailError, toFailure } from '../errors.js'
import type { ModelDelta, ModelReply, ModelRequest, ReplyPart } from '../models/model.js'
import { checkDelta, checkReply } from './check-reply.js'
import type { EffectOf } from '../core/next.js'
import type { RunPorts } from './ports.js'

/** One model request. A cut stream keeps the text that was shown, and none of its calls. */
export async function callModel(
  ports: RunPorts,
  { step }: EffectOf<'call-model'>,
  signal: AbortSignal,
): Promise<EventBody> {
  const { context, memory, log, onDelta } = ports
  const { header } = log.state
  const toolChoice = toolChoiceOf(log.state)
  const request: ModelRequest = {
    instructions: context.instructions,
    tools: context.tools,
    messages: memory.messages,
    cacheKey: log.head.session,
    ...(toolChoice && { toolChoice }),
    ...(header?.answer && { answer: header.answer }),
  }
  const shown = new Map<number, TextPart>()
  let isOver = false
  const note = (given: ModelDelta) => {
    const delta = isOver || signal.aborted ? undefined : checkDelta(given)
    if (!delta) return
    collect(shown, delta)
    onDelta(delta)
  }
  try {
    const generated = ports.model().then((model) => model.generate(request, { signal, onDelta: note }))
    const reply = checkReply(await Promise.race([generated, aborted(signal)]))
    return { type: 'assistant-message', ...toMessage(step, reply, request) }
  } catch (error) {
    const failure = signal.aborted ? stopped : toFailure(error, 'model_failed')
    const parts = [...shown].toSorted(([a], [b]) => a - b).map(([, part]) => part)
    const usage = estimate(request, parts)
    return { type: 'assistant-message', step, complete: false, parts, calls: [], usage, failure }
  } finally {
    isOver = true
  }
}

type TextPart = Part & { readonly type: 'text' | 'reasoning' }

const stopped = { code: 'model_aborted', message: 'The request was stopped.', retryable: true }

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const stop = () => reject(new HandrailError('model_aborted', 'The request was stopped'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })

function collect(shown: Map<number, TextPart>, { type, index, text }: ModelDelta): void {
  if (type !== 'call') shown.set(index, { type, text: (shown.get(index)?.text ?? '') + text })
}

function toMessage(step: number, reply: ModelReply, request: ModelRequest): AssistantMessage {
  const calls: ToolCall[] = []
  const textTools = new Set(request.tools.filter(isTextTool).map(({ name }) => name))
  const parts = reply.parts.map((part): Part => {
    if (part.type !== 'call') return part
    const { toolName, inputText, wireId, native, caller = 'model', executor } = part
    const callId = `${step}.${calls.length}`
    calls.push({
      callId,
      toolName,
      inputText,
      input: inputOf(part, textTools),
      wireId: wireId || undefined,
      caller,
      ...(executor && { executor }),
    })
    return { type: 'call', callId, native }
  })
  const { finish, usage = estimate(request, parts), serverState, remarks } = reply
  return {
    step,
    complete: true,
    parts,
    calls,
    finish,
    usage,
    ...(serverState !== undefined && { serverState }),
    ...(remarks?.length && { remarks }),
  }
}

/** A provider without text tools was told that the text is a field of an object. */
function inputOf(part: ReplyPart & { type: 'call' }, textTools: ReadonlySet<string>): Json | undefined {
  if (part.isText) return part.inputText
  const input = parseArguments(part.inputText)
  const isWrapped = textTools.has(part.toolName) && isJsonObject(input) && typeof input.input === 'string'
  return isWrapped ? input.input : input
}

/** A demand for a call holds until there is one. */
function toolChoiceOf({ header, owesCall }: RunState): ToolChoice | undefined {
  const { toolChoice, allow, engine } = header ?? {}
  const mode = toolChoice?.mode === 'required' && !owesCall ? 'auto' : (toolChoice?.mode ?? 'auto')
  if (toolChoice?.mode === mode && (mode === 'none' || toolChoice.tools)) return toolChoice
  const tools = allow && [...new Set([...allow, ...(engine === undefined ? [] : [scriptToolName])])]
  return tools ? { mode, tools } : mode === 'auto' ? undefined : { mode }
}

/** A call without arguments may have no argument text at all. What a log cannot hold stays text, which the gate refuses. */
function parseArguments(text: string): Json | undefined {
  if (text.trim() === '') return {}
  try {
    const input = JSON.parse(text) as Json
    return isDeeperThan(input, deepestInput) || hasInfinity(input) ? undefined : input
  } catch {
    return undefined
  }
}

function estimate(request: ModelRequest, parts: readonly Part[]): Usage {
  const input = estimateTokens(request.instructions.length + JSON.stringify([request.tools, request.messages]).length)
  return { input, output: estimateTokens(JSON.stringify(parts).length), estimated: true }
}
