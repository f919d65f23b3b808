import type { Page } from 'playwright'
import { isJsonObject, type JsonObject } from '../../src/core/json.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { randomOf } from '../chaos/plan.js'
import { factsOfClient, returned, wires } from '../models/recorded-client.js'
import { serveRecordings, type RecordedServer } from '../models/recorded-server.js'
import { callsOf, hasRecordings, recordings, type Provider, type Recording } from '../models/recordings.js'
import { openSite, type Site } from '../pages/open-site.js'
import type { Outcome, Recorded, RecordedResult } from './page.js'

const providers: readonly Provider[] = ['openai', 'anthropic']
/** Whole conversations of one message: every call was answered, and the last answer asks for none. */
const loops = providers.flatMap(recordings).filter(({ ends, steps }) => ends && steps[0]!.added.length === 1)
/** Asks a person what only the provider may run, or goes on with a program that an earlier answer began. */
const isOfAnother = (item: JsonObject, items: readonly JsonObject[]): boolean =>
  item.type === 'mcp_approval_request' ||
  (isJsonObject(item.caller) &&
    item.caller.type === 'program' &&
    !items.some(({ type, call_id }) => type === 'program' && call_id === (item.caller as JsonObject).caller_id))
/** True streams whose next request was not recorded. The call of an answer that was cut is not one to run. */
const openEnded = providers.flatMap(recordings).filter(({ ends, derived, steps }) => {
  const { end, items } = steps.at(-1)!.answer
  return !ends && !derived && end !== 'max_tokens' && !items.some((item) => isOfAnother(item, items))
})
const ofProvider = (list: readonly Recording[], wanted: Provider) => list.filter(({ provider }) => provider === wanted)
const titled = (list: readonly Recording[]) =>
  list.map((recording) => [`${recording.derived ? 'DERIVED stream of ' : ''}${recording.name}`, recording] as const)

const seed = Number(process.env.HANDRAIL_SEED ?? Math.floor(Math.random() * 1e6))
const atATime = 4

describe.skipIf(!hasRecordings)(`real recordings through the real worker (seed ${seed})`, { timeout: 120_000 }, () => {
  let site: Site
  let page: Page
  let server: RecordedServer
  const outcomes = new Map<Recording, Promise<Outcome>>()
  const all = [...loops, ...openEnded]
  const waiting = [...all]
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const recording = toRecorded(next, server.baseURL(next))
      const outcome = page.evaluate(`play(${JSON.stringify(recording)})`) as Promise<Outcome>
      outcomes.set(next, outcome)
      await outcome.catch(() => undefined)
    }
  }
  beforeAll(async () => {
    const random = randomOf(seed)
    server = await serveRecordings(all, { nextSize: () => 1 + Math.floor(random() ** 3 * 3000) })
    site = await openSite('real-input')
    page = await site.browser.newPage()
    await page.goto(site.url)
    await Promise.all(Array.from({ length: atATime }, lane))
  }, 300_000)
  afterAll(async () => {
    await site.close()
    await server.close()
  })

  it.each(providers)('are at least ten whole conversations, and nine true streams, of %s', (provider) => {
    expect(ofProvider(loops, provider).length).toBeGreaterThanOrEqual(10)
    const streams = all.filter(({ derived }) => !derived)
    expect(ofProvider(streams, provider).length).toBeGreaterThanOrEqual(9)
  })

  it.each(titled(loops))('make the recorded calls, and end as recorded: %s', async (_, recording) => {
    const { calls, answer, code } = await outcomes.get(recording)!
    expect({ calls, answer, code }).toEqual({
      calls: wantedOf(recording),
      answer: recording.steps.at(-1)!.answer.text,
      code: undefined,
    })
  })

  it.each(titled(loops))('send what the recorded client sent, own items verbatim: %s', async (_, recording) => {
    await outcomes.get(recording)
    const bodies = server.requests(recording)
    const { facts, complaints, sent } = wires[recording.provider]
    expect(bodies.map((body) => facts(body))).toEqual(recording.steps.map((__, i) => factsOfClient(recording, i)))
    expect(bodies.flatMap((body) => complaints(body))).toEqual([])
    for (const [i, body] of bodies.entries())
      expect(sent(body)).toEqual(expect.arrayContaining(returned(recording, recording.steps.slice(0, i))))
  })

  it.each(titled(openEnded))('make the recorded calls, and send them back verbatim: %s', async (_, recording) => {
    const { calls } = await outcomes.get(recording)!
    const [, next] = server.requests(recording)
    const { complaints, sent } = wires[recording.provider]
    expect(calls).toEqual(wantedOf(recording))
    expect(sent(next!)).toEqual(expect.arrayContaining(returned(recording, recording.steps)))
    expect(complaints(next!)).toEqual([])
  })
})

const wantedOf = ({ steps }: Recording) =>
  steps.flatMap(({ answer }) => callsOf(answer).map(({ name, input }) => ({ toolName: name, input })))

function toRecorded({ provider, model, instructions, userText, tools, steps }: Recording, baseURL: string): Recorded {
  const calls = steps.flatMap(({ answer }) => callsOf(answer))
  const results = steps.flatMap(({ added }) =>
    added.flatMap((fact): RecordedResult[] => {
      const call = 'result' in fact && calls.find((made) => made.call === fact.result)
      return call ? [{ toolName: call.name, input: call.input, output: fact.text }] : []
    }),
  )
  return { provider, model, baseURL, instructions, userText, tools, results }
}
