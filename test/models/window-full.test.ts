import { describe, expect, it } from 'vitest'
import { isWindowFull } from '../../src/models/failures.js'
import { ask, failureOf, loadModel } from './transport-models.js'
import { providers, wires } from './transport-streams.js'

/** In the words of providers and of servers at home. */
const full: readonly string[] = [
  "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
  'The input exceeds the context window.',
  'Your input exceeds the context window of this model. Please adjust your input and try again.',
  'prompt is too long: 210000 tokens > 200000 maximum',
  'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  'the request exceeds the available context size, try increasing it',
  'Input is too long for requested model.',
]
const other: readonly string[] = [
  "Invalid 'max_output_tokens': integer above maximum value.",
  'max_tokens: 300000 > 64000, which is the maximum allowed number of output tokens for claude',
  'The string in messages.0.content.0.text is too long',
  'tools.0.name: String should have at most 64 characters',
]

describe.each(providers)('A full window of %s', (provider) => {
  const answer = (message: string, status: number) => async () =>
    new Response(JSON.stringify(wires[provider].refusal(status, message)), {
      status,
      headers: { 'content-type': 'application/json' },
    })
  const load = (message: string, status = 400) =>
    loadModel(provider, 'http://provider.test', { fetch: answer(message, status) })

  it.each(full)('ends the reply as one, whatever it is called: %s', async (message) => {
    expect(await ask(await load(message))).toEqual({ parts: [], finish: 'context' })
  })

  it.each(other)('is not what is meant by: %s', async (message) => {
    expect(await failureOf(ask(await load(message)))).toMatchObject({ code: 'model_bad_request' })
  })

  it('is no server that is down', async () => {
    expect(await failureOf(ask(await load(full[0]!, 500)))).toMatchObject({ code: 'model_unavailable' })
  })
})

it('A window is full by its code, too', () => {
  expect(isWindowFull({ status: 400, code: 'context_length_exceeded', message: 'Shorten it.' })).toBe(true)
})
