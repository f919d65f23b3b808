import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../src/core/json.js'
import { toFailure, type HandrailError } from '../../src/errors.js'
import { createAnthropicModel } from '../../src/models/anthropic/model.js'
import type { Model, ModelConfig, ModelDelta, ModelRequest } from '../../src/models/model.js'
import { createOpenAIModel } from '../../src/models/openai/model.js'
import { toSse, toStream } from './derived-stream.js'

const key = 'sk-test-0123456789abcdef'

const answers = {
  openai: {
    create: createOpenAIModel,
    path: '/v1/responses',
    base: '/v1',
    whole: toStream('openai', {
      status: 'completed',
      output: [
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Hello, you.' }],
        },
      ],
    }),
    failing: [
      { type: 'error', code: 'server_error', message: 'It broke.' },
      { type: 'response.failed', response: { error: { code: 'server_error', message: 'It broke.' } } },
    ],
    limited: [{ type: 'response.failed', response: { error: { code: 'rate_limit_exceeded', message: 'Slow down.' } } }],
    refused: [{ type: 'response.failed', response: { error: { code: 'invalid_prompt', message: 'Not that.' } } }],
  },
  anthropic: {
    create: createAnthropicModel,
    path: '/v1/messages',
    base: '',
    whole: toStream('anthropic', { content: [{ type: 'text', text: 'Hello, you.' }], stop_reason: 'end_turn' }),
    failing: [{ type: 'error', error: { type: 'overloaded_error', message: 'It broke.' } }],
    limited: [{ type: 'error', error: { type: 'rate_limit_error', message: 'Slow down.' } }],
    refused: [{ type: 'error', error: { type: 'invalid_request_error', message: 'Not that.' } }],
  },
}

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

const asStream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' })
const request: ModelRequest = {
  instructions: '',
  tools: [],
  messages: [{ role: 'user', text: 'Hi' }],
  cacheKey: 'session',
}

const ask = (model: Model, signal = new AbortController().signal, onDelta: (delta: ModelDelta) => void = () => {}) =>
  model.generate(request, { signal, onDelta })

const failureOf = (asked: Promise<unknown>): Promise<HandrailError> =>
  asked.then(
    () => Promise.reject(new Error('It did not fail')),
    (error: HandrailError) => error,
  )

describe.each(['openai', 'anthropic'] as const)('The %s model', (provider) => {
  const { create, path, base, whole, failing, limited, refused } = answers[provider]
  const modelAt = (url: string, more: Partial<ModelConfig> & { fetch?: typeof fetch } = {}) =>
    create({ provider, model: 'm-1', baseURL: `${url}${base}`, apiKey: key, ...more })

  it('streams a reply', async () => {
    const url = await serve((_, response) => void asStream(response).end(whole))
    const deltas: ModelDelta[] = []
    const reply = await ask(modelAt(url), undefined, (delta) => deltas.push(delta))
    expect(reply).toMatchObject({ parts: [{ type: 'text', text: 'Hello, you.' }], finish: 'stop' })
    expect(deltas.map(({ text }) => text).join('')).toBe('Hello, you.')
  })

  it('stops at once when its signal is aborted in the middle of a stream, and closes the connection', async () => {
    let closed: Promise<void> | undefined
    const url = await serve((_, response) => {
      closed = new Promise((resolve) => response.on('close', resolve))
      asStream(response).write(whole.slice(0, whole.indexOf('Hello') + 40))
      response.write(whole.slice(whole.indexOf('Hello') + 40, -60))
    })
    const controller = new AbortController()
    const error = await failureOf(ask(modelAt(url), controller.signal, () => controller.abort()))
    expect(error).toMatchObject({ code: 'model_aborted', retryable: false })
    await closed
  })

  it('sends nothing when its signal was aborted before', async () => {
    let asked = 0
    const url = await serve((_, response) => void (asked++, asStream(response).end(whole)))
    expect(await failureOf(ask(modelAt(url), AbortSignal.abort()))).toMatchObject({ code: 'model_aborted' })
    expect(asked).toBe(0)
  })

  it('reports a stream that ends or breaks before the reply as cut, after what it gave', async () => {
    const half = whole.slice(0, whole.indexOf('\n\n', whole.indexOf('Hello')) + 2)
    const enders: ((response: ServerResponse) => void)[] = [
      (response) => response.end(),
      (response) => setTimeout(() => response.destroy(), 10),
      (response) => response.end('event: x\ndata: {"type":\n\n'),
    ]
    for (const end of enders) {
      const url = await serve((_, response) => {
        asStream(response).write(half)
        end(response)
      })
      let text = ''
      const error = await failureOf(ask(modelAt(url), undefined, (delta) => (text += delta.text)))
      expect(error).toMatchObject({ code: 'model_stream_cut', retryable: true })
      expect('Hello, you.').toContain(text)
      expect(text).not.toBe('')
    }
  })

  it.each([
    [400, 'model_bad_request'],
    [401, 'model_auth'],
    [429, 'model_rate_limit'],
    [529, 'model_unavailable'],
  ])('reports an answer with status %i as %s, in the words of the provider', async (status, code) => {
    const body = { type: 'error', error: { type: 'some_error', message: 'The provider says why.' } }
    const url = await serve(
      (_, response) =>
        void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    )
    const error = await failureOf(ask(modelAt(url)))
    expect(error.code).toBe(code)
    expect(error.message).toBe(`Model "m-1" of ${provider} answered ${status} some_error: The provider says why.`)
  })

  it('reports a page of a gateway by its words', async () => {
    const page = `<html><body><h1>Bad Gateway</h1>${'<p>nginx</p>'.repeat(200)}</body></html>`
    const url = await serve((_, response) => void response.writeHead(502, { 'content-type': 'text/html' }).end(page))
    const error = await failureOf(ask(modelAt(url)))
    expect(error).toMatchObject({ code: 'model_unavailable', retryable: true })
    expect(error.message).toMatch(/answered 502: Bad Gateway nginx/)
    expect(error.message.length).toBeLessThan(520)
  })

  it('says that the base URL may be wrong when a page comes instead of a stream', async () => {
    const url = await serve(
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>My app</p>'),
    )
    const error = await failureOf(ask(modelAt(url)))
    expect(error).toMatchObject({ code: 'model_bad_request', retryable: false })
    expect(error.message).toContain('is "text/html", expected "text/event-stream": check the base URL')
  })

  it('reports a server that is not there as unavailable', async () => {
    const url = await serve(() => {})
    await closers.pop()!()
    expect(await failureOf(ask(modelAt(url)))).toMatchObject({ code: 'model_unavailable', retryable: true })
  })

  it.each([
    ...failing.map((event) => [event, 'model_unavailable', true] as const),
    ...limited.map((event) => [event, 'model_rate_limit', true] as const),
    ...refused.map((event) => [event, 'model_bad_request', false] as const),
  ])('reports the event %o in a stream as %s, retryable: %s', async (event, code, retryable) => {
    const url = await serve(
      (_, response) =>
        void asStream(response).end(whole.slice(0, whole.indexOf('\n\n') + 2) + toSse(event as JsonObject)),
    )
    expect(await failureOf(ask(modelAt(url)))).toMatchObject({ code, retryable })
  })

  it('reports an event that has the wrong shape, and does not ask for it again', async () => {
    const type = provider === 'openai' ? 'response.output_item.done' : 'content_block_start'
    const wrong: JsonObject = { type, index: 0, output_index: 0 }
    const url = await serve((_, response) => void asStream(response).end(toSse(wrong)))
    expect(await failureOf(ask(modelAt(url)))).toMatchObject({ code: 'model_bad_reply', retryable: false })
  })

  it('never says a key or a header, whoever repeats it', async () => {
    const headers = { 'x-session': 'secret-session-value', cookie2: 'a-cookie of-two-words' }
    const url = await serve(({ headers: got }, response) => {
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({
          error: { type: 'authentication_error', message: `Bad headers: ${JSON.stringify(got)} sk-other-key-123456` },
        }),
      )
    })
    const error = await failureOf(ask(modelAt(url, { headers })))
    const said = `${error.message} ${error.stack} ${String(error.cause)} ${JSON.stringify(toFailure(error))} ${JSON.stringify(error)}`
    expect(said).toContain('Bad headers')
    for (const secret of [key, 'secret-session-value', 'a-cookie', 'of-two-words', 'sk-other'])
      expect(said).not.toContain(secret)
  })

  it('never says a key or a password that cannot be sent', async () => {
    const url = await serve((_, response) => void asStream(response).end(whole))
    const error = await failureOf(ask(modelAt(url, { apiKey: `${key}\nX-Evil: 1` })))
    expect(error).toMatchObject({ code: 'model_bad_request', retryable: false })
    expect(`${error.message} ${error.stack}`).not.toContain(key)
    const other = await failureOf(ask(modelAt(url.replace('//', '//me:my-password@'))))
    expect(`${other.message} ${other.stack}`).not.toContain('my-password')
  })

  describe('sends', () => {
    const record = async (config: Partial<ModelConfig>, suffix = '') => {
      const seen: Pick<IncomingMessage, 'url' | 'headers'>[] = []
      const url = await serve(({ url: at, headers }, response) => {
        seen.push({ url: at, headers })
        asStream(response).end(whole)
      })
      await ask(modelAt(url, { baseURL: `${url}${base}${suffix}`, ...config }))
      return seen[0]!
    }

    it('the key as a bearer, and its own headers', async () => {
      const { url, headers } = await record({ headers: { 'x-tenant': 'shoes' } })
      expect(url).toBe(path)
      expect(headers).toMatchObject({ authorization: `Bearer ${key}`, 'x-tenant': 'shoes' })
    })

    it('the authorization of the configuration instead of a key', async () => {
      const { headers } = await record({ apiKey: undefined, headers: { authorization: 'Bearer of-the-session' } })
      expect(headers.authorization).toBe('Bearer of-the-session')
    })

    it('a placeholder without a key, and nothing of the environment', async () => {
      for (const name of [
        'OPENAI_API_KEY',
        'OPENAI_ADMIN_KEY',
        'OPENAI_ORG_ID',
        'ANTHROPIC_API_KEY',
        'ANTHROPIC_AUTH_TOKEN',
      ])
        vi.stubEnv(name, 'of-the-environment')
      for (const name of ['OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL']) vi.stubEnv(name, 'http://127.0.0.1:1')
      const { headers } = await record({ apiKey: undefined })
      expect(headers.authorization).toBe('Bearer none')
      expect(JSON.stringify(headers)).not.toContain('of-the-environment')
    })

    it('requests under the path of a proxy, with a slash at its end or without', async () => {
      expect((await record({}, '/')).url).toBe(path)
      const url = await serve((_, response) => void asStream(response).end(whole))
      const seen: string[] = []
      const spy: typeof fetch = (at, init) => {
        seen.push(at instanceof Request ? at.url : at.toString())
        return fetch(at, init)
      }
      vi.stubGlobal('location', { origin: url })
      await ask(create({ provider, model: 'm-1', baseURL: '/api/model', fetch: spy }))
      expect(seen).toEqual([`${url}/api/model${path.replace(base, '')}`])
    })
  })

  it('lets an exception of the one who listens through as it is', async () => {
    const url = await serve((_, response) => void asStream(response).end(whole))
    const mistake = new RangeError('of the listener')
    const asked = ask(modelAt(url), undefined, () => {
      throw mistake
    })
    await expect(asked).rejects.toBe(mistake)
  })
})
