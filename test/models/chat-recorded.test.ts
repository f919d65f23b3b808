import { OpenAI } from 'openai'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../src/core/json.js'
import { HandrailError } from '../../src/errors.js'
import { createChatModel } from '../../src/models/chat/model.js'
import type { ModelDelta, ModelReply } from '../../src/models/model.js'
import { chatRecordings, hasRecordings, toChunks, toolsOf, toSse, type ChatRecording } from './chat-recordings.js'
import { heard, joined, toldBy, type Told } from './chat-told.js'

type Served = Pick<ChatRecording, 'body' | 'isStream' | 'status' | 'request'>
type Outcome =
  | { readonly reply: ModelReply; readonly deltas: readonly ModelDelta[] }
  | { readonly code: string; readonly retryable: boolean }

/** Answers with the bytes of a body, in pieces of the sizes that `nextSize` gives, up to `end`, which is clean or a reset. */
function server(
  { body, isStream, status }: Served,
  nextSize = () => Infinity,
  end = Infinity,
  resets = false,
): typeof fetch {
  return async () => {
    const bytes = new TextEncoder().encode(body).subarray(0, end)
    let at = 0
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) return resets ? controller.error(new TypeError('terminated')) : controller.close()
        const next = Math.min(bytes.length, at + nextSize())
        controller.enqueue(bytes.slice(at, next))
        at = next
      },
    })
    const type = isStream ? 'text/event-stream; charset=utf-8' : 'application/json'
    return new Response(stream, { status, headers: { 'content-type': type, 'retry-after-ms': '1' } })
  }
}

async function ask({ request }: Served, fetch: typeof globalThis.fetch): Promise<Outcome> {
  const model = createChatModel({
    provider: 'openai-compatible',
    model: 'm-1',
    baseURL: 'https://server.example',
    fetch,
  })
  const deltas: ModelDelta[] = []
  const asked = {
    instructions: '',
    tools: toolsOf(request),
    messages: [{ role: 'user', text: 'Hi' } as const],
    cacheKey: 's',
  }
  try {
    const onDelta = (delta: ModelDelta) => void deltas.push(delta)
    return { reply: await model.generate(asked, { signal: new AbortController().signal, onDelta }), deltas }
  } catch (error) {
    if (!HandrailError.is(error)) throw error
    return { code: error.code, retryable: error.retryable }
  }
}

/** What the SDK makes of the stream; undefined where it gives up. Of thoughts it knows nothing. */
async function accumulated(recording: ChatRecording): Promise<Told | undefined> {
  const fetch = server(recording)
  const client = new OpenAI({ apiKey: 'none', baseURL: 'https://server.example', fetch, logLevel: 'off' })
  try {
    const answer = await client.chat.completions.stream({ model: 'm-1', messages: [] }).finalChatCompletion()
    return toldBy(answer as unknown as JsonObject)
  } catch {
    return undefined
  }
}

/** A cut stream counts as the expected outcome, and so does a reply whose usage had not come yet. */
function orCut(outcome: Outcome, expected: Outcome): Outcome {
  if ('code' in outcome) return outcome.code === 'model_stream_cut' && outcome.retryable ? expected : outcome
  const usage = outcome.reply.usage ?? ('reply' in expected ? expected.reply.usage : undefined)
  const deltas = 'reply' in expected ? expected.deltas : outcome.deltas
  return { reply: { ...outcome.reply, usage }, deltas }
}

function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const all = chatRecordings()
const answered = all.filter(({ status }) => status === 200)
const refused = all.filter(({ status }) => status !== 200)
const titled = (list: readonly ChatRecording[]) => list.map((recording) => [recording.name, recording] as const)

describe.skipIf(!hasRecordings)('Recorded answers of servers of the Chat Completions API', () => {
  beforeAll(() => void vi.spyOn(console, 'error').mockReturnValue())

  it('are more than two hundred, of more than twelve servers, and at least thirty are true streams', () => {
    const hosts = new Set(all.map(({ url }) => new URL(url).host))
    const streams = answered.filter(({ isStream }) => isStream)
    console.log(`${all.length} answers of ${hosts.size} hosts, ${streams.length} streams, ${refused.length} refusals`)
    expect(all.length).toBeGreaterThanOrEqual(200)
    expect(hosts.size).toBeGreaterThan(12)
    expect(streams.length).toBeGreaterThanOrEqual(30)
  })

  const isFailing = ({ body }: ChatRecording) => /"error": ?\{/.test(body)
  const whole = answered.filter((recording) => !isFailing(recording))

  it.each(titled(whole.filter(({ isStream }) => !isStream)))(
    'give the message, calls and usage: %s',
    async (_, recording) => {
      const outcome = await ask(recording, server(recording))
      const answer = JSON.parse(recording.body) as JsonObject
      expect('reply' in outcome && heard(outcome.reply)).toEqual(toldBy(answer))
      // DERIVED: the same message as a stream.
      const streamed = { ...recording, isStream: true, body: toSse(toChunks(answer)) }
      const next = random(recording.body.length)
      const other = await ask(
        streamed,
        server(streamed, () => 1 + Math.floor(next() ** 3 * 3000)),
      )
      expect('reply' in other && heard(other.reply)).toEqual(toldBy(answer))
      expect('reply' in other && 'reply' in outcome && other.reply.finish).toBe(
        'reply' in outcome && outcome.reply.finish,
      )
    },
  )

  let compared = 0
  const streams = whole.filter(({ isStream }) => isStream)
  it.each(titled(streams))('come to the stream joined, and to what the SDK makes of it: %s', async (_, recording) => {
    const outcome = await ask(recording, server(recording))
    if (!('reply' in outcome)) throw new Error(`It failed: ${outcome.code}`)
    const told = heard(outcome.reply)
    expect(told).toEqual(joined(recording))
    const shown = (type: string) => outcome.deltas.map((delta) => (delta.type === type ? delta.text : '')).join('')
    expect([shown('text'), shown('reasoning')]).toEqual([told.text, told.thoughts])
    const { text, calls } = (await accumulated(recording)) ?? {}
    // The SDK joins lists of parts as if they were text.
    if (text === undefined || text.includes('[object Object]')) return
    compared++
    expect({ text: told.text, calls: told.calls }).toEqual({ text, calls })
  })

  it('were understood by the SDK in most streams', () => {
    console.log(`${compared} of ${streams.length} streams compared with the SDK`)
    expect(compared).toBeGreaterThanOrEqual(streams.length * 0.75)
  })

  it.each(titled(answered))(
    'are the same byte by byte: %s',
    async (_, recording) => {
      expect(
        await ask(
          recording,
          server(recording, () => 1),
        ),
      ).toEqual(await ask(recording, server(recording)))
    },
    20_000,
  )

  it.each(titled(answered))('cut anywhere are the same or a cut stream, never less: %s', async (_, recording) => {
    const next = random(recording.body.length)
    const size = new TextEncoder().encode(recording.body).length
    const expected = await ask(recording, server(recording))
    for (let i = 0; i < 20; i++) {
      const end = Math.floor(next() * size)
      const fetch = server(recording, () => 1 + Math.floor(next() * 5000), end, i % 2 === 1)
      expect({ end, ...orCut(await ask(recording, fetch), expected) }).toEqual({ end, ...expected })
    }
  })

  it.each(titled([...refused, ...answered.filter(isFailing)]))(
    'that are errors say so by their code: %s',
    async (_, recording) => {
      const outcome = await ask(recording, server(recording))
      const codes = ['model_bad_request', 'model_rate_limit', 'model_bad_reply']
      expect(codes).toContain('code' in outcome ? outcome.code : 'a reply')
      expect('code' in outcome && outcome.retryable).toBe(!('code' in outcome && outcome.code === 'model_bad_request'))
    },
  )
})
