import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Part } from '../../src/core/events.js'
import type { Json, JsonObject } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import type { KeyedCall, Message, Origin } from '../../src/core/transcript.js'
import { toFailure, type HandrailError } from '../../src/errors.js'
import { encodeAnthropic } from '../../src/models/anthropic/encode.js'
import { createGeminiDecoder } from '../../src/models/gemini/decode.js'
import { encodeGemini } from '../../src/models/gemini/encode.js'
import { loadGeminiModel } from '../../src/models/gemini/model.js'
import type { Model, ModelDelta, ModelReply, ModelRequest } from '../../src/models/model.js'
import { encodeOpenAI } from '../../src/models/openai/encode.js'
import type { ReportedError } from '../../src/models/model-error.js'
import { importContents, said } from './gemini-canonical.js'
import { geminiComplaints } from './gemini-rules.js'
import {
  bareAnswers,
  exchanges,
  factsOf,
  hasGeminiRecordings,
  partsIn,
  type GeminiAnswer,
  type GeminiExchange,
} from './gemini-recordings.js'
import { anthropicComplaints } from './anthropic-rules.js'
import { openAIComplaints } from './openai-rules.js'
import { listOf, record, textOf } from './recorded-json.js'

/** 32 bits at a time, the same ones every time. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const sse = (events: readonly JsonObject[]) => events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join('')
const request: ModelRequest = { instructions: '', tools: [], messages: [{ role: 'user', text: 'Hi' }], cacheKey: 's' }

/** A body that comes in pieces, through the SDK. */
function streamOf(bytes: Uint8Array, nextSize: () => number): typeof fetch {
  return (async () => {
    let at = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) return controller.close()
        const size = nextSize()
        controller.enqueue(bytes.slice(at, at + size))
        at += size
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }) as typeof fetch
}

async function generate(config: { fetch?: typeof fetch; baseURL?: string }): Promise<ModelReply & { shown: string }> {
  const model = await loadGeminiModel({ provider: 'gemini', model: 'm-1', apiKey: 'key-of-a-test', ...config })
  return ask(model)
}

async function ask(model: Model): Promise<ModelReply & { shown: string }> {
  const deltas: ModelDelta[] = []
  const onDelta = (delta: ModelDelta) => void deltas.push(delta)
  const reply = await model.generate(request, { signal: new AbortController().signal, onDelta })
  return { ...reply, shown: deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('') }
}

function decodeWhole(events: readonly JsonObject[]): ModelReply | undefined {
  const decoder = createGeminiDecoder()
  for (const event of events) decoder.push(event)
  decoder.end!()
  return decoder.reply()
}

/** The SDK leaves the provider's explanation out. */
const told = (events: readonly JsonObject[]) =>
  JSON.parse(JSON.stringify(events), (key, value: Json) =>
    key === 'finishMessage' ? undefined : value,
  ) as JsonObject[]

const nativesOf = ({ parts }: ModelReply) =>
  parts.flatMap(({ native }) => (native === undefined ? [] : [native as JsonObject]))

/** A plain text may come in any pieces: the parts that a stream in pieces comes to, as those of the whole. */
function inPieces({ events }: GeminiAnswer): JsonObject[] {
  return events.flatMap((event) => {
    const candidate = listOf(event.candidates)[0]
    if (!candidate) return [event]
    const parts = listOf(record(candidate.content).parts).flatMap((part): JsonObject[] => {
      const { text, thoughtSignature, thought } = part
      if (typeof text !== 'string' || text === '' || thoughtSignature) return [part]
      return (text.match(/[^]{1,11}/gu) ?? []).map((piece) => ({ ...(thought ? { thought } : {}), text: piece }))
    })
    const { content: _, finishReason: __, ...rest } = candidate
    const pieces = parts.map((part) => ({ candidates: [{ content: { role: 'model', parts: [part] } }] }))
    return [
      ...pieces,
      {
        ...event,
        candidates: [{ ...rest, ...(candidate.finishReason ? { finishReason: candidate.finishReason } : {}) }],
      },
    ]
  })
}

const all = hasGeminiRecordings ? exchanges() : []
const pairs = all.flat()
const isAnswer = ({ events }: GeminiAnswer) =>
  events.some(({ candidates, promptFeedback }) => candidates ?? promptFeedback)
const recorded = hasGeminiRecordings ? [...bareAnswers(), ...pairs] : []
const answers = recorded.filter(isAnswer)

const origin: Origin = { provider: 'gemini', model: 'gemini-x' }

const toolsOf = ({ tools = [] }: JsonObject): ToolDefinition[] =>
  listOf(tools).flatMap(({ functionDeclarations }) =>
    listOf(functionDeclarations).flatMap(({ name, description, parametersJsonSchema: input }) =>
      input
        ? [{ name: textOf(name), description: textOf(description), input: record(input), risk: 'read' as const }]
        : [],
    ),
  )

const plain = (body: object) => JSON.parse(JSON.stringify(body)) as JsonObject

describe.skipIf(!hasGeminiRecordings)('Recordings of Gemini', () => {
  let url = ''
  let server: ReturnType<typeof createServer>
  const next = random(11)
  beforeAll(async () => {
    server = createServer((incoming, response) => {
      const { events } = answers[Number(incoming.url!.split('/')[1])]!
      const bytes = Buffer.from(sse(events))
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      void (async () => {
        for (let at = 0; at < bytes.length;) {
          const size = 1 + Math.floor(next() ** 3 * 3000)
          response.write(bytes.subarray(at, at + size))
          at += size
          await new Promise((ready) => setImmediate(ready))
        }
        response.end()
      })()
    })
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => void server.close())

  it('are enough', () => {
    expect(answers.length).toBeGreaterThanOrEqual(150)
    expect(pairs.length).toBeGreaterThanOrEqual(140)
    expect(answers.filter(({ derived }) => !derived).length).toBeGreaterThanOrEqual(16)
  })

  it('hold no other answers than errors, which have their status', () => {
    const failed = recorded.filter((answer) => !isAnswer(answer))
    const statuses = failed.map(({ events }) => {
      try {
        return decodeWhole(events)
      } catch (error) {
        return (error as ReportedError).facts.status
      }
    })
    expect(statuses).toEqual([429, 404])
  })

  const titles = answers.map((answer, i) => [answer.name, answer, i] as const)
  it.each(titles)('decode to all that is in them, over HTTP in pieces: %s', async (_, answer, i) => {
    const { shown, ...reply } = await generate({ baseURL: `${url}/${i}` })
    const wanted = factsOf(partsIn(answer.events))
    const blocked = reply.finish === 'content-filter'
    expect(factsOf(nativesOf(reply))).toEqual(wanted)
    expect(shown).toBe(wanted.text)
    expect(reply.parts.filter(({ type }) => type === 'call')).toHaveLength(wanted.calls.length)
    expect(reply.parts.filter(({ type }) => type === 'refusal')).toHaveLength(blocked ? 1 : 0)
    const usage = record(answer.events.findLast((event) => record(event.usageMetadata).promptTokenCount)?.usageMetadata)
    expect(reply.usage && reply.usage.input + reply.usage.output).toBe(usage.totalTokenCount)
    expect(reply.usage?.reasoning).toBe(usage.thoughtsTokenCount)
    const end = textOf(listOf(answer.events.at(-1)!.candidates)[0]?.finishReason)
    const finishes: Record<string, string> = { STOP: 'stop', MAX_TOKENS: 'length', UNEXPECTED_TOOL_CALL: 'calls' }
    expect(reply.finish).toBe(wanted.calls.length > 0 ? 'calls' : (finishes[end] ?? 'content-filter'))
  })

  it.each(titles)('decode to the same byte by byte, and in one event or many: %s', async (_, answer) => {
    const whole = decodeWhole(told(answer.events))!
    const { shown: __, ...reply } = await generate({ fetch: streamOf(Buffer.from(sse(answer.events)), () => 1) })
    expect(reply).toEqual(whole)
    expect(decodeWhole(told(inPieces(answer)))).toEqual(whole)
  })

  it.each(titles)('are known to be cut wherever they are: %s', async (_, answer) => {
    const body = Buffer.from(sse(answer.events))
    const places = random(answer.name.length)
    const end = body.length - 4
    let at = 0
    const fetchCut: typeof fetch = (...given) => streamOf(body.subarray(0, at), () => 4096)(...given)
    const model = await loadGeminiModel({ provider: 'gemini', model: 'm-1', fetch: fetchCut })
    for (let i = 0; i < 20; i++) {
      at = Math.floor(places() * end)
      const asked = ask(model)
      const error = await asked.then(
        () => undefined,
        (thrown: HandrailError) => toFailure(thrown),
      )
      expect({ at, error }).toMatchObject({ at, error: { code: 'model_stream_cut', retryable: true } })
    }
  })

  const accepted = pairs.filter(({ status, request: { contents } }) => status === 200 && Array.isArray(contents))
  const known = accepted.filter(
    ({ request: { contents } }) => importContents(listOf(contents), origin).unsupported.length === 0,
  )
  const histories = known.map((pair) => [pair.name, pair] as const)

  it('hold at least 120 accepted histories of what we support', () => {
    expect(known.length).toBeGreaterThanOrEqual(120)
  })

  it.each(histories)('imported and encoded again say the same, and are legal: %s', (_, { model, request: sent }) => {
    const contents = listOf(sent.contents)
    const self = { provider: 'gemini', model }
    const { messages } = importContents(contents, self)
    const body = plain(encodeGemini({ ...request, tools: toolsOf(sent), messages }, self))
    expect(said(listOf(body.contents))).toEqual(said(contents))
    expect(geminiComplaints(body, model)).toEqual([])
  })

  const calling = histories.filter(
    ([, { request: sent }]) => factsOf(listOf(sent.contents).flatMap(({ parts }) => listOf(parts))).calls.length > 0,
  )
  it.each(calling)('are taken by every other provider and model: %s', (_, { model, request: sent }) => {
    const { messages } = importContents(listOf(sent.contents), { provider: 'gemini', model })
    const asked = { ...request, messages }
    const openAI = plain(encodeOpenAI(asked, { provider: 'openai', model: 'gpt-6-astra' }))
    const anthropic = plain(encodeAnthropic(asked, { provider: 'anthropic', model: 'claude-opus-5-5' }))
    const other = { provider: 'gemini', model: 'gemini-4-argon' }
    const gemini = plain(encodeGemini(asked, other))
    const found = [
      ...openAIComplaints(openAI),
      ...anthropicComplaints(anthropic),
      ...geminiComplaints(gemini, other.model),
    ]
    expect(found).toEqual([])
    expect(JSON.stringify([openAI, anthropic])).not.toContain('hought')
    const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
    const sentCalls = listOf(gemini.contents)
      .flatMap(({ parts }) => listOf(parts))
      .filter(({ functionCall }) => functionCall)
    expect(sentCalls.map(({ functionCall }) => record(functionCall).args)).toEqual(calls.map(({ input }) => input))
  })

  const steps = all.flatMap((file) => file.flatMap((pair, i) => toStep(file[i - 1], pair)))
  it('hold at least 40 answers that their client sent back', () => {
    expect(steps.length).toBeGreaterThanOrEqual(40)
  })

  it.each(steps)('go back as the recorded client sent them: %s', (_, before, after) => {
    const self = { provider: 'gemini', model: after.model }
    const reply = decodeWhole(before.events)!
    const calls: KeyedCall[] = []
    const parts = reply.parts.map((part): Part => {
      if (part.type !== 'call') return part
      const { toolName, inputText, wireId, native } = part
      const callId = `9.${calls.length}`
      calls.push({
        key: callId,
        callId,
        toolName,
        inputText,
        wireId,
        input: JSON.parse(inputText) as Json,
        caller: 'model',
      })
      return { type: 'call', callId, native }
    })
    const earlier = importContents(listOf(before.request.contents), self).messages
    const results = calls.map((call): Message => ({ role: 'tool', call, trusted: true, outcome: 'ok', text: 'done' }))
    const messages: Message[] = [...earlier, { role: 'assistant', parts, calls, origin: self }, ...results]
    const body = plain(encodeGemini({ ...request, messages }, self))
    const ours = listOf(body.contents).findLast(({ role }) => role === 'model')!
    const theirs = listOf(after.request.contents)[listOf(before.request.contents).length]!
    expect(withoutIds(listOf(ours.parts))).toEqual(withoutIds(listOf(theirs.parts)))
    expect(listOf(ours.parts)).toEqual(partsIn(before.events))
  })
})

/** This client gives calls ids of its own, leaves out what it does not know of a part, and has another Base64. */
const withoutIds = (parts: readonly JsonObject[]) =>
  parts.flatMap(({ text, functionCall, thoughtSignature }): JsonObject[] => {
    const signature = textOf(thoughtSignature).replaceAll('-', '+').replaceAll('_', '/')
    if (functionCall) return [{ name: record(functionCall).name!, args: record(functionCall).args!, signature }]
    return typeof text === 'string' ? [{ text, signature }] : []
  })

/** A request that goes on from the one before, with exactly what was answered to that. */
function toStep(before: GeminiExchange | undefined, after: GeminiExchange): [string, GeminiExchange, GeminiExchange][] {
  if (before?.status !== 200 || before.derived === false) return []
  const [earlier, later] = [listOf(before.request.contents), listOf(after.request.contents)]
  const continues = JSON.stringify(later.slice(0, earlier.length)) === JSON.stringify(earlier)
  const turn = later[earlier.length]
  if (!continues || turn?.role !== 'model' || before.model !== after.model) return []
  return factsOf(listOf(turn.parts)).calls.length > 0 ? [[after.name, before, after]] : []
}
