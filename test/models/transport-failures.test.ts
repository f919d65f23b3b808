import { describe, expect, it, vi } from 'vitest'
import type { JsonObject } from '../../src/core/json.js'
import { toFailure } from '../../src/errors.js'
import { ask, failureOf, loadModel, streamOf } from './transport-models.js'
import { providers, wires, type Provider } from './transport-streams.js'

type Headers = Readonly<Record<string, string>>
interface Answer {
  readonly status: number
  readonly name?: string
  readonly message?: string
  readonly headers?: Headers
}

const spendLimit = 'This request would exceed your organization’s monthly spend limit.'
const perMinute = 'This request would exceed the rate limit of 50,000 input tokens per minute.'

/** The answer, what it comes to, and whether it is tried again. */
const rows: readonly [Answer, string, boolean][] = [
  [{ status: 400 }, 'model_bad_request', false],
  [{ status: 401 }, 'model_auth', false],
  [{ status: 402 }, 'model_bad_request', false],
  [{ status: 403 }, 'model_auth', false],
  [{ status: 404 }, 'model_bad_request', false],
  [{ status: 408 }, 'model_unavailable', true],
  [{ status: 409 }, 'model_unavailable', true],
  [{ status: 413 }, 'model_bad_request', false],
  [{ status: 422 }, 'model_bad_request', false],
  [{ status: 429 }, 'model_rate_limit', true],
  [{ status: 429, message: perMinute }, 'model_rate_limit', true],
  [{ status: 429, message: spendLimit }, 'model_rate_limit', false],
  [{ status: 429, message: spendLimit, headers: { 'retry-after': '3' } }, 'model_rate_limit', true],
  [{ status: 429, name: 'insufficient_quota' }, 'model_rate_limit', false],
  [{ status: 429, name: 'credit_balance_exhausted' }, 'model_rate_limit', false],
  [{ status: 429, name: 'organization_spend_limit_exceeded' }, 'model_rate_limit', false],
  [{ status: 429, name: 'project_spend_limit_exceeded' }, 'model_rate_limit', false],
  [{ status: 429, name: 'organization_usage_limit_exceeded' }, 'model_rate_limit', false],
  [{ status: 429, name: 'insufficient_quota', headers: { 'x-should-retry': 'true' } }, 'model_rate_limit', false],
  [{ status: 500 }, 'model_unavailable', true],
  [{ status: 501 }, 'model_bad_request', false],
  [{ status: 502 }, 'model_unavailable', true],
  [{ status: 503 }, 'model_unavailable', true],
  [{ status: 504 }, 'model_unavailable', true],
  [{ status: 529 }, 'model_unavailable', true],
  [{ status: 503, headers: { 'x-should-retry': 'false' } }, 'model_unavailable', false],
  [{ status: 400, headers: { 'x-should-retry': 'true' } }, 'model_bad_request', true],
]

/** The name of a failure that comes in mid-stream. */
const named: readonly [string, string, boolean][] = [
  ['authentication_error', 'model_auth', false],
  ['permission_error', 'model_auth', false],
  ['UNAUTHENTICATED', 'model_auth', false],
  ['rate_limit_error', 'model_rate_limit', true],
  ['rate_limit_exceeded', 'model_rate_limit', true],
  ['slow_down', 'model_rate_limit', true],
  ['RESOURCE_EXHAUSTED', 'model_rate_limit', true],
  ['insufficient_quota', 'model_rate_limit', false],
  ['server_error', 'model_unavailable', true],
  ['server_is_overloaded', 'model_unavailable', true],
  ['overloaded_error', 'model_unavailable', true],
  ['api_error', 'model_unavailable', true],
  ['timeout_error', 'model_unavailable', true],
  ['UNAVAILABLE', 'model_unavailable', true],
  ['INTERNAL', 'model_unavailable', true],
  ['DEADLINE_EXCEEDED', 'model_unavailable', true],
  ['invalid_request_error', 'model_bad_request', false],
  ['invalid_prompt', 'model_bad_request', false],
  ['not_found_error', 'model_bad_request', false],
  ['INVALID_ARGUMENT', 'model_bad_request', false],
]

async function refused(provider: Provider, { status, name, message = 'Why.', headers }: Answer) {
  let asked = 0
  const fetch = async () => {
    asked++
    const body = JSON.stringify(wires[provider].refusal(status, message, name))
    return new Response(body, { status, headers: { 'content-type': 'application/json', ...headers } })
  }
  const error = await failureOf(ask(await loadModel(provider, 'http://provider.test', { fetch })))
  expect(asked).toBe(1)
  return error
}

describe.each(providers)('What is tried again of %s', (provider) => {
  it.each(rows)('of an answer as %o: %s, retryable %s, after one request', async (answer, code, retryable) => {
    expect(await refused(provider, answer)).toMatchObject({ code, retryable })
  })

  // Gemini's own have a number beside their name.
  it.each(named.filter(([name]) => provider !== 'gemini' || /^[A-Z]/.test(name)))(
    'of a stream that says %s: %s, retryable %s',
    async (name, code, retryable) => {
      const [first] = wires[provider].events({ text: 'Hello' })
      const fetch = async () => streamOf(first + wires[provider].failure(name, 'It broke.'))
      const error = await failureOf(ask(await loadModel(provider, 'http://provider.test', { fetch })))
      expect(error).toMatchObject({ code, retryable })
      expect(error.message).toContain('It broke.')
    },
  )

  it.each<[string, Headers, number | undefined]>([
    ['milliseconds, which count first', { 'retry-after-ms': '1250', 'retry-after': '9' }, 1250],
    ['seconds', { 'retry-after': '3' }, 3000],
    ['half seconds', { 'retry-after': '0.5' }, 500],
    ['nothing', { 'retry-after': '0' }, 0],
    [
      'a date, by the clock of the server',
      { 'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT', date: 'Wed, 21 Oct 2026 07:28:00 GMT' },
      30_000,
    ],
    ['a date that is past', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
    ['what is no time', { 'retry-after': 'soon', 'retry-after-ms': '' }, undefined],
    ['a time before now', { 'retry-after': '-5' }, undefined],
  ])('is waited for as its answer asks: %s', async (_, headers, retryAfter) => {
    const error = await refused(provider, { status: 503, headers })
    expect(error).toMatchObject({ retryable: true, retryAfter })
    expect(toFailure(error).retryAfter).toBe(retryAfter)
  })

  it('by a date is waited for by our own clock, where the server tells none', async () => {
    vi.setSystemTime('2026-10-21T07:28:20Z')
    try {
      const headers = { 'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT' }
      expect(await refused(provider, { status: 429, headers })).toMatchObject({ retryable: true, retryAfter: 10_000 })
    } finally {
      vi.useRealTimers()
    }
  })

  it('of a 200 with JSON that is an error: as the error says', async () => {
    const answer = (body: JsonObject) => async () =>
      new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } })
    const failing = async (body: JsonObject) =>
      failureOf(ask(await loadModel(provider, 'http://provider.test', { fetch: answer(body) })))
    const name = provider === 'gemini' ? 'UNAVAILABLE' : 'server_error'
    const error = await failing(wires[provider].refusal(503, 'It is down.', name))
    expect(error).toMatchObject({ code: 'model_unavailable', retryable: true })
    expect(error.message).toContain(': It is down.')
    expect(await failing({ hello: 1 })).toMatchObject({ retryable: false })
  })

  it('is told without the key of whoever answers, be it in a refusal or in mid-stream', async () => {
    const said =
      'Upstream https://me:my-password@up.test/v1?key=AIzaSyB-0123456789&alt=sse refused gsk_0123456789, Bearer abcdef'
    const [first] = wires[provider].events({ text: 'Hello' })
    const fetch = async () => streamOf(first + wires[provider].failure('INTERNAL', said))
    const errors = [
      await refused(provider, { status: 400, message: said }),
      await failureOf(ask(await loadModel(provider, 'http://provider.test', { fetch }))),
    ]
    for (const { message, stack } of errors) {
      expect(message).toContain(
        'Upstream https://[redacted]@up.test/v1?key=[redacted]&alt=sse refused [redacted], [redacted]',
      )
      expect(stack).not.toMatch(/my-password|0123456789|abcdef/)
    }
  })

  it('does not wait longer than a minute, and says so', async () => {
    const long = await refused(provider, { status: 429, headers: { 'retry-after': '61' } })
    expect(long).toMatchObject({ code: 'model_rate_limit', retryable: false })
    expect(long.message).toMatch(/ Why\. It asks to wait 61 s, which is too long\.$/)
    expect(await refused(provider, { status: 429, headers: { 'retry-after': '60' } })).toMatchObject({
      retryable: true,
      retryAfter: 60_000,
    })
  })
})
