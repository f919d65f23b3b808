import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.js'
import { toFailure, type HandrailError } from '../../src/errors.js'
import { createChatModel } from '../../src/models/chat/model.js'
import type { ModelConfig, ModelDelta, ModelRequest } from '../../src/models/model.js'
import { toSse } from './chat-recordings.js'

const key = 'sk-test-0123456789abcdef'
const text = 'Hello, you: ä 日本 🙂.'
const chunk = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
  id: 'c',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta, finish_reason }],
})
const chunks = [
  chunk({ role: 'assistant', content: '' }),
  ...text.match(/./gu)!.map((content) => chunk({ content })),
  chunk({}, 'stop'),
]
const usage: JsonObject = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } }
const whole = toSse([...chunks, usage])
const hello = { parts: [{ type: 'text', text }], finish: 'stop', usage: { input: 3, output: 2 } }

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  for (const close of closers.splice(0)) await close()
})

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  closers.push(() => {
    server.closeAllConnections()
    return new Promise((closed) => server.close(() => closed()))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const answer = (body: string | Uint8Array, type = 'text/event-stream', status = 200): RequestListener => {
  return (_, response) => void response.writeHead(status, { 'content-type': type }).end(body)
}
const json = (body: Json, status = 200) => answer(JSON.stringify(body), 'application/json', status)
const asStream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })

const request: ModelRequest = { instructions: '', tools: [], messages: [{ role: 'user', text: 'Hi' }], cacheKey: 's' }
const modelAt = (url: string, more: Partial<ModelConfig> & { fetch?: typeof fetch } = {}) =>
  createChatModel({ provider: 'openai-compatible', model: 'm-1', baseURL: `${url}/v1`, apiKey: key, ...more })

type Asking = Partial<ModelConfig> & { signal?: AbortSignal; onDelta?: (delta: ModelDelta) => void }

const ask = (url: string, { signal = new AbortController().signal, onDelta = () => {}, ...more }: Asking = {}) =>
  modelAt(url, more).generate(request, { signal, onDelta })

const failureOf = (asked: Promise<unknown>): Promise<HandrailError> =>
  asked.then(
    () => Promise.reject(new Error('It did not fail')),
    (error: HandrailError) => error,
  )

describe('The model of an OpenAI-compatible server', () => {
  it.each<[string, string | Uint8Array]>([
    ['as documented', whole],
    ['with CRLF', whole.replaceAll('\n', '\r\n')],
    ['with CR', whole.replaceAll('\n', '\r')],
    [
      'with comments and empty lines between',
      whole.replaceAll('data:', ': OPENROUTER PROCESSING\n\n: keep-alive\n\n\ndata:'),
    ],
    ['with names and ids of events', whole.replaceAll('data:', 'id: 7\nevent: message\nretry: 10\ndata:')],
    ['without a space after the colon', whole.replaceAll('data: ', 'data:')],
    ['after a byte order mark', `\ufeff${whole}`],
    ['without its last word', whole.replace('data: [DONE]\n\n', '')],
    ['without its last line break', whole.replace(/\n+$/, '')],
    ['with the usage beside the end', toSse([...chunks.slice(0, -1), { ...chunks.at(-1)!, usage: usage.usage! }])],
  ])('streams a reply that comes %s, whatever the size of its pieces', async (_, body) => {
    for (const size of [1, 7, 10_000]) {
      const bytes = Buffer.from(body as string)
      const url = await serve(async (__, response) => {
        asStream(response)
        for (let at = 0; at < bytes.length; at += size) {
          response.write(bytes.subarray(at, at + size))
          if (at % 512 === 0) await new Promise((next) => setImmediate(next))
        }
        response.end()
      })
      let shown = ''
      expect(await ask(url, { onDelta: (delta) => (shown += delta.text) })).toEqual(hello)
      expect(shown).toBe(text)
    }
  })

  it('takes an answer in one piece, from a server that does not stream', async () => {
    const message = { role: 'assistant', content: text }
    const { usage: counts } = usage
    const url = await serve(
      json({ object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage: counts! }),
    )
    let shown = ''
    expect(await ask(url, { onDelta: (delta) => (shown += delta.text) })).toEqual(hello)
    expect(shown).toBe(text)
  })

  it.each(['application/json', 'text/plain; charset=utf-8', 'application/octet-stream'])(
    'takes a stream that says it is "%s"',
    async (type) => {
      expect(await ask(await serve(answer(`: hello\n\n${whole}`, type)))).toEqual(hello)
      const error = await failureOf(ask(await serve(answer(toSse(chunks.slice(0, 5)), type))))
      expect(error).toMatchObject({ code: 'model_stream_cut', retryable: true })
    },
  )

  it.each<[string, RequestListener, string, boolean, string]>([
    [
      'an error as JSON with status 200',
      json({ error: { message: 'No such model.', type: 'invalid_request_error' } }),
      'model_bad_request',
      false,
      'invalid_request_error: No such model.',
    ],
    [
      'an error that names a status',
      json({ error: { code: 429, message: 'Slow down.' } }),
      'model_rate_limit',
      true,
      '429: Slow down.',
    ],
    [
      'another form of error with status 200',
      json({ object: 'error', message: 'Loading.', code: 503 }),
      'model_unavailable',
      true,
      '503: Loading.',
    ],
    ['JSON that is nothing', json({ hello: 1 }), 'model_bad_reply', false, 'JSON without "choices"'],
    [
      'JSON that is cut',
      answer('{"choices":[{"message":{"content":"Hel', 'application/json'),
      'model_stream_cut',
      true,
      'ended before the reply did',
    ],
    [
      'a page',
      answer('<html>My app</html>', 'text/html'),
      'model_bad_request',
      false,
      'expected "text/event-stream": check the base URL',
    ],
    [
      'an error in the stream',
      answer(toSse([chunks[0]!, { error: { message: 'Out of memory.', type: 'server_error' } }])),
      'model_unavailable',
      true,
      'server_error: Out of memory.',
    ],
    [
      'an error in the stream by a gateway',
      answer(
        toSse([
          chunks[0]!,
          { error: { code: 502, message: 'Provider returned error', metadata: { raw: 'no instance' } }, choices: [] },
        ]),
      ),
      'model_unavailable',
      true,
      '502: Provider returned error: no instance',
    ],
    [
      'an error event',
      answer('event: error\ndata: {"message":"It broke.","type":"overloaded_error"}\n\n'),
      'model_unavailable',
      true,
      'overloaded_error: It broke.',
    ],
    [
      'a call that the server could not read',
      answer(toSse([{ error: { code: 'tool_use_failed', type: 'invalid_request_error', message: 'Bad call.' } }])),
      'model_bad_reply',
      true,
      'tool_use_failed: Bad call.',
    ],
    ['a stream of nothing', answer(''), 'model_stream_cut', true, 'ended before the reply did'],
    ['a stream of its last word', answer('data: [DONE]\n\n'), 'model_stream_cut', true, 'ended before the reply did'],
    ['a stream that is no JSON', answer('data: <html>\n\n'), 'model_stream_cut', true, 'broke'],
    [
      'a stream without its end',
      answer(toSse(chunks.slice(0, -1))),
      'model_stream_cut',
      true,
      'ended before the reply did',
    ],
    ['chunks that are no objects', answer('data: [1]\n\n'), 'model_bad_reply', false, 'a chunk is not an object'],
  ])('reports %s', async (_, listener, code, retryable, says) => {
    const error = await failureOf(ask(await serve(listener)))
    expect(error).toMatchObject({ code, retryable })
    expect(error.message).toContain(says)
  })

  it.each<[number, Json, string, boolean, string]>([
    [
      400,
      { error: { message: 'Why.', type: 'invalid_request_error' } },
      'model_bad_request',
      false,
      '400 invalid_request_error: Why.',
    ],
    [
      400,
      { error: { code: 'tool_use_failed', message: 'Why.' } },
      'model_bad_reply',
      true,
      '400 tool_use_failed: Why.',
    ],
    [
      400,
      { object: 'error', message: 'Why.', type: 'BadRequestError', code: 400 },
      'model_bad_request',
      false,
      '400 BadRequestError: Why.',
    ],
    [
      400,
      [{ error: { code: 400, message: 'Why.', status: 'INVALID_ARGUMENT' } }],
      'model_bad_request',
      false,
      '400: Why.',
    ],
    [401, { error: 'Why.' }, 'model_auth', false, '401: Why.'],
    [
      402,
      { error: { message: 'Insufficient credits', code: 402 } },
      'model_bad_request',
      false,
      '402: Insufficient credits',
    ],
    [403, { detail: 'Why.' }, 'model_auth', false, '403: Why.'],
    [404, { error: { message: 'Why.' } }, 'model_bad_request', false, '404: Why.'],
    [422, { message: { detail: [{ type: 'extra_forbidden' }] } }, 'model_bad_request', false, 'extra_forbidden'],
    [
      429,
      { error: { message: 'Provider returned error', code: 429, metadata: { raw: 'Why.' } } },
      'model_rate_limit',
      true,
      '429: Provider returned error: Why.',
    ],
    [500, {}, 'model_unavailable', true, '500'],
    [
      503,
      { error: { message: 'Loading model', type: 'unavailable_error', code: 503 } },
      'model_unavailable',
      true,
      '503 unavailable_error: Loading model',
    ],
  ])('reports status %i with %o', async (status, body, code, retryable, says) => {
    const error = await failureOf(ask(await serve(json(body, status))))
    expect(error).toMatchObject({ code, retryable })
    expect(error.message).toContain(says)
  })

  it('reports a page of a gateway by its words', async () => {
    const url = await serve(answer('<h1>Bad Gateway</h1>', 'text/html', 502))
    const error = await failureOf(ask(url))
    expect(error).toMatchObject({ code: 'model_unavailable', retryable: true })
    expect(error.message).toContain('502: Bad Gateway')
  })

  it('reports a server that is not there as unavailable', async () => {
    const url = await serve(() => {})
    await closers.pop()!()
    expect(await failureOf(ask(url))).toMatchObject({ code: 'model_unavailable', retryable: true })
  })

  it('reports a broken connection as a cut stream, even after the end was said', async () => {
    for (const part of [
      toSse(chunks.slice(0, 5)).replace('data: [DONE]\n\n', ''),
      toSse(chunks).replace('data: [DONE]\n\n', ''),
    ]) {
      const url = await serve((_, response) => {
        asStream(response).write(part)
        setTimeout(() => response.destroy(), 10)
      })
      expect(await failureOf(ask(url))).toMatchObject({ code: 'model_stream_cut', retryable: true })
    }
  })

  it('stops at once when its signal is aborted in the middle of a stream, and closes the connection', async () => {
    let closed: Promise<void> | undefined
    const url = await serve((_, response) => {
      closed = new Promise((resolve) => response.on('close', resolve))
      asStream(response).write(toSse(chunks.slice(0, 4)).replace('data: [DONE]\n\n', ''))
    })
    const controller = new AbortController()
    const error = await failureOf(ask(url, { signal: controller.signal, onDelta: () => controller.abort() }))
    expect(error).toMatchObject({ code: 'model_aborted', retryable: false })
    await closed
  })

  it('takes no stream for finished that was aborted after its end was said', async () => {
    const controller = new AbortController()
    const url = await serve((_, response) => {
      asStream(response).write(toSse(chunks).replace('data: [DONE]\n\n', ''))
      setTimeout(() => controller.abort(), 30)
    })
    expect(await failureOf(ask(url, { signal: controller.signal }))).toMatchObject({ code: 'model_aborted' })
  })

  it('stops at once while an answer in one piece is read', async () => {
    const controller = new AbortController()
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"choices":')
      setTimeout(() => controller.abort(), 20)
    })
    expect(await failureOf(ask(url, { signal: controller.signal }))).toMatchObject({ code: 'model_aborted' })
  })

  it('never says a key or a header, whoever repeats it', async () => {
    const headers = { 'x-session': 'secret-session-value' }
    const url = await serve(({ headers: got }, response) =>
      json({ detail: `Bad headers: ${JSON.stringify(got)}` }, 401)({} as IncomingMessage, response as never),
    )
    const error = await failureOf(ask(url, { headers }))
    const said = `${error.message} ${error.stack} ${String(error.cause)} ${JSON.stringify(toFailure(error))}`
    expect(said).toContain('Bad headers')
    for (const secret of [key, 'secret-session-value']) expect(said).not.toContain(secret)
  })

  it('sends the key as a bearer and its own headers to the path of the API, and nothing of the environment', async () => {
    for (const name of ['OPENAI_API_KEY', 'OPENAI_ADMIN_KEY', 'OPENAI_ORG_ID']) vi.stubEnv(name, 'of-the-environment')
    vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:1')
    const seen: { url?: string; headers: IncomingMessage['headers']; body: string }[] = []
    const url = await serve(async ({ url: at, headers }, response) => {
      seen.push({ url: at, headers, body: '' })
      asStream(response).end(whole)
    })
    await ask(url, { headers: { 'x-tenant': 'shoes' } })
    await ask(url, { apiKey: undefined, baseURL: `${url}/v1/` })
    vi.stubGlobal('location', { origin: url })
    await ask(url, { baseURL: '/api/openrouter' })
    expect(seen.map((one) => one.url)).toEqual([
      '/v1/chat/completions',
      '/v1/chat/completions',
      '/api/openrouter/chat/completions',
    ])
    expect(seen[0]?.headers).toMatchObject({ authorization: `Bearer ${key}`, 'x-tenant': 'shoes' })
    expect(seen[1]?.headers.authorization).toBe('Bearer none')
    expect(JSON.stringify(seen)).not.toContain('of-the-environment')
  })

  it('asks nobody without a base URL', () => {
    const config = { provider: 'openai-compatible', model: 'm-1', apiKey: key }
    expect(() => createChatModel(config)).toThrow('Cannot ask model "m-1" of openai-compatible: set its baseURL')
  })

  it('lets an exception of the one who listens through as it is', async () => {
    const mistake = new RangeError('of the listener')
    const asked = ask(await serve(answer(whole)), {
      onDelta: () => {
        throw mistake
      },
    })
    await expect(asked).rejects.toBe(mistake)
  })
})
