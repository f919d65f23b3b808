import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { TestProject } from 'vitest/node'

/** What the server makes of one request. */
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Bytes of a piece, whatever is in them; absent: all at once. */
  readonly size?: number
  /** Milliseconds between two pieces. */
  readonly delay?: number
  /** After the body. Default: the answer ends. `mute` says nothing at all. */
  readonly end?: 'reset' | 'silent' | 'mute'
}

/** What came of a plan: one row a request, in order. */
export type Seen = readonly { readonly at: number; readonly isLeft: boolean }[]

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the provider is: `PUT` and `GET` under `/plans/ID`, everything else is an API. */
    readonly provider: string
  }
}

interface Plan {
  readonly answers: readonly Answer[]
  readonly seen: { at: number; isLeft: boolean }[]
}

/**
 * Starts a provider that answers the requests of a plan in order, the last answer again and again. A request belongs to the plan
 * whose id, as `plan-ID`, is in its text.
 */
export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const plans = new Map<string, Plan>()
  const server = createServer((request, response) => void answer(request, response, plans))
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  provide('provider', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return () => {
    server.closeAllConnections()
    return new Promise((closed) => server.close(() => closed()))
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, plans: Map<string, Plan>): Promise<void> {
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-allow-methods', '*')
  response.setHeader('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '*')
  response.setHeader('access-control-expose-headers', 'retry-after, retry-after-ms, x-should-retry')
  response.setHeader('access-control-max-age', '600')
  if (request.method === 'OPTIONS') return void response.writeHead(204).end()
  const body = await textOf(request)
  const named = /^\/plans\/(.+)$/.exec(request.url ?? '')?.[1]
  if (named && request.method === 'PUT') plans.set(named, { answers: JSON.parse(body) as Answer[], seen: [] })
  if (named) return void response.end(JSON.stringify(plans.get(named)?.seen))
  const plan = plans.get(/plan-([\w-]+)/.exec(body)?.[1] ?? '')
  if (!plan) return void response.writeHead(400).end('There is no such plan')
  const row = { at: Date.now(), isLeft: false }
  plan.seen.push(row)
  response.on('close', () => (row.isLeft = !response.writableFinished))
  await play(response, plan.answers[Math.min(plan.seen.length, plan.answers.length) - 1]!)
}

async function play(response: ServerResponse, { status = 200, headers, body = '', size, delay, end }: Answer) {
  if (end === 'mute') return
  response.writeHead(status, { 'content-type': 'text/event-stream', ...headers }).flushHeaders()
  const bytes = Buffer.from(body)
  for (let at = 0; at < bytes.length && !response.destroyed; at += size ?? bytes.length) {
    response.write(bytes.subarray(at, at + (size ?? bytes.length)))
    if (delay !== undefined) await pause(delay)
  }
  if (end === 'silent') return
  if (end !== 'reset') return void response.end()
  await pause(20)
  response.socket?.resetAndDestroy()
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}
