import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/core/json.js'
import { openSite, type Site } from '../pages/open-site.js'
import type { Outcome, Recorded, RecordedResult } from '../real-input/page.js'
import { configOf, essence, rulesFor, unsupported } from './chat-canonical.js'
import { chatRecordings, hasRecordings, toolsOf, type ChatRecording } from './chat-recordings.js'
import { chatComplaints } from './chat-rules.js'
import { eventsOf, listOf, record, textOf } from './recorded-json.js'

/** A conversation of one question, with the answers as they were recorded. */
type Conversation = readonly ChatRecording[]

const said = ({ request }: ChatRecording): JsonObject[] =>
  listOf(request?.messages).filter(({ role }) => !/system|developer/.test(textOf(role)))
const asksForTools = ({ body, isStream }: ChatRecording): boolean =>
  (isStream ? eventsOf(body) : [JSON.parse(body) as JsonObject]).some(({ choices }) => {
    const { message, delta } = listOf(choices)[0] ?? {}
    return listOf(record(message ?? delta).tool_calls).length > 0
  })

/** What the user is told, without thoughts in tags. */
const textIn = ({ body, isStream }: ChatRecording): string => {
  const messages = (isStream ? eventsOf(body) : [JSON.parse(body) as JsonObject]).map(({ choices }) => {
    const { message, delta } = listOf(choices)[0] ?? {}
    return record(message ?? delta)
  })
  const texts = messages.map(
    ({ content, refusal }) => textOf(essence({ content: content ?? '' }).text) || textOf(refusal),
  )
  return texts.join('').replace(/^\s*<think>[^]*?(<\/think>\s*|$)/, '')
}

/** Whole ones: the first request has one message, each next one answers all calls, and the last answer asks for none. */
function conversations(): Conversation[] {
  const all = chatRecordings().filter(({ status, request, body }) => {
    // One that was cut at its token limit would be sent on.
    const isCut = /"finish_reason": ?"length"/.test(body)
    return status === 200 && request && !unsupported(request) && !isCut && !/"error": ?\{/.test(body)
  })
  return all.flatMap((first, i): Conversation[] => {
    if (said(first).length !== 1 || said(first)[0]?.role !== 'user') return []
    const steps = [first]
    for (const next of all.slice(i + 1)) {
      const last = steps.at(-1)!
      if (!asksForTools(last) || next.url !== last.url || said(next).length < said(last).length + 2) break
      if (said(last).some((message, at) => JSON.stringify(message) !== JSON.stringify(said(next)[at]))) break
      if (
        said(next)
          .slice(said(last).length + 1)
          .some(({ role }) => role !== 'tool')
      )
        break
      steps.push(next)
    }
    return asksForTools(steps.at(-1)!) ? [] : [steps]
  })
}

function toRecorded(steps: Conversation, baseURL: string): Recorded {
  const messages = said(steps.at(-1)!)
  const calls = new Map(messages.flatMap(({ tool_calls }) => listOf(tool_calls).map((call) => [textOf(call.id), call])))
  const results = messages.flatMap(({ role, tool_call_id, content }): RecordedResult[] => {
    const { name, arguments: text } = record(calls.get(textOf(tool_call_id))?.function)
    if (role !== 'tool') return []
    return [{ toolName: textOf(name), input: JSON.parse(textOf(text) || '{}') as Json, output: textOf(content) }]
  })
  const { model } = configOf(steps[0]!)
  const tools = toolsOf(
    steps[0]!.request,
    results.map(({ toolName }) => toolName),
  )
  const userText = textOf(essence(messages[0]!).text)
  return { provider: 'openai-compatible', model, baseURL, instructions: '', userText, tools, results }
}

/** Serves each conversation under a path of its own: request n gets the bytes of answer n, in pieces, to any origin. */
async function serveAll(list: readonly Conversation[]) {
  const bodies = list.map((): JsonObject[] => [])
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '*')
    response.setHeader('access-control-allow-private-network', 'true')
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    const at = Number(/^\/(\d+)\//.exec(request.url ?? '')?.[1])
    void (async () => {
      const pieces: Buffer[] = []
      for await (const piece of request) pieces.push(piece as Buffer)
      bodies[at]!.push(JSON.parse(Buffer.concat(pieces).toString('utf8')) as JsonObject)
      const step = list[at]![bodies[at]!.length - 1]
      if (!step) return response.writeHead(400).end()
      response.writeHead(200, { 'content-type': step.isStream ? 'text/event-stream' : 'application/json' })
      const bytes = Buffer.from(step.body)
      for (let from = 0; from < bytes.length; from += 777) {
        response.write(bytes.subarray(from, from + 777))
        await new Promise((next) => setImmediate(next))
      }
      return response.end()
    })()
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  return {
    bodies,
    // The path names the server that was recorded, as that of a proxy would.
    baseURL: (at: number) => `http://127.0.0.1:${port}/${at}/${new URL(list[at]![0]!.url).host}/v1`,
    close: () => {
      server.closeAllConnections()
      return new Promise((closed) => server.close(closed))
    },
  }
}

describe.skipIf(!hasRecordings)(
  'Recorded conversations with servers, through the real worker',
  { timeout: 120_000 },
  () => {
    const all = conversations()
    // Each takes a worker of its own: those that stream or call, and one of each other server.
    const hosts = new Set<string>()
    const isNew = ({ url }: ChatRecording) => hosts.size < hosts.add(new URL(url).host).size
    const list = all.filter((steps) => isNew(steps[0]!) || steps.length > 1 || steps[0]!.isStream)
    const streamed = list.filter((steps) => steps.some(({ isStream }) => isStream))
    const calling = list.filter(({ length }) => length > 1)
    const outcomes: Outcome[] = []
    let site: Site
    let server: Awaited<ReturnType<typeof serveAll>>

    beforeAll(async () => {
      server = await serveAll(list)
      site = await openSite('real-input')
      const page: Page = await site.browser.newPage()
      await page.goto(site.url)
      const waiting = [...list.entries()]
      const lane = async () => {
        for (let next = waiting.shift(); next; next = waiting.shift()) {
          const [at, steps] = next
          const recorded = toRecorded(steps, server.baseURL(at))
          outcomes[at] = (await page.evaluate(`play(${JSON.stringify(recorded)})`)) as Outcome
        }
      }
      await Promise.all([lane(), lane(), lane(), lane()])
    }, 300_000)
    afterAll(async () => {
      await site.close()
      await server.close()
    })

    it('are of ten servers or more, with streams and with calls among them', () => {
      console.log(
        `${list.length} conversations with ${hosts.size} servers, ${streamed.length} with streams, ${calling.length} with calls`,
      )
      expect(hosts.size).toBeGreaterThanOrEqual(10)
      expect(streamed.length).toBeGreaterThanOrEqual(10)
      expect(calling.length).toBeGreaterThanOrEqual(10)
    })

    it.each(list.map((steps, at) => [steps[0]!.name, steps, at] as const))('end as recorded: %s', (_, steps, at) => {
      const { results } = toRecorded(steps, '')
      const { calls, code, answer } = outcomes[at]!
      expect({ calls, code }).toEqual({
        calls: results.map(({ toolName, input }) => ({ toolName, input })),
        code: undefined,
      })
      expect(answer).toBe(textIn(steps.at(-1)!))
      const bodies = server.bodies[at]!
      expect(bodies).toHaveLength(steps.length)
      expect(bodies.flatMap((body) => chatComplaints(body, rulesFor(steps[0]!.url)))).toEqual([])
    })
  },
)
