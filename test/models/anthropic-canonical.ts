import type { AttachedFile } from '../../src/core/attached-file.js'
import type { Part } from '../../src/core/events.js'
import type { JsonObject } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import type { KeyedCall, Message, Origin } from '../../src/core/transcript.js'
import { createAnthropicDecoder } from '../../src/models/anthropic/decode.js'
import type { ReplyPart } from '../../src/models/model.js'
import { toStream } from './derived-stream.js'
import { eventsOf } from './recorded-json.js'

const tool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: `Does ${name}.`,
  input: { type: 'object', properties: { a: { type: 'number' } } },
  risk: 'read',
  ...more,
})

/** Of every kind. */
export const tools: readonly ToolDefinition[] = [
  tool('find', { strict: true }),
  tool('send', { risk: 'irreversible' }),
  tool('query', { input: { type: 'string' }, grammar: { syntax: 'regex', definition: '\\d+' } }),
  tool('find_tools', { returnsTools: true }),
  tool('nested', { callers: ['program'], output: { type: 'number' } }),
  tool('tree', { input: { type: 'object', properties: { child: { $ref: '#' } } } }),
  tool('rate', { deferred: true }),
  tool('stock', { deferred: true, risk: 'reversible' }),
]

const files: readonly AttachedFile[] = [
  { mediaType: 'image/png', data: 'AAAA' },
  { mediaType: 'image/webp', url: 'https://files.test/a.webp' },
  { mediaType: 'application/pdf', name: 'a.pdf', data: 'AAAA' },
  { mediaType: 'text/csv', data: btoa('a,b') },
  { mediaType: 'text/plain', data: '////' },
  { mediaType: 'audio/wav', data: 'AAAA' },
  { mediaType: 'text/csv', id: 'file_1', provider: 'anthropic' },
  { mediaType: 'image/png', id: 'file_2', provider: 'openai' },
  { mediaType: 'image/bmp', url: 'https://files.test/a.bmp' },
]

export interface AnyTranscript {
  readonly messages: readonly Message[]
  /** Where the model was asked: how many messages there were. */
  readonly asked: readonly number[]
  /** Blocks that the model itself sent, and that have to go back as they are. */
  readonly blocks: readonly JsonObject[]
}

interface Options {
  readonly self: Origin
  /** Others speak while a call of the provider is open, and replies are cut or refused. */
  readonly isTorn: boolean
}

/** A transcript as it grows when a model of the Messages API, and others, are asked again and again. */
export function anyTranscript(seed: number, { self, isTorn }: Options): AnyTranscript {
  let state = seed
  const below = (n: number) => {
    state = (state * 1664525 + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
  const one = <T>(...choices: readonly T[]): T => choices[below(choices.length)]!
  const some = <T>(choices: readonly T[], most: number) => Array.from({ length: below(most) }, () => one(...choices))
  const messages: Message[] = []
  const asked: number[] = []
  const blocks: JsonObject[] = []
  let ids = 0
  const id = (kind: string) => `${kind}_${seed}_${ids++}`
  /** Calls of the provider that have no result yet, and the block that ends each. */
  let open: { readonly id: string; readonly result: JsonObject }[] = []

  const user = () => {
    messages.push({ role: 'user', text: one('Hi', 'And?', ' '), ...(one(true, false) && { files: some(files, 3) }) })
    if (below(3) === 0) messages.push({ role: 'instructions', text: 'The page is "orders".' })
    if (below(4) === 0) messages.push({ role: 'note', text: 'Answer with JSON.' })
  }

  const program = (): JsonObject[] => {
    const code = id('srvtoolu')
    const result = { type: 'code_execution_tool_result', tool_use_id: code, content: { type: 'code_execution_result' } }
    open.push({ id: code, result })
    return [{ type: 'server_tool_use', id: code, name: 'code_execution', input: { code: 'x' } }, ...nested(code)]
  }
  const nested = (code: string): JsonObject[] =>
    Array.from({ length: 1 + below(2) }, () => ({
      type: 'tool_use',
      id: id('toolu'),
      name: one('find', 'nested'),
      input: {},
      caller: { type: 'code_execution_20260120', tool_id: code },
    }))
  const search = (isOver: boolean): JsonObject[] => {
    const call = id('srvtoolu')
    const result = { type: 'web_search_tool_result', tool_use_id: call, content: [] }
    if (!isOver) open.push({ id: call, result })
    return [
      { type: 'server_tool_use', id: call, name: 'web_search', input: { query: 'x' } },
      ...(isOver ? [result] : []),
    ]
  }
  const block = (): JsonObject[] => {
    switch (one('text', 'blank', 'thinking', 'redacted', 'search', 'unknown', 'call', 'call', 'set')) {
      case 'text':
        return [{ type: 'text', text: one('Well.', 'Look: ') }]
      case 'blank':
        return [{ type: 'text', text: '\n\n' }]
      case 'thinking':
        return [{ type: 'thinking', thinking: one('', 'Hm'), signature: id('sig') }]
      case 'redacted':
        return [{ type: 'redacted_thinking', data: id('data') }]
      case 'search':
        return search(true)
      case 'unknown':
        return [{ type: 'block_of_tomorrow', id: id('x') }]
      case 'set':
        return [{ type: 'tool_use', id: id('toolu'), name: 'left_click', toolset_name: 'browser', input: {} }]
      default:
        return [{ type: 'tool_use', id: id('toolu'), name: one('find', 'send', 'gone', 'find_tools'), input: { a: 1 } }]
    }
  }

  /** What the model itself says: it first goes on with what is open. */
  const own = (step: number) => {
    const before = open
    open = []
    const goesOn = before.flatMap((call) => {
      const isProgram = call.result.type === 'code_execution_tool_result'
      if (!isProgram || below(2) === 0) return [call.result]
      open.push(call)
      return nested(call.id)
    })
    const said = Array.from({ length: below(5) }, block).flat()
    const ending = open.length > 0 ? [] : one([], [], program(), one(true, false) ? search(false) : [])
    const stop_reason = isTorn ? one('end_turn', 'tool_use', 'max_tokens', 'refusal') : 'end_turn'
    const content = [...goesOn, ...said, ...ending]
    const decoder = createAnthropicDecoder()
    for (const event of eventsOf(toStream('anthropic', { content, stop_reason }))) decoder.push(event)
    const { parts } = decoder.reply()!
    const isRefused = stop_reason === 'refusal'
    // One that was cut off is not asked for, and so never has a result.
    open = open.filter(({ id: called }) => parts.some(({ native }) => JSON.stringify(native ?? '').includes(called)))
    if (!isRefused) blocks.push(...parts.flatMap(({ native }) => (native ? [native as JsonObject] : [])))
    return toMessage(step, parts, self, open.length > 0)
  }

  /** What another model said, or this one before it was cut. */
  const foreign = (step: number) => {
    const origin = one<Origin>({ provider: 'openai', model: 'gpt-6' }, { ...self, model: 'claude-of-before' })
    const parts = Array.from({ length: 1 + below(3) }, (): ReplyPart => {
      switch (one('text', 'reasoning', 'refusal', 'other', 'call', 'query')) {
        case 'text':
          return { type: 'text', text: one('Well.', ''), native: { type: 'message' } }
        case 'reasoning':
          return { type: 'reasoning', text: 'Hm', native: { type: 'thinking', thinking: 'Hm', signature: 'theirs' } }
        case 'refusal':
          return { type: 'refusal', text: 'No.' }
        case 'other':
          return { type: 'other', native: { type: 'server_tool_use', id: 'theirs', name: 'web_search', input: {} } }
        case 'query':
          return { type: 'call', toolName: 'query', inputText: '12', isText: true, wireId: one('', 'call_1', 'a:b') }
        default:
          return { type: 'call', toolName: one('find', 'a.b'), inputText: one('{"a":1}', '{"a'), wireId: 'same' }
      }
    })
    return toMessage(step, parts, origin)
  }

  const toMessage = (step: number, parts: readonly ReplyPart[], origin: Origin, isOpen = false): void => {
    const calls: KeyedCall[] = []
    const kept = parts.map((part): Part => {
      if (part.type !== 'call') return part
      const { toolName, inputText, wireId, native, caller = 'model', isText } = part
      const callId = `${step}.${calls.length}`
      const input = isText ? inputText : parsed(inputText)
      calls.push({ key: `1.${callId}`, callId, toolName, input, inputText, wireId, caller })
      return { type: 'call', callId, native }
    })
    const serverState = isOpen ? { serverState: { container: `container_${step}` } } : {}
    messages.push({ role: 'assistant', parts: kept, calls, origin, ...serverState })
    for (const call of calls) {
      const found = call.toolName === 'find_tools'
      messages.push({
        role: 'tool',
        trusted: true,
        call,
        outcome: one('ok', 'error', 'denied'),
        text: found ? one('{"tools":["rate","gone"]}', 'Found.') : one('done', '', '{"error":1}'),
        ...(below(3) === 0 && { files: some(files, 3) }),
        ...(found && { tools: ['rate', 'gone'] }),
      })
    }
    if (below(4) === 0) messages.push({ role: 'news', callId: '1.0', done: true, text: 'It took effect.' })
    const mayRest = calls.length > 0 || isOpen
    if (!mayRest || below(4) === 0) user()
  }

  user()
  for (let step = 1; step <= 8; step++) {
    asked.push(messages.length)
    if (open.length > 0 && !isTorn) own(step)
    else if (isTorn && below(5) === 0) {
      open = []
      messages.push({ role: 'assistant', parts: [{ type: 'text', text: 'So f' }], calls: [], origin: self })
      user()
    } else if (below(3) === 0) {
      open = []
      foreign(step)
    } else own(step)
  }
  return { messages, asked, blocks }
}

function parsed(text: string): JsonObject | undefined {
  try {
    return JSON.parse(text) as JsonObject
  } catch {
    return undefined
  }
}
