import { describe, expect, it } from 'vitest'
import { HandrailError } from '../../src/errors.js'
import { ask, loadModel, streamOf } from './transport-models.js'
import { providers, wires } from './transport-streams.js'

type End = 'ends' | 'breaks' | 'is aborted' | 'is aborted, and ends'

/** A stream of these bytes, after which this happens as soon as somebody asks for more. */
function streamThat(end: End, bytes: Uint8Array, stop: AbortController): Response {
  let isGiven = bytes.length === 0
  const body = new ReadableStream(
    {
      pull(controller) {
        if (!isGiven) {
          isGiven = true
          return controller.enqueue(bytes)
        }
        if (end.startsWith('is aborted')) stop.abort()
        if (end === 'breaks') controller.error(new TypeError('network error'))
        else if (end === 'is aborted') controller.error(stop.signal.reason)
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return streamOf(body)
}

// Each costs a millisecond or two.
describe.each(providers)('A stream of %s', { timeout: 120_000 }, (provider) => {
  const events = wires[provider].events({ text: 'ä日🙂', call: { name: 'f', input: { a: 'ö' } } })
  const bytes = new TextEncoder().encode(events.join(''))
  /** Of what must have come, but for the line break at its end. */
  const needed = new TextEncoder().encode(events.slice(0, events.length - wires[provider].spare).join('')).length - 3

  /** What it comes to: a code, or the reply. */
  async function outcomeOf(end: End, at: number): Promise<string> {
    const stop = new AbortController()
    const fetch = async () => streamThat(end, bytes.slice(0, at), stop)
    const model = await loadModel(provider, 'http://provider.test', { fetch })
    try {
      const { parts, finish } = await ask(model, { signal: stop.signal })
      return JSON.stringify({ parts, finish })
    } catch (error) {
      if (!HandrailError.is(error)) throw error
      return `${error.code}${error.retryable ? ', retryable' : ''}`
    }
  }

  it('that ends or breaks at any byte is cut, or the whole reply', async () => {
    const whole = await outcomeOf('ends', bytes.length)
    expect(whole).toContain('"finish":"calls"')
    for (const end of ['ends', 'breaks'] as const) {
      // Gemini has no last word: a connection that broke may have been in the middle of its reply.
      const isOver = end === 'ends' || provider !== 'gemini'
      expect(await outcomeOf(end, bytes.length)).toBe(isOver ? whole : 'model_stream_cut, retryable')
    }
    const wrong: string[] = []
    for (let at = 0; at < bytes.length; at += at < needed ? 3 : 1) {
      const outcome = await outcomeOf(at % 2 === 0 ? 'ends' : 'breaks', at)
      const fits = outcome === 'model_stream_cut, retryable' || (outcome === whole && at >= needed)
      if (!fits) wrong.push(`${at}: ${outcome}`)
    }
    expect(wrong).toEqual([])
  })

  it('that is aborted at any byte is no reply', async () => {
    const ends: string[] = []
    for (let at = 0; at < needed; at++)
      ends.push(await outcomeOf(at % 2 === 0 ? 'is aborted' : 'is aborted, and ends', at))
    expect([...new Set(ends)]).toEqual(['model_aborted'])
  })
})
