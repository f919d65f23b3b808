import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../src/core/json.js'
import { toFailure, type HandrailError } from '../../src/errors.js'
import { loadGeminiModel } from '../../src/models/gemini/model.js'
import type { ModelConfig, ModelDelta, ModelRequest } from '../../src/models/model.js'

const key = 'AIza-test-0123456789abcdef'
const sse = (...events: JsonObject[]) => events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join('')
const says = (...parts: JsonObject[]): JsonObject => ({ candidates: [{ content: { role: 'model', parts } }] })
const hello = says({ text: 'Hello, ' })
const end: JsonObject = {
  candidates: [{ content: { parts: [{ text: 'you.', thoughtSignature: 's' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4 },
}
const whole = sse(hello, end)

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
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

const asStream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })
const request: ModelRequest = {
  instructions: '',
  tools: [],
  messages: [{ role: 'user', text: 'Hi' }],
  cacheKey: 'session',
}

type Config = Partial<ModelConfig> & { fetch?: typeof fetch }
interface Asking {
  readonly config?: Config
  readonly signal?: AbortSignal
  readonly onDelta?: (delta: ModelDelta) => void
  readonly request?: ModelRequest
}

async function ask(url: string, { config, signal, onDelta = () => {}, request: given = request }: Asking = {}) {
  const model = await loadGeminiModel({
    provider: 'gemini',
    model: 'm-1',
    baseURL: `${url}/v1`,
    apiKey: key,
    ...config,
  })
  return model.generate(given, { signal: signal ?? new AbortController().signal, onDelta })
}

const failureOf = (asked: Promise<unknown>): Promise<HandrailError> =>
  asked.then(
    () => Promise.reject(new Error('It did not fail')),
    (error: HandrailError) => error,
  )

const answering = (status: number, body: string, headers: Record<string, string> = {}) => {
  const url = serve((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers }).end(body)
  })
  return { url }
}
const errorBody = (code: number, status: string, message: string, ...details: JsonObject[]) =>
  JSON.stringify({ error: { code, message, status, details } })

describe('The gemini model', () => {
  it('streams a reply', async () => {
    const url = await serve((_, response) => void asStream(response).end(whole))
    const deltas: ModelDelta[] = []
    const reply = await ask(url, { onDelta: (delta) => deltas.push(delta) })
    expect(reply).toEqual({
      parts: [
        { type: 'text', text: 'Hello, ', native: { text: 'Hello, ' } },
        { type: 'text', text: 'you.', native: { text: 'you.', thoughtSignature: 's' } },
      ],
      finish: 'stop',
      usage: { input: 3, output: 4 },
    })
    expect(deltas.map(({ text }) => text)).toEqual(['Hello, ', 'you.'])
  })

  it('stops at once when its signal is aborted in the middle of a stream, and closes the connection', async () => {
    let closed: Promise<void> | undefined
    const url = await serve((_, response) => {
      closed = new Promise((resolve) => response.on('close', resolve))
      asStream(response).write(sse(hello, hello))
    })
    const controller = new AbortController()
    const asked = ask(url, { signal: controller.signal, onDelta: () => controller.abort() })
    expect(await failureOf(asked)).toMatchObject({ code: 'model_aborted', retryable: false })
    await closed
  })

  it('closes the connection when it stops to read for another reason', async () => {
    let closed: Promise<void> | undefined
    const url = await serve((_, response) => {
      closed = new Promise((resolve) => response.on('close', resolve))
      asStream(response).write(sse(hello))
    })
    const mistake = new RangeError('of the listener')
    const onDelta = () => {
      throw mistake
    }
    await expect(ask(url, { onDelta })).rejects.toBe(mistake)
    await closed
  })

  it('sends nothing when its signal was aborted before', async () => {
    let asked = 0
    const url = await serve((_, response) => void (asked++, asStream(response).end(whole)))
    expect(await failureOf(ask(url, { signal: AbortSignal.abort() }))).toMatchObject({ code: 'model_aborted' })
    expect(asked).toBe(0)
  })

  it('reports a stream that ends or breaks at any byte before its end as cut, after what it gave', async () => {
    // Its last line needs no break.
    const end = whole.trimEnd().length
    const cuts = Array.from({ length: Math.ceil((end - 3) / 7) }, (_, i) => 3 + 7 * i)
    let at = 0
    let breaks = false
    const url = await serve((_, response) => {
      asStream(response).write(whole.slice(0, at))
      if (breaks) setTimeout(() => response.destroy(), 5)
      else response.end()
    })
    for (breaks of [false, true])
      for (at of breaks ? cuts.slice(0, 8) : cuts) {
        let text = ''
        const error = await failureOf(ask(url, { onDelta: (delta) => (text += delta.text) }))
        expect({ at, breaks, ...toFailure(error) }).toMatchObject({ at, code: 'model_stream_cut', retryable: true })
        expect(text).toBe(at < whole.indexOf('\r\n\r\n') + (breaks ? 4 : 0) ? '' : 'Hello, ')
      }
  })

  it.each([
    [400, 'model_bad_request'],
    [401, 'model_auth'],
    [429, 'model_rate_limit'],
    [503, 'model_unavailable'],
  ])('reports an answer with status %i as %s, in the words of the provider', async (status, code) => {
    const { url } = answering(status, errorBody(status, 'SOME_STATUS', 'The provider says why.'))
    const error = await failureOf(ask(await url))
    expect(error.code).toBe(code)
    expect(error.message).toBe(`Model "m-1" of gemini answered ${status} SOME_STATUS: The provider says why.`)
  })

  it('reports an error in a list, a wrong key that comes with 400, and an empty answer', async () => {
    const list = answering(400, `[${errorBody(400, 'INVALID_ARGUMENT', 'Not so.')}\n]`)
    expect(await failureOf(ask(await list.url))).toMatchObject({
      code: 'model_bad_request',
      message: 'Model "m-1" of gemini answered 400 INVALID_ARGUMENT: Not so.',
    })
    const wrongKey = answering(
      400,
      errorBody(400, 'INVALID_ARGUMENT', 'API key not valid.', { reason: 'API_KEY_INVALID' }),
    )
    expect(await failureOf(ask(await wrongKey.url))).toMatchObject({ code: 'model_auth', retryable: false })
    const empty = answering(503, '')
    expect(await failureOf(ask(await empty.url))).toMatchObject({ code: 'model_unavailable', retryable: true })
  })

  it('says how long RetryInfo asks to wait; a quota of a day is not waited for', async () => {
    const retry = (retryDelay: string) => ({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay })
    const limited = answering(429, errorBody(429, 'RESOURCE_EXHAUSTED', 'Slow down.', retry('1.25s')))
    expect(await failureOf(ask(await limited.url))).toMatchObject({
      code: 'model_rate_limit',
      retryable: true,
      retryAfter: 1250,
    })
    const event = { error: { code: 429, message: 'Slow down.', details: [retry('2s')] } }
    const url = await serve((_, response) => void asStream(response).end(sse(hello, event)))
    expect(await failureOf(ask(url))).toMatchObject({ retryable: true, retryAfter: 2000 })

    const long = answering(429, errorBody(429, 'RESOURCE_EXHAUSTED', 'Slow down.', retry('3600s')))
    expect(await failureOf(ask(await long.url))).toMatchObject({
      code: 'model_rate_limit',
      retryable: false,
      message:
        'Model "m-1" of gemini answered 429 RESOURCE_EXHAUSTED: Slow down. It asks to wait 3600 s, which is too long.',
    })

    const violations = [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }]
    const spent = answering(429, errorBody(429, 'RESOURCE_EXHAUSTED', 'Quota.', { violations }, retry('1s')))
    expect(await failureOf(ask(await spent.url))).toMatchObject({ code: 'model_rate_limit', retryable: false })
  })

  describe('goes on with an answer that paused', () => {
    const paused = (continuationToken?: string): JsonObject => ({
      candidates: [{ finishReason: 'CONTINUATION', ...(continuationToken ? { continuationToken } : {}) }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 1 },
    })
    const play = async (...streams: (string | undefined)[]) => {
      const bodies: JsonObject[] = []
      const url = await serve(async (incoming, response) => {
        let text = ''
        for await (const piece of incoming) text += String(piece)
        bodies.push(JSON.parse(text) as JsonObject)
        const stream = streams[bodies.length - 1]
        if (stream === undefined) return void response.writeHead(503).end()
        asStream(response).end(stream)
      })
      return { bodies, reply: await ask(url).catch((error: HandrailError) => toFailure(error)) }
    }

    it('by its token, to one reply', async () => {
      const { bodies, reply } = await play(sse(hello, paused('t1')), sse(hello, paused('t2')), whole)
      expect(reply).toMatchObject({
        finish: 'stop',
        parts: [{ text: 'Hello, Hello, Hello, ' }, { text: 'you.' }],
        usage: { input: 23, output: 6 },
      })
      expect(bodies.map(({ continuationToken }) => continuationToken)).toEqual([undefined, 't1', 't2'])
      for (const { contents } of bodies) expect(contents).toEqual(bodies[0]!.contents)
    })

    it('unless there is no token, or no new one', async () => {
      const { bodies, reply } = await play(sse(hello, paused()))
      expect(reply).toMatchObject({ finish: 'length', parts: [{ text: 'Hello, ' }], usage: { input: 10, output: 1 } })
      expect(bodies).toHaveLength(1)
      expect((await play(sse(paused('t1')), sse(paused('t1')))).reply).toMatchObject({ finish: 'length' })
    })

    it('but not when its stream broke off', async () => {
      const marked: JsonObject = { candidates: [{ content: { parts: [{ text: 'a' }] }, continuationToken: 't1' }] }
      const { bodies, reply } = await play(sse(marked, hello))
      expect(reply).toMatchObject({ code: 'model_stream_cut', retryable: true })
      expect(bodies).toHaveLength(1)
      expect((await play(sse(paused('t1')))).reply).toMatchObject({ code: 'model_unavailable', retryable: true })
    })
  })

  it('reports a page of a gateway by its words', async () => {
    const page = `<html><body><h1>Bad Gateway</h1>${'<p>nginx</p>'.repeat(200)}</body></html>`
    const { url } = answering(502, page, { 'content-type': 'text/html' })
    const error = await failureOf(ask(await url))
    expect(error).toMatchObject({ code: 'model_unavailable', retryable: true })
    expect(error.message).toMatch(/answered 502: Bad Gateway nginx/)
    expect(error.message.length).toBeLessThan(520)
  })

  it.each([
    ['a page', 'text/html', '<p>My app</p>'],
    ['a JSON object', 'application/json', JSON.stringify(end)],
    ['a JSON list', 'application/json; charset=UTF-8', JSON.stringify([hello, end])],
  ])('says that the base URL may be wrong when %s comes instead of a stream', async (_, type, body) => {
    const url = await serve((__, response) => void response.writeHead(200, { 'content-type': type }).end(body))
    const error = await failureOf(ask(url))
    expect(error).toMatchObject({ code: 'model_bad_request', retryable: false })
    expect(error.message).toContain(`is "${type}", expected "text/event-stream": check the base URL`)
  })

  it('reports a server that is not there as unavailable', async () => {
    const url = await serve(() => {})
    await closers.pop()!()
    expect(await failureOf(ask(url))).toMatchObject({ code: 'model_unavailable', retryable: true })
  })

  it.each([
    [503, 'UNAVAILABLE', 'model_unavailable', true],
    [500, 'INTERNAL', 'model_unavailable', true],
    [429, 'RESOURCE_EXHAUSTED', 'model_rate_limit', true],
    [403, 'PERMISSION_DENIED', 'model_auth', false],
    [400, 'INVALID_ARGUMENT', 'model_bad_request', false],
  ])('reports an error %i in a stream as %s, retryable: %s', async (code, status, expected, retryable) => {
    const event = { error: { code, status, message: 'It broke.' } }
    const url = await serve((_, response) => void asStream(response).end(sse(hello, event)))
    expect(await failureOf(ask(url))).toMatchObject({
      code: expected,
      retryable,
      message: `Model "m-1" of gemini answered ${code} ${status}: It broke.`,
    })
  })

  it('reports an event that has the wrong shape, and does not ask for it again', async () => {
    const wrong = says({ functionCall: { args: {} } })
    const url = await serve((_, response) => void asStream(response).end(sse(wrong)))
    expect(await failureOf(ask(url))).toMatchObject({ code: 'model_bad_reply', retryable: false })
  })

  it('never says a key or a header, whoever repeats it', async () => {
    const headers = { 'x-session': 'secret-session-value', cookie2: 'a-cookie of-two-words' }
    const url = await serve(({ headers: got }, response) => {
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end(errorBody(401, 'UNAUTHENTICATED', `Bad headers: ${JSON.stringify(got)}`))
    })
    const error = await failureOf(ask(url, { config: { headers } }))
    const said = `${error.message} ${error.stack} ${String(error.cause)} ${JSON.stringify(error)}`
    expect(said).toContain('Bad headers')
    for (const secret of [key, 'secret-session-value', 'a-cookie', 'of-two-words']) expect(said).not.toContain(secret)
  })

  it('never says a key or a password that cannot be sent', async () => {
    const url = await serve((_, response) => void asStream(response).end(whole))
    const error = await failureOf(ask(url, { config: { apiKey: `${key}\nX-Evil: 1` } }))
    expect(error).toMatchObject({ code: 'model_bad_request', retryable: false })
    expect(`${error.message} ${error.stack}`).not.toContain(key)
    const other = await failureOf(ask(url.replace('//', '//me:my-password@')))
    expect(`${other.message} ${other.stack}`).not.toContain('my-password')
  })

  describe('sends', () => {
    interface Seen extends Pick<IncomingMessage, 'url' | 'headers'> {
      readonly body: JsonObject
    }
    const record = async (config: Config = {}, given: ModelRequest = request, suffix = '/v1') => {
      const seen: Seen[] = []
      const url = await serve(async (incoming, response) => {
        let text = ''
        for await (const piece of incoming) text += String(piece)
        seen.push({ url: incoming.url, headers: incoming.headers, body: JSON.parse(text) as JsonObject })
        asStream(response).end(whole)
      })
      await ask(url, { config: { baseURL: `${url}${suffix}`, ...config }, request: given })
      return seen[0]!
    }

    it('the whole body as it is encoded, also what the SDK does not know', async () => {
      const native = { partOfTomorrow: { a: [1] }, thoughtSignature: 'sig' }
      const messages: ModelRequest['messages'] = [
        { role: 'user', text: 'Hi' },
        {
          role: 'assistant',
          parts: [{ type: 'other', native }],
          calls: [],
          origin: { provider: 'gemini', model: 'm-1' },
        },
        { role: 'user', text: 'And?' },
      ]
      const tools = [{ name: 'find', description: 'Finds.', input: { type: 'object' }, risk: 'read' } as const]
      const { body } = await record({ maxOutputTokens: 99 }, { ...request, instructions: 'Be brief.', tools, messages })
      expect(body).toEqual({
        contents: [
          { role: 'user', parts: [{ text: 'Hi' }] },
          { role: 'model', parts: [native] },
          { role: 'user', parts: [{ text: 'And?' }] },
        ],
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        tools: [
          {
            functionDeclarations: [{ name: 'find', description: 'Finds.', parametersJsonSchema: { type: 'object' } }],
          },
        ],
        generationConfig: { maxOutputTokens: 99 },
      })
    })

    it('the key, and its own headers, to the model', async () => {
      const { url, headers } = await record({ headers: { 'x-tenant': 'shoes' } })
      expect(url).toBe('/v1/models/m-1:streamGenerateContent?alt=sse')
      expect(headers).toMatchObject({ 'x-goog-api-key': key, 'x-tenant': 'shoes', 'content-type': 'application/json' })
    })

    it('the authorization of the configuration instead of a key', async () => {
      const authorization = 'Bearer of-the-session'
      const { headers } = await record({ apiKey: undefined, headers: { authorization } })
      expect(headers.authorization).toBe(authorization)
      expect(headers['x-goog-api-key']).toBeUndefined()
      const both = await record({ headers: { authorization } })
      expect(both.headers).toMatchObject({ authorization, 'x-goog-api-key': key })
    })

    it('a placeholder without a key, and nothing of the environment', async () => {
      for (const name of ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_CLOUD_PROJECT', 'GOOGLE_CLOUD_LOCATION'])
        vi.stubEnv(name, 'of-the-environment')
      vi.stubEnv('GOOGLE_GENAI_USE_VERTEXAI', 'true')
      for (const name of ['GOOGLE_GEMINI_BASE_URL', 'GOOGLE_VERTEX_BASE_URL']) vi.stubEnv(name, 'http://127.0.0.1:1')
      const { url, headers } = await record({ apiKey: undefined })
      expect(url).toBe('/v1/models/m-1:streamGenerateContent?alt=sse')
      expect(headers['x-goog-api-key']).toBe('none')
      expect(JSON.stringify(headers)).not.toContain('of-the-environment')
    })

    it('requests under the path of a proxy, with a slash at its end or without', async () => {
      expect((await record({}, request, '/api/')).url).toBe('/api/models/m-1:streamGenerateContent?alt=sse')
      const url = await serve((_, response) => void asStream(response).end(whole))
      const seen: string[] = []
      const spy: typeof fetch = (at, init) => {
        seen.push(at instanceof Request ? at.url : at.toString())
        return fetch(at, init)
      }
      vi.stubGlobal('location', { origin: url })
      await ask(url, { config: { baseURL: '/api/model', fetch: spy } })
      expect(seen).toEqual([`${url}/api/model/models/m-1:streamGenerateContent?alt=sse`])
    })

    it('requests to version 1 of the API when nothing else is said', async () => {
      const seen: string[] = []
      const answer = (async (at: string) => {
        seen.push(at)
        return new Response(whole, { headers: { 'content-type': 'text/event-stream' } })
      }) as typeof fetch
      await ask('', { config: { baseURL: undefined, fetch: answer } })
      expect(seen).toEqual(['https://generativelanguage.googleapis.com/v1/models/m-1:streamGenerateContent?alt=sse'])
    })
  })
})

it('A missing SDK is said at run time, and what to do', async () => {
  vi.resetModules()
  vi.doMock('@google/genai/web', () => {
    throw new Error('Could not resolve it')
  })
  const { loadGeminiModel: load } = await import('../../src/models/gemini/model.js')
  const error = await failureOf(load({ provider: 'gemini', model: 'm-1' }))
  expect(error).toMatchObject({ code: 'provider_missing', retryable: false })
  expect(error.message).toContain('Provider "gemini" needs the package "@google/genai", version 3.3.0: ')
  vi.doUnmock('@google/genai/web')
})
