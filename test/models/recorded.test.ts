import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Part, ToolCall } from '../../src/core/events.js'
import type { Json, JsonObject } from '../../src/core/json.js'
import type { KeyedCall, Message } from '../../src/core/transcript.js'
import { encodeAnthropic } from '../../src/models/anthropic/encode.js'
import { createAnthropicModel } from '../../src/models/anthropic/model.js'
import type { ModelConfig, ModelDelta, ModelReply, ModelRequest } from '../../src/models/model.js'
import { encodeOpenAI } from '../../src/models/openai/encode.js'
import { createOpenAIModel } from '../../src/models/openai/model.js'
import { factsOfClient, returned, wires } from './recorded-client.js'
import { eventsOf, record, textOf, type Fact } from './recorded-json.js'
import {
  recordings,
  serveRecordings,
  type RecordedServer,
  type RecordedStep,
  type Recording,
} from './recorded-server.js'
import { finishes, wanted } from './recorded-end.js'
import { allRecordings, callsOf, hasRecordings, type Provider } from './recordings.js'

type Encode = (request: ModelRequest, config: ModelConfig) => object

const providers = {
  openai: {
    create: createOpenAIModel,
    encode: encodeOpenAI as Encode,
    ...wires.openai,
  },
  anthropic: {
    create: createAnthropicModel,
    encode: encodeAnthropic as Encode,
    ...wires.anthropic,
  },
}

/** 32 bits at a time, the same ones every time. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

interface Played {
  readonly replies: readonly { readonly reply: ModelReply; readonly deltas: readonly ModelDelta[] }[]
  readonly bodies: readonly JsonObject[]
  /** The whole conversation, as far as all its calls are answered. */
  readonly messages: readonly Message[]
}

/** Plays the client's side of a recording: sends what was recorded of it, and takes what the provider answers. */
async function play(server: RecordedServer, recording: Recording): Promise<Played> {
  const { provider, model: name, steps, tools, instructions } = recording
  const model = providers[provider].create({
    provider,
    model: name,
    baseURL: server.baseURL(recording),
    apiKey: 'key-of-a-test',
  })
  const messages: Message[] = []
  const replies: { reply: ModelReply; deltas: ModelDelta[] }[] = []
  for (const [i, step] of steps.entries()) {
    messages.push(...toMessages(recording, i, messages))
    const deltas: ModelDelta[] = []
    const request = { instructions, tools, messages: [...messages], cacheKey: 'session' }
    const reply = await model.generate(request, {
      signal: new AbortController().signal,
      onDelta: (delta) => deltas.push(delta),
    })
    replies.push({ reply, deltas })
    messages.push(toMessage(reply, i, { provider, model: name }))
    expect(step.status).toBe(200)
  }
  return { replies, bodies: server.requests(recording), messages: recording.ends ? messages : messages.slice(0, -1) }
}

function toMessages({ steps, userText }: Recording, i: number, before: readonly Message[]): Message[] {
  const added = steps[i]!.added.length > 0 ? steps[i]!.added : [{ user: userText }]
  const calls = before.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
  return added.map((fact): Message => {
    if ('user' in fact) return { role: 'user', text: fact.user }
    if (!('result' in fact)) throw new Error(`A client cannot add ${JSON.stringify(fact)}`)
    const call = calls.find(({ wireId }) => wireId === fact.result)!
    return { role: 'tool', call, trusted: true, outcome: fact.isError ? 'error' : 'ok', text: fact.text }
  })
}

function toMessage(reply: ModelReply, step: number, origin: { provider: string; model: string }): Message {
  const calls: KeyedCall[] = []
  const parts = reply.parts.map((part): Part => {
    if (part.type !== 'call') return part
    const callId = `${step}.${calls.length}`
    const call: ToolCall = {
      callId,
      toolName: part.toolName,
      inputText: part.inputText,
      wireId: part.wireId,
      caller: 'model',
    }
    const { executor, isText } = part
    const input = isText ? part.inputText : (JSON.parse(part.inputText) as Json)
    calls.push({ ...call, input, key: `1.${callId}`, ...(executor && { executor }) })
    return { type: 'call', callId, native: part.native }
  })
  return { role: 'assistant', parts, calls, origin }
}

/** The pieces of text for the user, as they were streamed. */
const shownIn = (body: string): string =>
  eventsOf(body)
    .map(({ type, delta, content_block }) => {
      if (type === 'response.output_text.delta') return textOf(delta)
      if (type === 'content_block_start') return textOf(record(content_block).text)
      return record(delta).type === 'text_delta' ? textOf(record(delta).text) : ''
    })
    .join('')

function expectReply({ answer, body }: RecordedStep, { reply, deltas }: Played['replies'][number]): void {
  const calls = reply.parts.filter((part) => part.type === 'call')
  const said = reply.parts.map((part) => (part.type === 'text' || part.type === 'refusal' ? part.text : ''))
  const isRefusal = finishes[answer.end] === 'refusal'
  const items = finishes[answer.end] === 'length' ? answer.items.slice(0, reply.parts.length) : answer.items
  expect({
    calls: calls.map(({ wireId, toolName, inputText, isText }) => ({
      call: wireId,
      name: toolName,
      input: isText ? inputText : (JSON.parse(inputText) as Json),
    })),
    usage: { input: reply.usage?.input, output: reply.usage?.output },
    finish: reply.finish,
    text: isRefusal ? said.join('').slice(0, answer.text.length) : said.join(''),
    natives: reply.parts.map(({ native }) => native),
    shown: deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join(''),
  }).toEqual({
    calls: wanted(answer),
    usage: answer.usage,
    finish: calls.length > 0 ? 'calls' : finishes[answer.end],
    text: answer.text,
    natives: isRefusal ? [undefined] : items,
    shown: shownIn(body),
  })
  const names = new Set(callsOf(answer).map(({ name }) => name))
  expect(deltas.filter((delta) => delta.type === 'call' && !names.has(delta.toolName))).toEqual([])
}

const title = (list: readonly Recording[]) =>
  list.map((recording) => [`${recording.derived ? 'DERIVED stream of ' : ''}${recording.name}`, recording] as const)

describe.skipIf(!hasRecordings).each<Provider>(['openai', 'anthropic'])('Recordings of %s', (provider) => {
  const withCalls = recordings(provider)
  const withoutCalls = allRecordings(provider).filter(({ name }) => withCalls.every((other) => other.name !== name))
  const all = [...withCalls, ...withoutCalls]
  const { facts, complaints, sent } = providers[provider]
  let server: RecordedServer
  const next = random(7)
  const played = new Map<Recording, Promise<Played>>()
  const once = (recording: Recording) => {
    if (!played.has(recording)) played.set(recording, play(server, recording))
    return played.get(recording)!
  }
  beforeAll(async () => {
    // The SDK warns of models that were recorded long ago.
    vi.spyOn(console, 'warn').mockReturnValue()
    server = await serveRecordings(all, { nextSize: () => 1 + Math.floor(next() ** 3 * 3000) })
  })
  afterAll(() => server.close())

  it('hold at least ten conversations with function calls, and true streams among them', () => {
    expect(withCalls.length).toBeGreaterThanOrEqual(10)
    expect(withCalls.filter(({ derived }) => !derived).length).toBeGreaterThanOrEqual(5)
  })

  it.each(title(withCalls))('give the recorded calls, text, usage and end: %s', async (_, recording) => {
    const { replies } = await once(recording)
    for (const [i, step] of recording.steps.entries()) expectReply(step, replies[i]!)
  })

  it.each(title(withoutCalls))('give the recorded text and keep every item: %s', async (_, recording) => {
    const { replies } = await once(recording)
    for (const [i, step] of recording.steps.entries()) expectReply(step, replies[i]!)
  })

  const answered = withCalls.filter(({ steps }) => steps.length > 1)
  it.each(title(answered))(
    'give the provider the same next requests as the recorded client: %s',
    async (_, recording) => {
      const { bodies } = await once(recording)
      expect(bodies.map((body) => facts(body))).toEqual(recording.steps.map((__, i) => factsOfClient(recording, i)))
      expect(bodies.flatMap((body) => complaints(body))).toEqual([])
    },
  )

  it.each(title(answered))('send own items back verbatim: %s', async (_, recording) => {
    const { bodies } = await once(recording)
    expect(sent(bodies.at(-1)!)).toEqual(expect.arrayContaining(returned(recording)))
  })

  const other = provider === 'openai' ? 'anthropic' : 'openai'
  it.each(title(answered))(
    `give ${other} a history that it takes, with all calls, results and text: %s`,
    async (_, recording) => {
      const { messages } = await once(recording)
      const { instructions, tools } = recording
      const request: ModelRequest = {
        instructions,
        tools,
        messages: [...messages, { role: 'user', text: 'And on?' }],
        cacheKey: 's',
      }
      const [own, sent] = [
        providers[provider].encode(request, recording),
        providers[other].encode(request, { provider: other, model: 'm-1' }),
      ].map((body) => JSON.parse(JSON.stringify(body)) as JsonObject)
      expect(providers[other].complaints(sent!)).toEqual([])
      expect(plain(providers[other].facts(sent!))).toEqual(plain(facts(own!)))
    },
  )
})

/** Only its maker can read reasoning, and not every provider is told that a result is an error. */
const plain = (facts: readonly Fact[]): Fact[] =>
  facts.flatMap((fact) =>
    'reasoning' in fact ? [] : 'result' in fact ? [{ result: fact.result, text: fact.text }] : [fact],
  )
