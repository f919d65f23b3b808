import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { ask, failureOf, loadModel } from './transport-models.js'
import { providers, wires } from './transport-streams.js'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A server that answers so, and when its side of the connection was closed. */
async function serve(answer: (response: ServerResponse) => void | Promise<void>) {
  let end: () => void = () => {}
  const closed = new Promise<void>((resolve) => (end = resolve))
  const server = createServer((request, response) => {
    request.resume()
    response.on('close', end)
    void answer(response)
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  closers.push(() => {
    server.closeAllConnections()
    return new Promise((done) => server.close(() => done()))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, closed }
}

const asStream = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  return response
}

describe.each(providers)('A silent server of %s', (provider) => {
  const { events } = wires[provider]
  const said = { reasoning: 'Hm.', text: 'Hello, you: ä 日本 🙂.' }
  const half = () => {
    const all = events(said)
    return all.slice(0, Math.ceil(all.length / 2)).join('')
  }

  it('that never answers is unavailable after the time it has, and the connection is closed', async () => {
    const { url, closed } = await serve(() => {})
    const start = performance.now()
    const error = await failureOf(ask(await loadModel(provider, url, { timeout: 80 })))
    expect(error).toMatchObject({ code: 'model_unavailable', retryable: true })
    expect(error.message).toContain(`Cannot reach model "m-1" of ${provider}: `)
    expect(error.message).toContain('nothing came for 0.08 s')
    expect(performance.now() - start).toBeGreaterThan(75)
    await closed
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['before the first event', () => {}],
    ['after an event', (response) => void response.write(half())],
    ['in an event', (response) => void response.write(`${half()}data: {"ty`)],
    ['in a character', (response) => void response.write(Buffer.from('data: {"text":"ä').subarray(0, -1))],
    // On a busy machine the answer itself may be late: then it is asked again.
  ])('in mid-stream, %s, is a stream that was cut, and the connection is closed', { retry: 3 }, async (_, answer) => {
    const { url, closed } = await serve((response) => answer(asStream(response)))
    const error = await failureOf(ask(await loadModel(provider, url, { timeout: 400 })))
    expect(error).toMatchObject({ code: 'model_stream_cut', retryable: true })
    expect(error.message).toContain('nothing came for 0.4 s')
    await closed
  })

  it('in a refusal that it does not end is given up, too, and the connection is closed', async () => {
    const { url, closed } = await serve(
      (response) => void response.writeHead(500, { 'content-type': 'application/json' }).write('{"err'),
    )
    const error = await failureOf(ask(await loadModel(provider, url, { timeout: 400 })))
    expect(error).toMatchObject({ code: 'model_unavailable', retryable: true })
    await closed
  })

  it('is waited for as long as it gives a sign of life', async () => {
    const { url } = await serve(async (response) => {
      asStream(response)
      for (let sent = 0; sent < 22; sent++) {
        response.write(': ping\n\n')
        await pause(50)
      }
      response.end(events(said).join(''))
    })
    const start = performance.now()
    const reply = await ask(await loadModel(provider, url, { timeout: 1000 }))
    expect(reply.parts).toMatchObject([{ type: 'reasoning' }, { type: 'text', text: said.text }])
    expect(performance.now() - start).toBeGreaterThan(1000)
  })

  it('is not blamed for the time that the reader takes', async () => {
    const { url } = await serve((response) => void asStream(response).end(events(said).join('')))
    let isFirst = true
    const onDelta = () => {
      const until = performance.now() + (isFirst ? 600 : 0)
      isFirst = false
      while (performance.now() < until);
    }
    expect(await ask(await loadModel(provider, url, { timeout: 500 }), { onDelta })).toMatchObject({ finish: 'stop' })
  })
})
