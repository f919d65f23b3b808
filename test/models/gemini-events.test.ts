import { describe, expect, it } from 'vitest'
import { HandrailError } from '../../src/errors.js'
import { loadGeminiModel } from '../../src/models/gemini/model.js'

const events = [
  { candidates: [{ content: { role: 'model', parts: [{ text: 'Hël' }] } }] },
  { candidates: [{ content: { role: 'model', parts: [{ text: 'lo.' }] }, finishReason: 'STOP' }] },
].map((event) => JSON.stringify(event))
const whole = events.map((event) => `data: ${event}\n\n`).join('')

/** @param size bytes of a piece */
async function textOf(body: string, size: number): Promise<string> {
  const bytes = new TextEncoder().encode(body)
  let at = 0
  const stream = () =>
    new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at >= bytes.length) return controller.close()
        controller.enqueue(bytes.slice(at, (at += size)))
      },
    })
  const model = await loadGeminiModel({
    provider: 'gemini',
    model: 'gemini-3-flash',
    baseURL: 'https://server.example',
    fetch: async () => new Response(stream(), { headers: { 'content-type': 'text/event-stream' } }),
  })
  try {
    const { parts } = await model.generate(
      { instructions: '', tools: [], messages: [{ role: 'user', text: 'Hi' }], cacheKey: 's' },
      { signal: new AbortController().signal, onDelta: () => {} },
    )
    return parts.map((part) => ('text' in part ? part.text : '')).join('')
  } catch (error) {
    return HandrailError.is(error) ? `${error.code}: ${error.message}` : String(error)
  }
}

const written: readonly (readonly [how: string, body: string])[] = [
  ['with CRLF', whole.replaceAll('\n', '\r\n')],
  ['with CR', whole.replaceAll('\n', '\r')],
  ['after a byte order mark', `\uFEFF${whole}`],
  ['with comments, by which a proxy keeps it open', `: ready\n\n${whole.replaceAll('\n\n', '\n: ping\n\n')}`],
  ['with ids and names', whole.replaceAll('data:', 'id: 7\nevent: chunk\nretry: 10\ndata:')],
  ['without a blank after the colon', whole.replaceAll('data: ', 'data:')],
  ['without a line break at its end', whole.trimEnd()],
  ['with data on several lines', whole.replaceAll('data: {', 'data: {\ndata: ')],
  ['with events that have no data', `event: ping\n\ndata:\n\n${whole}`],
  ['with lines that are none of an event', `hello\n\n${whole}`],
]

describe('a stream of Gemini', () => {
  it.each(written)('is read whole %s, however it is cut', async (_, body) => {
    for (const size of [1, 3, 10_000]) expect(await textOf(body, size)).toBe('Hëllo.')
  })

  it('tells an error that comes as JSON alone, also on several lines', async () => {
    const error = { error: { code: 503, status: 'UNAVAILABLE', message: 'It is overloaded.' } }
    for (const text of [JSON.stringify(error), JSON.stringify(error, null, 2)])
      for (const size of [1, 10_000])
        expect(await textOf(`data: ${events[0]}\n\n${text}\n`, size)).toMatch(
          /^model_unavailable: .*It is overloaded\./,
        )
  })

  it('is cut, and no reply, when its last event is', async () => {
    expect(await textOf(whole.slice(0, -20), 10_000)).toMatch(/^model_stream_cut/)
  })
})
