import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { JsonObject } from '../../src/core/json.js'
import type { RecordedStep, Recording } from './recordings.js'

export { recordings, type Recording, type RecordedStep } from './recordings.js'

export interface RecordedServer {
  readonly url: string
  /** What to configure a model of the recording's provider with. */
  baseURL(recording: Recording): string
  /** Bodies of the requests that came for a recording, in order. */
  requests(recording: Recording): readonly JsonObject[]
  close(): Promise<void>
}

export interface ServeOptions {
  /** Bytes of the next piece of a body; default: the whole body at once. */
  readonly nextSize?: () => number
}

/**
 * Serves each recording under a path of its own: request n gets the bytes of step n, to any origin. Ask for a page at `/` to
 * get the list of recordings as JSON, each with its `baseURL`.
 */
export async function serveRecordings(
  list: readonly Recording[],
  { nextSize }: ServeOptions = {},
): Promise<RecordedServer> {
  const bodies = new Map(list.map((recording) => [recording, [] as JsonObject[]]))
  let url = ''
  const baseURL = (recording: Recording) =>
    `${url}/${list.indexOf(recording)}${recording.provider === 'openai' ? '/v1' : ''}`
  const server = createServer((request, response) => {
    allowAnyOrigin(request, response)
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    if (request.url === '/')
      return void response.end(JSON.stringify(list.map((recording) => ({ ...recording, baseURL: baseURL(recording) }))))
    const recording = list[Number(request.url?.split('/')[1])]
    if (!recording) return void response.writeHead(404).end()
    void readBody(request).then((body) => {
      const received = bodies.get(recording)!
      received.push(body)
      const step = recording.steps[received.length - 1]
      if (step) return send(response, step, nextSize)
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: { message: `"${recording.name}" has no step ${received.length - 1}` } }))
    })
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    baseURL,
    requests: (recording) => bodies.get(recording) ?? [],
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections()
        server.close(() => closed())
      }),
  }
}

function allowAnyOrigin(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-allow-methods', 'GET, POST, OPTIONS')
  response.setHeader('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '*')
  response.setHeader('access-control-allow-private-network', 'true')
  response.setHeader('access-control-max-age', '600')
}

async function readBody(request: IncomingMessage): Promise<JsonObject> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return JSON.parse(Buffer.concat(pieces).toString('utf8') || '{}') as JsonObject
}

async function send(
  response: ServerResponse,
  { status, contentType, body }: RecordedStep,
  nextSize?: () => number,
): Promise<void> {
  const bytes = Buffer.from(body, 'utf8')
  response.writeHead(status, { 'content-type': contentType, 'retry-after-ms': '1' })
  for (let at = 0; at < bytes.length && !response.destroyed;) {
    const size = nextSize ? Math.max(1, nextSize()) : bytes.length
    response.write(bytes.subarray(at, at + size))
    at += size
    if (nextSize) await new Promise((next) => setImmediate(next))
  }
  response.end()
}
