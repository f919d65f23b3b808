import { expect, it } from 'vitest'
import { isJsonObject, type JsonObject } from '../../src/core/json.js'
import type { Message } from '../../src/core/transcript.js'
import { createAnthropicModel } from '../../src/models/anthropic/model.js'
import { toSse } from './derived-stream.js'
import { listOf } from './recorded-json.js'

const origin = { provider: 'anthropic', model: 'claude-opus-5' }
const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
const thought: JsonObject = { type: 'thinking', thinking: 'I see.', signature: 'opaque' }
const said = { type: 'text', text: 'Hello.' } as const
const history: readonly Message[] = [
  { role: 'user', text: 'Hi' },
  { role: 'assistant', parts: [{ type: 'reasoning', text: '', native: thought }, said], calls: [], origin },
  { role: 'user', text: 'And now?' },
]
const events: readonly JsonObject[] = [
  { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: {} } },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} },
  { type: 'message_stop' },
]
const whole = events.map(toSse).join('')

/** A provider that takes no strict tools, and no thinking that came before other tools than those of now. */
function provider() {
  const asked: { readonly strict: boolean; readonly thinks: boolean }[] = []
  const answer = (_: unknown, init?: RequestInit): Promise<Response> => {
    const body = JSON.parse(init?.body as string) as JsonObject
    const strict = listOf(body.tools).some((tool) => 'strict' in tool)
    const thinks = JSON.stringify(body.messages).includes('"signature"')
    asked.push({ strict, thinks })
    const why = strict
      ? 'tools.0.strict: Extra inputs are not permitted'
      : thinks
        ? 'Invalid `signature` in `thinking` block. The block is bound to a different conversation'
        : undefined
    const error = { type: 'error', error: { type: 'invalid_request_error', message: why ?? '' } }
    return Promise.resolve(
      why === undefined
        ? new Response(whole, { headers: { 'content-type': 'text/event-stream' } })
        : Response.json(error, { status: 400 }),
    )
  }
  return { asked, answer }
}

it('a tool that has to be told in another way costs Claude the thinking before it, once a request, and never the conversation', async () => {
  const { asked, answer } = provider()
  const model = createAnthropicModel({ ...origin, baseURL: 'https://server.example', fetch: answer })
  const ask = (messages: readonly Message[]) =>
    model.generate(
      {
        instructions: 'Be brief.',
        tools: [{ name: 'find', description: 'Finds.', input: schema, risk: 'read', strict: true }],
        messages,
        cacheKey: 's',
      },
      { signal: new AbortController().signal, onDelta: () => {} },
    )
  const { remarks = [] } = await ask(history)
  expect(asked.splice(0)).toEqual([
    { strict: true, thinks: true },
    { strict: false, thinks: true },
    { strict: false, thinks: false },
  ])
  expect(remarks.flatMap(({ detail }) => (isJsonObject(detail) ? [detail.without] : []))).toEqual([
    'strict',
    'thinking of the history',
  ])
  await ask(history)
  expect(asked.splice(0)).toEqual([
    { strict: false, thinks: true },
    { strict: false, thinks: false },
  ])
  // Another session has no such thinking, and is asked once.
  await ask([{ role: 'user', text: 'Hi' }])
  expect(asked).toEqual([{ strict: false, thinks: false }])
})
