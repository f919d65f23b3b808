import type { Part } from '../../src/core/events.js'
import type { Json } from '../../src/core/json.js'
import type { KeyedCall, Message, Origin } from '../../src/core/transcript.js'
import type { ModelRequest } from '../../src/models/model.js'

/** The tool of `request`. */
export const find = {
  name: 'find',
  description: 'Finds.',
  input: { type: 'object', properties: { a: { type: 'number' } } },
  risk: 'read',
} as const

export const request = (messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  instructions: 'Be brief.',
  tools: [find],
  messages,
  cacheKey: 'session-1',
  ...more,
})

export const user = (text: string): Message => ({ role: 'user', text })

export const asks = (origin: Origin, parts: Part[], ...calls: KeyedCall[]): Message => ({
  role: 'assistant',
  parts,
  calls,
  origin,
})

export const call = (index: number, more: Partial<KeyedCall> = {}): KeyedCall => ({
  key: `1.1.${index}`,
  callId: `1.${index}`,
  toolName: 'find',
  input: { a: index },
  inputText: `{"a": ${index}}`,
  wireId: `id_${index}`,
  caller: 'model',
  ...more,
})

export const partOf = ({ callId }: KeyedCall, native?: Json): Part => ({ type: 'call', callId, native })

export const answers = (to: KeyedCall, text = 'done', outcome: 'ok' | 'denied' = 'ok'): Message => ({
  role: 'tool',
  trusted: true,
  call: to,
  outcome,
  text,
})

export const news: Message = { role: 'news', callId: '1.0', done: true, text: 'It took effect.' }
