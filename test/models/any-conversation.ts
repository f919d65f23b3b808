import type { AttachedFile } from '../../src/core/attached-file.js'
import type { Part } from '../../src/core/events.js'
import type { Json, JsonObject } from '../../src/core/json.js'
import { scriptToolName } from '../../src/core/built-ins.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import type { KeyedCall, Message, Origin } from '../../src/core/transcript.js'

export type Family = 'openai' | 'chat' | 'anthropic' | 'gemini'

export const families: readonly Family[] = ['openai', 'chat', 'anthropic', 'gemini']

export const origins: Readonly<Record<Family, Origin>> = {
  openai: { provider: 'openai', model: 'gpt-6-astra' },
  chat: { provider: 'openai-compatible', model: 'gpt-5.4' },
  anthropic: { provider: 'anthropic', model: 'claude-opus-5-5' },
  gemini: { provider: 'gemini', model: 'gemini-3.8-flash' },
}

const input = { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false }
const tool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: `Does ${name}.`,
  input,
  risk: 'read',
  ...more,
})

/** Of every kind. */
export const tools: readonly ToolDefinition[] = [
  tool('find', { strict: true, input: { ...input, required: ['a'] } }),
  tool('crm__send', { risk: 'irreversible', namespace: 'The customers.' }),
  tool('query', { input: { type: 'string' }, grammar: { syntax: 'regex', definition: '[a-z ]+' } }),
  tool('write', { input: { type: 'string', description: 'A letter.' } }),
  tool('shape', { input: { anyOf: [{ type: 'object', properties: { b: { const: 1 } } }, { type: 'object' }] } }),
  tool('rate', { deferred: true }),
  tool('inner', { callers: ['script'] }),
  tool(scriptToolName),
]

const files: readonly AttachedFile[] = [
  { mediaType: 'image/png', data: 'AAAA' },
  { mediaType: 'image/webp', url: 'https://files.test/a.webp' },
  { mediaType: 'application/pdf', name: 'a.pdf', data: 'AAAA' },
  { mediaType: 'application/pdf', url: 'https://files.test/a.pdf' },
  { mediaType: 'audio/wav', data: 'AAAA' },
  { mediaType: 'video/mp4', url: 'https://files.test/a.mp4' },
  { mediaType: 'text/csv', data: btoa('a,b') },
  { mediaType: 'application/zip', name: 'a.zip', data: 'AAAA' },
  { mediaType: 'application/pdf', id: 'file-1', provider: 'openai' },
  { mediaType: 'image/png', id: 'file_1', provider: 'anthropic' },
]

export interface AnyConversation {
  readonly messages: readonly Message[]
  /** Where the model was asked: how many messages there were. */
  readonly asked: readonly number[]
  /** What has to be in every request, in its order, but that instructions may come later in their turn. */
  readonly said: readonly string[]
  /** Inputs and results of calls, which have to be in every request. */
  readonly called: readonly string[]
}

/**
 * A conversation with messages of every kind: files, notes, instructions, text tools, approvals of the provider, calls that were
 * cut off, results that are missing or come twice, ids that are blank, taken or odd, arguments that are none. What only its maker can read begins with "opaque".
 */
export function anyConversation(seed: number, by: readonly Family[]): AnyConversation {
  let state = seed
  const below = (n: number) => {
    state = (state * 1664525 + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
  const one = <T>(...choices: readonly T[]): T => choices[below(choices.length)]!
  const some = <T>(choices: readonly T[]) => Array.from({ length: below(3) }, () => one(...choices))
  const messages: Message[] = []
  const asked: number[] = []
  const said: string[] = []
  const called: string[] = []
  let count = 0
  /** A text that there is once. */
  const once = (what: string, list: string[] = said) => {
    const text = `${what} ${seed}-${count++}.`
    list.push(text)
    return text
  }

  const user = () => {
    const text = below(5) === 0 ? one('', ' \n') : once('user')
    messages.push({ role: 'user', text, ...(below(2) === 0 && { files: some(files) }) })
    if (below(3) === 0) messages.push({ role: 'instructions', text: once('instructions') })
    if (below(4) === 0) messages.push({ role: 'note', text: once('note') })
  }

  const call = (step: number, calls: KeyedCall[], family: Family): Part => {
    const callId = `${step}.${calls.length}`
    const own = `own_${step}_${calls.length}`
    // Claude's ids are always legal.
    const wireId = family === 'anthropic' ? one('same', own) : one(undefined, '', 'same', own, 'odd id:1', 'aB3dE6gH9')
    const isText = below(3) === 0
    const text = once('input', called)
    const json = JSON.stringify(isText ? { input: text } : { a: text })
    const isWhole = isText && (family === 'openai' || family === 'chat') && below(2) === 0
    const [input, inputText] = isText
      ? [text, isWhole ? text : json]
      : one<[Json | undefined, string]>([{ a: text }, json], [{ a: text }, json], [undefined, json.slice(0, -1)])
    const toolName = isText
      ? one('query', 'write')
      : one('find', 'crm__send', 'functions.find', 'x'.repeat(80), 'inner')
    calls.push({ key: `1.${callId}`, callId, toolName, input, inputText, wireId, caller: 'model' })
    const args = input === undefined ? { INVALID_JSON: inputText } : isText ? { input: text } : (input as JsonObject)
    return {
      type: 'call',
      callId,
      native: callNative(family, { id: wireId ?? '', toolName, inputText, isWhole, args }),
    }
  }

  const part = (step: number, calls: KeyedCall[], family: Family): Part[] => {
    const mark = `opaque-${seed}-${count++}`
    switch (one('text', 'text', 'blank', 'reasoning', 'refusal', 'other', 'cut', 'call', 'call', 'call')) {
      case 'text': {
        const text = once('model')
        return [{ type: 'text', text, native: textNative(family, text) }]
      }
      case 'blank':
        return [{ type: 'text', text: ' \n', native: textNative(family, ' \n') }]
      case 'reasoning':
        return [{ type: 'reasoning', text: 'Hm', native: reasoningNative(family, mark) }]
      case 'refusal':
        return [{ type: 'refusal', text: 'No.' }]
      case 'other':
        return otherNatives(family, mark).map((native) => ({ type: 'other', native }))
      case 'cut':
        return [{ type: 'call', callId: `${step}.99` }]
      default:
        return [call(step, calls, family)]
    }
  }

  const turn = (step: number, family: Family) => {
    const calls: KeyedCall[] = []
    const parts = Array.from({ length: below(6) }, () => part(step, calls, family)).flat()
    messages.push({ role: 'assistant', parts, calls, origin: origins[family] })
    const results = calls.map((asks): Message => {
      const text = below(6) === 0 ? '' : once('result', called)
      const outcome = one('ok', 'error', 'denied')
      return { role: 'tool', call: asks, trusted: true, outcome, text, ...(below(3) === 0 && { files: some(files) }) }
    })
    // Some histories were made elsewhere: a result may be missing, or come twice.
    const isMade = below(10) === 0 && results.length > 0
    messages.push(...results, ...(isMade && below(2) === 0 ? [results[0]!] : []))
    if (isMade) messages.push({ role: 'assistant', ...orphan(step), origin: origins[family] })
    if (below(4) === 0) messages.push({ role: 'news', callId: '1.0', done: true, text: once('news') })
    if (below(6) === 0) messages.push({ role: 'note', text: once('note') })
    if (messages.at(-1)!.role === 'assistant' || below(3) === 0) user()
  }

  user()
  for (let step = 1; step <= 7; step++) {
    asked.push(messages.length)
    if (below(6) > 0) {
      turn(step, one(...by))
      continue
    }
    const text = once('cut')
    messages.push({ role: 'assistant', parts: [{ type: 'text', text }], calls: [], origin: origins[one(...by)] })
    user()
  }
  asked.push(messages.length)
  return { messages, asked, said, called }
}

/** A call that has no result. */
const orphan = (step: number): Pick<Message & { role: 'assistant' }, 'parts' | 'calls'> => {
  const callId = `${step}.90`
  const call: KeyedCall = { key: `1.${callId}`, callId, toolName: 'find', input: {}, inputText: '{}', caller: 'model' }
  return { parts: [{ type: 'call', callId }], calls: [call] }
}

const textNative = (family: Family, text: string): JsonObject | undefined =>
  ({
    openai: {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      content: [{ type: 'output_text', text, annotations: [] }],
    },
    chat: undefined,
    anthropic: { type: 'text', text },
    gemini: { text },
  })[family]

const reasoningNative = (family: Family, mark: string): JsonObject =>
  ({
    openai: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: mark },
    chat: { reasoning_content: mark },
    anthropic: { type: 'thinking', thinking: 'Hm', signature: mark },
    gemini: { text: 'Hm', thought: true, thoughtSignature: mark },
  })[family]

/** What the provider itself did, whole. */
const otherNatives = (family: Family, mark: string): readonly JsonObject[] =>
  ({
    openai: [{ type: 'web_search_call', id: mark, status: 'completed', action: { type: 'search', query: 'x' } }],
    chat: [{ annotations: [{ type: 'url_citation', mark }] }],
    anthropic: [
      { type: 'server_tool_use', id: mark, name: 'web_search', input: { query: 'x' } },
      { type: 'web_search_tool_result', tool_use_id: mark, content: [] },
    ],
    gemini: [
      { executableCode: { id: mark, language: 'PYTHON', code: '1' } },
      { codeExecutionResult: { id: mark, outcome: 'OUTCOME_OK', output: '1' } },
    ],
  })[family]

interface Asked {
  readonly id: string
  readonly toolName: string
  readonly inputText: string
  readonly isWhole: boolean
  readonly args: JsonObject
}

const callNative = (family: Family, { id, toolName: name, inputText, isWhole, args }: Asked): JsonObject => {
  const called = name.replaceAll(/[^\w-]/g, '_').slice(0, 64)
  return {
    openai: isWhole
      ? { type: 'custom_tool_call', id: 'ctc_1', call_id: id, name: called, input: inputText }
      : { type: 'function_call', id: 'fc_1', call_id: id, name: called, arguments: inputText },
    chat: isWhole
      ? { id, type: 'custom', custom: { name, input: inputText } }
      : { id, type: 'function', function: { name, arguments: inputText } },
    anthropic: { type: 'tool_use', id, name: called, input: args },
    gemini: { functionCall: { ...(id ? { id } : {}), name: called, args }, thoughtSignature: `opaque-${name}` },
  }[family]
}
