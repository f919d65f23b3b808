import { createAgent, defineTool, HandrailError, type Agent, type Run } from 'handrail'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { providers, wires, type Said } from '../models/transport-streams.js'
import type { Answer, Seen } from './provider-server.js'

const server = inject('provider')

/** The ids of the orders that the tool was asked for, by plan. */
const found = new Map<string, number>()
const findOrder = defineTool({
  name: 'find_order',
  description: 'Finds an order by its id',
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  risk: 'read',
  run({ id }: { readonly id: string }) {
    found.set(id, (found.get(id) ?? 0) + 1)
    return { id, total: 12 }
  },
})

const answer = 'Grüße: 12 €, 日本 🙂.'
const asJson = { 'content-type': 'application/json' }

describe.each(providers)('%s in the agent worker', (provider) => {
  const wire = wires[provider]
  const stream = (said: Said) => wire.events(said).join('')
  const asks = (id: string): Said => ({ text: 'Ich sehe nach: ä 🙂.', call: { name: 'find_order', input: { id } } })
  const refusal = (status: number, headers: Answer['headers'] = {}): Answer => ({
    status,
    headers: { ...asJson, ...headers },
    body: JSON.stringify(wire.refusal(status, 'Not now.')),
  })

  let agent: Agent
  beforeAll(() => {
    agent = createAgent({
      // Long enough for a loaded machine: only one test is silent.
      model: { provider, model: 'm-1', baseURL: `${server}${wire.base}`, timeout: 1500 },
      instructions: 'Help with orders.',
      tools: [findOrder],
      owner: `owner-${crypto.randomUUID()}`,
      store: 'memory',
    })
  })
  afterAll(() => agent.close())

  interface Outcome {
    readonly answer: string
    readonly seen: Seen
    /** Of each attempt: what was wrong, or that it was whole. */
    readonly attempts: readonly string[]
    readonly calls: number
  }

  /** The answers that the provider is to give, by the id of the order that the run is about. */
  async function runOf(plan: (id: string) => readonly Answer[]): Promise<Outcome> {
    const id = crypto.randomUUID()
    await fetch(`${server}/plans/${id}`, { method: 'PUT', body: JSON.stringify(plan(id)) })
    const run = agent.session(id).run(`Where is plan-${id}?`)
    const said = await run.answer.catch((error: unknown) => {
      if (!HandrailError.is(error)) throw error
      return `${error.code}: ${error.message}`
    })
    return { answer: said, seen: await seenOf(id), attempts: attemptsOf(run), calls: found.get(id) ?? 0 }
  }

  const seenOf = async (id: string) => (await (await fetch(`${server}/plans/${id}`)).json()) as Seen

  const attemptsOf = (run: Run) => {
    const messages = run.events.filter((event) => event.type === 'assistant-message')
    const starts = run.events.filter((event) => event.type === 'step-start')
    expect(starts).toHaveLength(messages.length)
    return messages.map(
      ({ failure, complete }, i) => `${starts[i]!.step}.${starts[i]!.attempt} ${complete ? 'whole' : failure?.code}`,
    )
  }

  /** The whole of a run with one call; `first` is what each of its two answers is like. */
  const well = (id: string, like: Partial<Answer> = {}): Answer[] => [
    { body: stream(asks(id)), ...like },
    { body: stream({ text: answer }), ...like },
  ]
  const wellDone = { answer, calls: 1 }
  /** What `answers` come to before a run that goes well. */
  const after = async (answers: readonly Answer[]) => runOf((id) => [...answers, ...well(id)])

  it('streams a run with a call, whatever the size of the pieces and the time between them', async () => {
    const likes: Partial<Answer>[] = [{}, { size: 29, delay: 0 }, { size: 64, delay: 5 }]
    for (const outcome of await Promise.all(likes.map((like) => runOf((id) => well(id, like)))))
      expect(outcome).toMatchObject({ ...wellDone, attempts: ['1.1 whole', '2.1 whole'] })
  })

  it('waits as long as a 429 asks, then goes on by itself', async () => {
    const { seen, ...outcome } = await after([refusal(429, { 'retry-after': '1' })])
    expect(outcome).toMatchObject({ ...wellDone, attempts: ['1.1 model_rate_limit', '1.2 whole', '2.1 whole'] })
    expect(seen[1]!.at - seen[0]!.at).toBeGreaterThanOrEqual(1000)
  })

  it('goes on after a 500, a 503 and a 529', async () => {
    const soon = { 'retry-after-ms': '5' }
    const outcome = await after([refusal(500, soon), refusal(503, soon), refusal(529, soon)])
    const failed = 'model_unavailable'
    const attempts = [`1.1 ${failed}`, `1.2 ${failed}`, `1.3 ${failed}`, '1.4 whole', '2.1 whole']
    expect(outcome).toMatchObject({ ...wellDone, attempts })
  })

  it('fails with the reason when each of its attempts is refused', async () => {
    const outcome = await runOf(() => [refusal(503, { 'retry-after-ms': '5' })])
    expect(outcome.answer).toMatch(/^run_failed: .*answered 503 \w+: Not now\./)
    expect(outcome.attempts).toEqual([1, 2, 3, 4].map((attempt) => `1.${attempt} model_unavailable`))
  })

  it('fails at once when it is asked to wait for too long, or not to come back', async () => {
    const [long, never] = await Promise.all([
      runOf(() => [refusal(429, { 'retry-after': '3600' })]),
      runOf(() => [refusal(500, { 'x-should-retry': 'false' })]),
    ])
    expect(long.answer).toMatch(/Not now\. It asks to wait 3600 s, which is too long\./)
    expect([long.attempts, never.attempts]).toEqual([['1.1 model_rate_limit'], ['1.1 model_unavailable']])
  })

  it('takes a page for a wrong base URL, and fails', async () => {
    const outcome = await runOf(() => [{ headers: { 'content-type': 'text/html' }, body: '<p>My app</p>' }])
    expect(outcome.answer).toMatch(/^run_failed: .* is "text\/html", expected "text\/event-stream": check the base URL/)
    expect(outcome.attempts).toEqual(['1.1 model_bad_request'])
  })

  it('in a stream that is cut at any event goes on by itself, and makes the call once', async () => {
    const count = wire.events(asks('')).length - wire.spare
    const cuts = Array.from({ length: count }, (_, at) => at)
    const outcomes = await Promise.all(
      cuts.map((at) =>
        runOf((id) => [
          { body: wire.events(asks(id)).slice(0, at).join(''), ...(at % 2 === 0 && { end: 'reset' }) },
          ...well(id),
        ]),
      ),
    )
    const attempts = ['1.1 model_stream_cut', '1.2 whole', '2.1 whole']
    for (const { attempts: got, ...outcome } of outcomes) {
      expect(outcome).toMatchObject(wellDone)
      // Where nothing at all has come, a browser takes the reset for a connection that it could not make.
      expect([attempts, ['1.1 model_unavailable', ...attempts.slice(1)]]).toContainEqual(got)
    }
  })

  it('that stays silent is left and asked again', async () => {
    const body = wire.events(asks('O-1')).slice(0, 2).join('')
    const [mute, silent, inEvent] = await Promise.all([
      after([{ end: 'mute' }]),
      after([{ body, end: 'silent' }]),
      after([{ body: `${body}data: {"te`, end: 'silent' }]),
    ])
    expect(mute).toMatchObject({ ...wellDone, attempts: ['1.1 model_unavailable', '1.2 whole', '2.1 whole'] })
    for (const outcome of [silent, inEvent])
      expect(outcome).toMatchObject({ ...wellDone, attempts: ['1.1 model_stream_cut', '1.2 whole', '2.1 whole'] })
    for (const { seen } of [mute, silent, inEvent])
      expect(seen.map(({ isLeft }) => isLeft)).toEqual([true, false, false])
  })

  it('that is cancelled in mid-stream leaves the provider, and nothing of its reply is done', async () => {
    const id = crypto.randomUUID()
    const plan: Answer[] = [{ body: wire.events(asks(id)).join(''), size: 64, delay: 20 }]
    await fetch(`${server}/plans/${id}`, { method: 'PUT', body: JSON.stringify(plan) })
    const run = agent.session(id).run(`Where is plan-${id}?`)
    for await (const update of run) if (update.type === 'delta') await run.cancel().catch(() => undefined)
    await expect(run.answer).rejects.toMatchObject({ code: 'run_cancelled' })
    expect(attemptsOf(run)).toEqual(['1.1 model_aborted'])
    await vi.waitFor(async () => expect((await seenOf(id)).map(({ isLeft }) => isLeft)).toEqual([true]))
    expect(found.get(id)).toBeUndefined()
  })

  it('takes JSON in place of a stream as it should: an error, or the answer of a server that does not stream', async () => {
    const message = { role: 'assistant', content: answer }
    const whole = { object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }] }
    const outcome = await runOf(() => [{ headers: asJson, body: JSON.stringify(whole) }])
    const isChat = provider === 'openai-compatible'
    expect(outcome.attempts).toEqual([isChat ? '1.1 whole' : '1.1 model_bad_request'])
    expect(outcome.answer).toContain(isChat ? answer : 'is "application/json", expected "text/event-stream"')
  })
})
