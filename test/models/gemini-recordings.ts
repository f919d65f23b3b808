import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { Json, JsonObject } from '../../src/core/json.js'
import { eventsOf, listOf, record, textOf } from './recorded-json.js'

const corpus = resolve(process.env.HANDRAIL_CORPUS ?? resolve(import.meta.dirname, '../../../shared/data'), '1-streams')

/** The recordings lie beside the project, and not in it: a clone by itself has none. */
export const hasGeminiRecordings = existsSync(corpus)

export interface GeminiAnswer {
  readonly name: string
  /** Recorded as JSON, and served as a stream. */
  readonly derived: boolean
  readonly events: readonly JsonObject[]
}

export interface GeminiExchange extends GeminiAnswer {
  readonly model: string
  readonly status: number
  readonly request: JsonObject
}

const filesUnder = (folder: string, name: RegExp) =>
  readdirSync(join(corpus, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()

const read = (file: string) => readFileSync(file, 'utf8')

/** Answers that were recorded without their requests. */
export function bareAnswers(): GeminiAnswer[] {
  const isMine = (file: string) => !file.includes('/interactions/')
  const streams = filesUnder('vercel-ai/google', /\.chunks\.txt$/).filter(isMine)
  const whole = filesUnder('vercel-ai/google', /\.json$/).filter(isMine)
  return [
    ...streams.map((file) => {
      const lines = read(file).split('\n').filter(Boolean)
      return {
        name: relative(corpus, file),
        derived: false,
        events: lines.map((line) => record(JSON.parse(line) as Json)),
      }
    }),
    ...whole.map((file) => ({
      name: relative(corpus, file),
      derived: true,
      events: [record(JSON.parse(read(file)) as Json)],
    })),
  ]
}

interface Interaction {
  readonly uri: string
  readonly request: Json
  readonly status: number
  readonly response?: Json
  readonly sse?: string
}

/** Requests with their answers, by file. */
export function exchanges(): GeminiExchange[][] {
  return filesUnder('pydantic-ai', /\.json$/).flatMap((file) => {
    const { interactions = [] } = JSON.parse(read(file)) as { interactions?: Interaction[] }
    const mine = interactions.filter(({ uri }) => /:(stream)?[gG]enerateContent(\?|$)/.test(uri))
    if (mine.length === 0) return []
    return [
      mine.map(({ uri, request, status, response = null, sse }, i) => ({
        name: `${relative(corpus, file)}#${i}`,
        model: /models\/([^/:]+):/.exec(uri)![1]!,
        status,
        derived: sse === undefined,
        request: record(camel(request)),
        events: sse === undefined ? [record(response)] : eventsOf(sse),
      })),
    ]
  })
}

const free = new Set(['args', 'response', 'parametersJsonSchema', 'parameters', 'responseJsonSchema'])

/** Some clients write the names of fields with underscores. */
export function camel(value: Json): Json {
  if (Array.isArray(value)) return value.map(camel)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inside]) => {
      const name = key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
      return [name, free.has(name) ? inside : camel(inside)]
    }),
  )
}

/** What an answer comes to, read of its events without the decoder. */
export interface GeminiFacts {
  readonly text: string
  readonly thoughts: string
  readonly calls: readonly Json[]
  /** With the part that each is on, text apart. */
  readonly signatures: readonly string[]
  readonly others: readonly JsonObject[]
}

export const partsIn = (events: readonly JsonObject[]): JsonObject[] =>
  events.flatMap(({ candidates }) => listOf(record(listOf(candidates)[0]?.content).parts))

export function factsOf(parts: readonly JsonObject[]): GeminiFacts {
  const texts = (thought: boolean) =>
    parts.map((part) => ((part.thought === true) === thought ? textOf(part.text) : '')).join('')
  const others = parts.filter(({ text, functionCall }) => text === undefined && functionCall === undefined)
  return {
    text: texts(false),
    thoughts: texts(true),
    calls: callsIn(parts),
    signatures: parts.flatMap(({ thoughtSignature, text, functionCall }) => {
      const kind = functionCall ? `call ${textOf(record(functionCall).name)}` : text === undefined ? 'other' : 'text'
      return thoughtSignature ? [`${kind}: ${textOf(thoughtSignature)}`] : []
    }),
    others,
  }
}

/** Calls as `[name, args, id]`; streamed arguments are put together the plain way. */
function callsIn(parts: readonly JsonObject[]): Json[] {
  const calls: { name: string; args: Record<string, Json>; id: Json }[] = []
  for (const { functionCall } of parts) {
    if (functionCall === undefined) continue
    const { name, args, id = null, partialArgs } = record(functionCall)
    if (typeof name === 'string') calls.push({ name, args: { ...record(args) }, id })
    for (const { jsonPath, stringValue, numberValue } of listOf(partialArgs)) {
      const steps = textOf(jsonPath).match(/[^$.[\]]+/g)!
      let at = calls.at(-1)!.args
      for (const [i, step] of steps.slice(0, -1).entries())
        at = (at[step] ??= (/^\d+$/.test(steps[i + 1]!) ? [] : {}) as Json) as Record<string, Json>
      const last = steps.at(-1)!
      at[last] = typeof stringValue === 'string' ? textOf(at[last]) + stringValue : (numberValue ?? null)
    }
  }
  return calls.map(({ name, args, id }) => [name, args, id])
}
