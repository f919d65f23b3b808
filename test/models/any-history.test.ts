import { expect, it } from 'vitest'
import type { Part } from '../../src/core/events.js'
import type { JsonObject } from '../../src/core/json.js'
import type { KeyedCall, Message, Origin } from '../../src/core/transcript.js'
import type { ModelRequest } from '../../src/models/model.js'
import { encodeOpenAI } from '../../src/models/openai/encode.js'
import { openAIComplaints } from './openai-rules.js'

const gpt = { provider: 'openai', model: 'gpt-6-astra' }
const claude = { provider: 'anthropic', model: 'claude-opus-5-5' }
const origins: Origin[] = [
  gpt,
  claude,
  { provider: 'openai', model: 'gpt-5.4' },
  { provider: 'scripted', model: 'scripted' },
]

/** Transcripts of all kinds: models change, ids are blank, taken or odd, arguments do not parse, replies are cut or refused. */
function anyHistory(seed: number): Message[] {
  let state = seed
  const below = (n: number) => {
    state = (state * 1664525 + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
  const one = <T>(...choices: T[]): T => choices[below(choices.length)]!
  const messages: Message[] = [{ role: 'user', text: 'Hi' }]
  for (let step = 1; step <= 8; step++) {
    const origin = one(...origins)
    const calls: KeyedCall[] = []
    const isCut = below(6) === 0
    const parts = Array.from({ length: below(5) }, (): Part => anyPart(origin, one, step, calls))
    if (isCut) messages.push({ role: 'assistant', parts: parts.map(withoutNative), calls: [], origin })
    else {
      messages.push({ role: 'assistant', parts, calls, origin })
      for (const call of calls)
        messages.push({
          role: 'tool',
          trusted: true,
          call,
          outcome: one('ok', 'error', 'denied'),
          text: one('done', '', '{"error":1}'),
        })
    }
    if (below(4) === 0) messages.push({ role: 'news', callId: '1.0', done: true, text: 'It took effect.' })
    if (calls.length === 0 || isCut || below(3) === 0) messages.push({ role: 'user', text: one('And?', ' ') })
  }
  return messages
}

const withoutNative = (part: Part): Part =>
  part.type === 'other' ? { type: 'text', text: '' } : { ...part, native: undefined }

function anyPart({ provider }: Origin, one: <T>(...choices: T[]) => T, step: number, calls: KeyedCall[]): Part {
  const isOpenAI = provider === 'openai'
  const nativeOf = (openai: JsonObject, anthropic: JsonObject) =>
    provider === 'scripted' ? undefined : isOpenAI ? openai : anthropic
  switch (one('text', 'reasoning', 'refusal', 'other', 'call', 'call')) {
    case 'text': {
      const text = one('Well.', '', ' \n')
      return {
        type: 'text',
        text,
        native: nativeOf(
          { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text }] },
          { type: 'text', text },
        ),
      }
    }
    case 'reasoning': {
      const encrypted_content = one('x', null)
      const thinking = one<JsonObject>(
        { type: 'thinking', thinking: '', signature: 's' },
        { type: 'redacted_thinking', data: 'd' },
      )
      return {
        type: 'reasoning',
        text: 'Hm',
        native: nativeOf({ type: 'reasoning', id: 'rs', summary: [], encrypted_content }, thinking),
      }
    }
    case 'refusal':
      return { type: 'refusal', text: 'No.' }
    case 'other':
      return {
        type: 'other',
        native: isOpenAI
          ? { type: 'web_search_call', id: 'w' }
          : { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
      }
    default: {
      const callId = `${step}.${calls.length}`
      const wireId = one(undefined, '', 'same', `own_${step}_${calls.length}`, isOpenAI ? 'odd id:1' : 'toolu_1')
      const [input, inputText] = one<[{ a: number } | undefined, string]>([{ a: 1 }, '{"a":1}'], [undefined, '{"a'])
      const name = one('find', 'functions.find')
      calls.push({ key: `1.${callId}`, callId, toolName: name, input, inputText, wireId, caller: 'model' })
      const item = { type: 'function_call', id: 'fc', call_id: wireId ?? '', name, arguments: inputText }
      return {
        type: 'call',
        callId,
        native: nativeOf(item, { type: 'tool_use', id: wireId ?? '', name: 'find', input: input ?? {} }),
      }
    }
  }
}

const requestOf = (messages: Message[]): ModelRequest => ({
  instructions: 'Be brief.',
  tools: [],
  messages,
  cacheKey: 's',
})
const plain = (body: unknown) => JSON.parse(JSON.stringify(body)) as JsonObject
const seeds = Array.from({ length: 200 }, (_, i) => i + 1)

it('The Responses API takes any history, whoever wrote it', () => {
  for (const seed of seeds) {
    const request = requestOf(anyHistory(seed))
    const openAI = openAIComplaints(plain(encodeOpenAI(request, gpt)))
    expect({ seed, openAI }).toEqual({ seed, openAI: [] })
  }
})

it('A longer history begins with exactly what was sent before it', () => {
  for (const seed of seeds.slice(0, 40)) {
    const messages = anyHistory(seed)
    const ends = messages.flatMap((message, i) => (message.role === 'user' && i > 0 ? [i + 1] : []))
    for (const end of ends) {
      const [before, after] = [messages.slice(0, end), messages].map(
        (some) => plain(encodeOpenAI(requestOf(some), gpt)).input as JsonObject[],
      )
      expect(after!.slice(0, before!.length)).toEqual(before)
    }
  }
})
