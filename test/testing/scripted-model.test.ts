import { describe, expect, it } from 'vitest'
import type { HandrailError } from '../../src/errors.js'
import type { ModelDelta, ModelRequest } from '../../src/models/model.js'
import { scriptedModel, type ScriptedModel } from '../../src/testing/index.js'

const request: ModelRequest = {
  instructions: 'Be brief.',
  tools: [],
  messages: [{ role: 'user', text: 'Hi' }],
  cacheKey: 's',
}
const ask = (
  model: ScriptedModel,
  onDelta: (delta: ModelDelta) => void = () => {},
  signal = new AbortController().signal,
  asked = request,
) => model.generate(asked, { signal, onDelta })
const failureOf = (asked: Promise<unknown>) =>
  asked.then(
    () => Promise.reject(new Error('It did not fail')),
    (error: HandrailError) => error,
  )

describe('scriptedModel()', () => {
  it('plays its replies in order', async () => {
    const model = scriptedModel([
      {
        reasoning: 'Look.',
        text: 'I look.',
        calls: [
          { tool: 'find', input: { a: 1 } },
          { tool: 'read', inputText: '{"a":' },
        ],
      },
      { text: 'Done.', usage: { input: 1, output: 2 } },
      { finish: 'length' },
    ])
    expect(await ask(model)).toMatchObject({
      finish: 'calls',
      parts: [
        { type: 'reasoning', text: 'Look.' },
        { type: 'text', text: 'I look.' },
        { type: 'call', toolName: 'find', inputText: '{"a":1}' },
        { type: 'call', toolName: 'read', inputText: '{"a":' },
      ],
    })
    expect(await ask(model)).toEqual({
      parts: [{ type: 'text', text: 'Done.' }],
      finish: 'stop',
      usage: { input: 1, output: 2 },
    })
    expect(await ask(model)).toMatchObject({ parts: [], finish: 'length', usage: { estimated: true } })
    expect(() => model.assertDone()).not.toThrow()
  })

  it('streams text and arguments in pieces that never cut a character', async () => {
    const model = scriptedModel([{ text: 'a👍b👍', calls: [{ tool: 'find', input: { name: 'Zoë' } }] }], {
      chunkSize: 2,
    })
    const deltas: ModelDelta[] = []
    await ask(model, (delta) => deltas.push(delta))
    expect(deltas.filter(({ type }) => type === 'text').map(({ text }) => text)).toEqual(['a👍', 'b👍'])
    const call = deltas.filter((delta) => delta.type === 'call')
    expect(call.length).toBeGreaterThan(5)
    expect(call.every(({ index, toolName }) => index === 1 && toolName === 'find')).toBe(true)
    expect(call.map(({ text }) => text).join('')).toBe('{"name":"Zoë"}')
  })

  it('makes a reply of the request that it answers', async () => {
    const model = scriptedModel([
      ({ messages }) => ({ text: `You said ${messages.length} things` }),
      async () => ({ text: 'Later' }),
    ])
    expect(await ask(model)).toMatchObject({ parts: [{ text: 'You said 1 things' }] })
    expect(await ask(model)).toMatchObject({ parts: [{ text: 'Later' }] })
  })

  it('stops in the middle when its signal is aborted, and before anything when it was', async () => {
    const model = scriptedModel([{ text: 'A long reply that is never told' }, { text: 'x' }], { chunkSize: 1 })
    const controller = new AbortController()
    let text = ''
    const stopped = ask(
      model,
      (delta) => ((text += delta.text), text.length === 3 && controller.abort()),
      controller.signal,
    )
    expect(await failureOf(stopped)).toMatchObject({ code: 'model_aborted' })
    expect(text).toBe('A l')
    expect(await failureOf(ask(model, () => {}, AbortSignal.abort()))).toMatchObject({ code: 'model_aborted' })
  })

  it('stops at once while it waits for its next piece', async () => {
    const model = scriptedModel([{ text: 'Hello' }], { delay: 60_000 })
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 5)
    expect(await failureOf(ask(model, () => {}, controller.signal))).toMatchObject({ code: 'model_aborted' })
  })

  it('cuts a stream after its text', async () => {
    let text = ''
    const error = await failureOf(ask(scriptedModel([{ text: 'So far', cut: true }]), (delta) => (text += delta.text)))
    expect(error).toMatchObject({ code: 'model_stream_cut', retryable: true })
    expect(text).toBe('So far')
  })

  it('fails as a reply says, once', async () => {
    const model = scriptedModel([
      { error: { code: 'model_rate_limit', message: 'Slow down.', retryable: true } },
      { error: { code: 'model_auth' } },
      { text: 'x' },
    ])
    expect(await failureOf(ask(model))).toMatchObject({
      code: 'model_rate_limit',
      message: 'Slow down.',
      retryable: true,
    })
    expect(await failureOf(ask(model))).toMatchObject({ code: 'model_auth', retryable: false })
    expect(await ask(model)).toMatchObject({ parts: [{ text: 'x' }] })
  })

  it('says what it was asked when it has no reply left', async () => {
    const model = scriptedModel([])
    const error = await failureOf(ask(model))
    expect(error).toMatchObject({ code: 'scripted_unexpected', retryable: false })
    expect(error.message).toBe('Scripted model got request 1, but has 0 replies; its last message is of user')
  })

  it('says how many replies were not asked for', async () => {
    const model = scriptedModel([{ text: 'a' }, { text: 'b' }, { text: 'c' }])
    await ask(model)
    expect(() => model.assertDone()).toThrow('Scripted model has 2 of 3 replies left')
  })

  it('refuses pieces without a character', () => {
    expect(() => scriptedModel([], { chunkSize: 0 })).toThrow('Cannot stream in pieces of 0 characters')
  })
})
