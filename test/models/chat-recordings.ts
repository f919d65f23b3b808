import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { Json, JsonObject } from '../../src/core/json.js'
import type { ToolDefinition } from '../../src/core/tool-definition.js'
import { listOf, record, textOf } from './recorded-json.js'

/** One answer of a server of the Chat Completions API, and the request to it where that was recorded, too. */
export interface ChatRecording {
  readonly name: string
  readonly url: string
  readonly status: number
  readonly isStream: boolean
  readonly body: string
  readonly request?: JsonObject
}

const corpus = resolve(process.env.HANDRAIL_CORPUS ?? resolve(import.meta.dirname, '../../../shared/data'), '1-streams')

/** The recordings lie beside the project, and not in it: a clone by itself has none. */
export const hasRecordings = existsSync(corpus)

interface Interaction {
  readonly uri: string
  readonly request: Json
  readonly status: number
  readonly response?: Json
  readonly sse?: string
}

export function chatRecordings(): ChatRecording[] {
  if (!hasRecordings) return []
  return files(corpus, /\.(json|txt|sse)$/).flatMap((file) => {
    const name = relative(corpus, file)
    const text = readFileSync(file, 'utf8')
    return name.startsWith('pydantic-ai') ? inCassette(name, text) : bare(name, text)
  })
}

const files = (folder: string, name: RegExp): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()

function inCassette(name: string, text: string): ChatRecording[] {
  const { interactions = [] } = JSON.parse(text) as { interactions?: Interaction[] }
  return interactions.flatMap(({ uri, request, status, response = null, sse }, i) =>
    /\/chat\/completions(\?|#|$)/.test(uri)
      ? [
          {
            name: `${name}#${i}`,
            url: uri,
            status,
            isStream: sse !== undefined,
            body: sse ?? JSON.stringify(response),
            request: record(request),
          },
        ]
      : [],
  )
}

/** Answers alone: a message, or the chunks of one, a line each. */
function bare(name: string, text: string): ChatRecording[] {
  const one = { name, url: `https://server.example/${name}`, status: 200 }
  if (name.endsWith('.sse'))
    return text.includes('chat.completion.chunk') ? [{ ...one, isStream: true, body: text }] : []
  if (name.endsWith('.json')) {
    const [choice] = listOf(record(JSON.parse(text) as Json).choices)
    return choice?.message ? [{ ...one, isStream: false, body: text }] : []
  }
  if (!/^\s*\{/.test(text)) return []
  const chunks = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line) as JsonObject]))
  if (!chunks.some(({ choices }) => listOf(choices).some((choice) => choice.delta))) return []
  return [{ ...one, isStream: true, body: toSse(chunks) }]
}

export const toSse = (chunks: readonly JsonObject[]): string =>
  `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`

/**
 * A recorded message as the stream that it stands for. DERIVED: its content is what was recorded, how it is cut into chunks
 * is not.
 */
export function toChunks(answer: JsonObject): JsonObject[] {
  const [choice = {}] = listOf(answer.choices)
  const { content = null, tool_calls = null, ...rest } = record(choice.message)
  const deltas: JsonObject[] = [
    { role: 'assistant', content: typeof content === 'string' ? '' : null },
    ...Object.entries(rest).flatMap(([key, value]) =>
      typeof value === 'string' && key.startsWith('reasoning')
        ? pieces(value).map((piece) => ({ [key]: piece }))
        : [{ [key]: value }],
    ),
    ...(typeof content === 'string' ? pieces(content).map((piece) => ({ content: piece })) : [{ content }]),
    ...listOf(tool_calls).flatMap((call, index) => callPieces(call, index)),
  ]
  const { choices: _, usage = null, ...head } = answer
  const finish = textOf(choice.finish_reason) || null
  return [
    ...deltas.map((delta) => ({ ...head, choices: [{ index: 0, delta, finish_reason: null }] })),
    { ...head, choices: [{ index: 0, delta: {}, finish_reason: finish }] },
    { ...head, choices: [], usage },
  ]
}

function callPieces(call: JsonObject, index: number): JsonObject[] {
  const { arguments: text = null, ...called } = record(call.function)
  const first = { ...call, index, function: { ...called, arguments: '' } }
  const more = pieces(textOf(text)).map((piece) => ({ index, function: { arguments: piece } }))
  return [first, ...more].map((one) => ({ tool_calls: [one] }))
}

const pieces = (text: string): string[] => text.match(/[^]{1,7}/gu) ?? []

/** The tools of a request, and those that an answer asks for. */
export function toolsOf(request: JsonObject | undefined, called: readonly string[] = []): ToolDefinition[] {
  const tools = listOf(request?.tools).flatMap((tool): ToolDefinition[] => {
    const { name, description, parameters } = record(tool.function)
    if (typeof name !== 'string') return []
    const input = { ...record(parameters), type: 'object' }
    return [{ name, description: textOf(description) || `The recorded tool ${name}.`, input, risk: 'read' }]
  })
  const missing = called.filter((name) => !tools.some((tool) => tool.name === name))
  return [
    ...tools,
    ...missing.map((name): ToolDefinition => ({
      name,
      description: `The recorded tool ${name}.`,
      input: { type: 'object' },
      risk: 'read',
    })),
  ]
}
