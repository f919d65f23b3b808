import { expect, it } from 'vitest'
import type { Part } from '../../src/core/events.js'
import type { JsonObject } from '../../src/core/json.js'
import type { KeyedCall, Message, Origin } from '../../src/core/transcript.js'
import { encodeAnthropic } from '../../src/models/anthropic/encode.js'
import { createGeminiDecoder } from '../../src/models/gemini/decode.js'
import { encodeGemini } from '../../src/models/gemini/encode.js'
import type { ModelRequest } from '../../src/models/model.js'
import { encodeOpenAI } from '../../src/models/openai/encode.js'
import { geminiComplaints } from './gemini-rules.js'
import { anthropicComplaints } from './anthropic-rules.js'
import { openAIComplaints } from './openai-rules.js'
import { listOf, record, textOf } from './recorded-json.js'

const gemini = { provider: 'gemini', model: 'gemini-3.8-flash' }
const older = { provider: 'gemini', model: 'gemini-2.5-flash' }
const gpt = { provider: 'openai', model: 'gpt-6-astra' }
const claude = { provider: 'anthropic', model: 'claude-opus-5-5' }

type One = <T>(...choices: T[]) => T

/** Transcripts of all kinds: models change, ids are blank, missing or taken, arguments do not parse, replies are cut or refused. */
function anyHistory(seed: number, origins: readonly Origin[] = [gemini, gemini, older, gpt, claude]): Message[] {
  let state = seed
  const below = (n: number) => {
    state = (state * 1664525 + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * n)
  }
  const one: One = (...choices) => choices[below(choices.length)]!
  const messages: Message[] = [{ role: 'user', text: 'Hi' }]
  for (let step = 1; step <= 8; step++) {
    const origin = one(...origins)
    const calls: KeyedCall[] = []
    const isCut = below(6) === 0
    const parts = Array.from({ length: below(6) }, () => anyPart(origin, one, step, calls))
    if (isCut) messages.push({ role: 'assistant', parts: parts.map(withoutNative), calls: [], origin })
    else {
      const results = calls.map((call): Message => {
        const text = one('done', '', '{"error":1}')
        return { role: 'tool', call, trusted: true, outcome: one('ok', 'error', 'denied'), text }
      })
      messages.push({ role: 'assistant', parts, calls, origin }, ...(below(2) ? results : results.toReversed()))
    }
    if (below(4) === 0) messages.push({ role: 'news', callId: '1.0', done: true, text: 'It took effect.' })
    if (isCut || (calls.length === 0 && below(4) > 0) || below(3) === 0)
      messages.push({ role: 'user', text: one('And?', ' ') })
  }
  return [...messages, { role: 'user', text: 'And on?' }]
}

const withoutNative = (part: Part): Part =>
  part.type === 'other' ? { type: 'text', text: '' } : { ...part, native: undefined }

let signatures = 0
const signature = (one: One): JsonObject => one<JsonObject>({ thoughtSignature: `sig${signatures++}` }, {})

function anyPart({ provider }: Origin, one: One, step: number, calls: KeyedCall[]): Part {
  const native = (made: JsonObject): JsonObject =>
    provider === 'gemini' ? made : { type: 'message', id: 'm', role: 'assistant', content: [] }
  switch (one('text', 'reasoning', 'refusal', 'other', 'call', 'call')) {
    case 'text': {
      const [text, beside] = one<[string, JsonObject]>(
        ['Well.', signature(one)],
        [' \n', {}],
        ['', { thoughtSignature: 'end' }],
      )
      const own = provider === 'anthropic' ? { type: 'text', text } : native({ text, ...beside })
      return { type: 'text', text, native: own }
    }
    case 'reasoning': {
      const own = provider === 'anthropic' ? { type: 'thinking', thinking: 'Hm', signature: 's' } : undefined
      return { type: 'reasoning', text: 'Hm', native: own ?? native({ text: 'Hm', thought: true }) }
    }
    case 'refusal':
      return { type: 'refusal', text: 'No.' }
    case 'other':
      return { type: 'other', native: native({ executableCode: { code: '1' }, ...signature(one) }) }
    default: {
      const callId = `${step}.${calls.length}`
      const wireId = one(undefined, '', 'same', `own_${step}_${calls.length}`, 'odd id:1')
      const [input, inputText] = one<[JsonObject | undefined, string]>(
        [{ a: 1 }, '{"a":1}'],
        [{}, ''],
        [undefined, '{"a'],
      )
      const toolName = one('find', 'functions.find', '2fa')
      calls.push({ key: `1.${callId}`, callId, toolName, input, inputText, wireId, caller: 'model' })
      const args = input ?? { INVALID_JSON: inputText }
      const functionCall = { name: 'find', args, ...(wireId ? { id: wireId } : {}) }
      const owns: Record<string, JsonObject> = {
        gemini: { functionCall, ...signature(one) },
        openai: { type: 'function_call', id: 'fc', call_id: wireId ?? '', name: 'find', arguments: inputText },
        anthropic: { type: 'tool_use', id: wireId ?? '', name: 'find', input: args },
      }
      return { type: 'call', callId, native: owns[provider] }
    }
  }
}

const requestOf = (messages: readonly Message[]): ModelRequest => ({
  instructions: 'Be brief.',
  tools: [],
  messages,
  cacheKey: 's',
})
const seeds = Array.from({ length: 400 }, (_, i) => i + 1)
const plain = (body: object) => JSON.parse(JSON.stringify(body)) as JsonObject
const contentsOf = (messages: readonly Message[], model = gemini) =>
  listOf(plain(encodeGemini(requestOf(messages), model)).contents)

it('Gemini takes any history, whoever wrote it', () => {
  for (const seed of seeds)
    for (const model of [gemini, older]) {
      const complaints = geminiComplaints({ contents: contentsOf(anyHistory(seed), model) }, model.model)
      expect({ seed, complaints }).toEqual({ seed, complaints: [] })
    }
})

it('OpenAI and Anthropic take what Gemini wrote, with all its calls and results', () => {
  for (const seed of seeds) {
    const messages = anyHistory(seed, [gemini])
    const openAI = plain(encodeOpenAI(requestOf(messages), gpt))
    const anthropic = plain(encodeAnthropic(requestOf(messages), claude))
    expect({ seed, openAI: openAIComplaints(openAI) }).toEqual({ seed, openAI: [] })
    expect({ seed, anthropic: anthropicComplaints(anthropic) }).toEqual({ seed, anthropic: [] })
    const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
    const items = listOf(openAI.input)
    expect(items.filter(({ type }) => type === 'function_call')).toHaveLength(calls.length)
    expect(items.filter(({ type }) => type === 'function_call_output')).toHaveLength(calls.length)
    expect(JSON.stringify([openAI, anthropic])).not.toMatch(/sig\d|thoughtSignature/)
  }
})

it('Gemini gets the calls and results of others, and only its own signatures, each on its own part', () => {
  for (const seed of seeds) {
    const messages = anyHistory(seed)
    const parts = contentsOf(messages).flatMap((content) => listOf(content.parts))
    const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
    expect(parts.filter(({ functionCall }) => functionCall)).toHaveLength(calls.length)
    expect(parts.filter(({ functionResponse }) => functionResponse)).toHaveLength(calls.length)
    const own = messages.flatMap((message) =>
      message.role === 'assistant' && message.origin.model === gemini.model ? message.parts : [],
    )
    const natives = own.map(({ native }) => JSON.stringify(native))
    const signed = parts.filter(({ thoughtSignature }) => textOf(thoughtSignature).startsWith('sig'))
    const returned = natives.filter((native) => /"sig\d/.test(native ?? ''))
    expect(signed.map((part) => JSON.stringify(part))).toEqual(returned)
  }
})

it('A longer history begins with exactly what was sent before it', () => {
  for (const seed of seeds) {
    const messages = anyHistory(seed)
    const whole = contentsOf(messages)
    for (const [i, message] of messages.entries()) {
      const isWhole = message.role === 'user' || (message.role === 'tool' && messages[i + 1]?.role !== 'tool')
      if (!isWhole) continue
      const before = contentsOf(messages.slice(0, i + 1))
      expect(JSON.stringify(whole.slice(0, before.length))).toBe(JSON.stringify(before))
    }
  }
})

it('What is decoded of a reply is what is sent of it: text, calls and signatures', () => {
  for (const seed of seeds) {
    const sent = contentsOf(anyHistory(seed, [gemini])).filter(({ role }) => role === 'model')
    for (const { parts } of sent) {
      const decoder = createGeminiDecoder()
      for (const part of listOf(parts)) decoder.push({ candidates: [{ content: { parts: [part] } }] })
      decoder.push({ candidates: [{ finishReason: 'STOP' }] })
      decoder.end!()
      const reply = decoder.reply()!
      const calls = reply.parts.filter((part) => part.type === 'call')
      const wanted = listOf(parts).flatMap(({ functionCall }) => (functionCall ? [record(functionCall)] : []))
      expect(calls.map(({ toolName, inputText }) => [toolName, JSON.parse(inputText)])).toEqual(
        wanted.map(({ name, args = {} }) => [name, args]),
      )
      const natives = reply.parts.map(({ native }) => native as JsonObject)
      expect(natives.map(({ text }) => textOf(text)).join('')).toBe(
        listOf(parts)
          .map(({ text }) => textOf(text))
          .join(''),
      )
      const signed = (list: readonly JsonObject[]) => list.filter(({ thoughtSignature }) => thoughtSignature)
      expect(signed(natives)).toEqual(signed(listOf(parts)))
    }
  }
})
