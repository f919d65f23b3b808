import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.js'
import { toSse } from '../models/derived-stream.js'
import { eventsOf, listOf, record, textOf } from '../models/recorded-json.js'

export type Family = 'openai' | 'chat' | 'anthropic' | 'gemini'

/** One answer of a provider as it was recorded, and the request to it where that was recorded, too. */
export interface RecordedResponse {
  readonly name: string
  readonly family: Family
  readonly status: number
  readonly isStream: boolean
  /** The text of the stream, or of the JSON. */
  readonly body: string
  readonly url?: string
  readonly request?: JsonObject
}

export interface Corpus {
  readonly files: number
  readonly responses: readonly RecordedResponse[]
  /** Files, or exchanges in them, that are no response of the four families. */
  readonly skipped: readonly { readonly name: string; readonly why: string }[]
}

/** Reads every file under a folder. */
export function readCorpus(folder: string): Corpus {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
  const responses: RecordedResponse[] = []
  const skipped: { name: string; why: string }[] = []
  for (const file of files) {
    const name = relative(folder, file).split(sep).join('/')
    for (const found of responsesIn(name, readFileSync(file, 'utf8')))
      if ('why' in found) skipped.push(found)
      else responses.push(found)
  }
  return { files: files.length, responses, skipped }
}

type Found = RecordedResponse | { readonly name: string; readonly why: string }

function responsesIn(name: string, text: string): Found[] {
  if (/^\s*(data|event|id|retry)?:/.test(text)) return streamIn(name, text)
  const values = jsonIn(text)
  if (values === undefined) return [{ name, why: 'it is neither JSON nor a stream of events' }]
  const [first] = values
  if (values.length > 1) return linesIn(name, values)
  if (isJsonObject(first) && Array.isArray(first.interactions))
    return listOf(first.interactions).map((one, i) => exchange(`${name}#${i}`, one))
  if (Array.isArray(first) && listOf(first as Json).every(({ path, response }) => path && response))
    return listOf(first as Json).map((one, i) => exchange(`${name}#${i}`, fromScope(one)))
  return [bare(name, record(first))]
}

/** One JSON text, or one a line. */
function jsonIn(text: string): Json[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  for (const texts of [[text], lines])
    try {
      return texts.map((one) => JSON.parse(one) as Json)
    } catch {
      continue
    }
  return undefined
}

/** Another way to write down an exchange: the host apart from the path. */
const fromScope = ({ scope, path, body, ...rest }: JsonObject): JsonObject => ({
  ...rest,
  uri: `${textOf(scope)}${textOf(path)}`,
  request: body ?? null,
})

const paths: readonly (readonly [RegExp, Family])[] = [
  [/\/responses$/, 'openai'],
  [/\/chat\/completions$/, 'chat'],
  [/^(?!.*\/threads\/).*\/messages$/, 'anthropic'],
  [/:(generateContent|streamGenerateContent)$/, 'gemini'],
]

/** The family that a request's host and path name: these paths are the same at every host. */
export const familyOfRequest = (method: string, uri: string): Family | undefined => {
  const path = uri.replace(/[?#].*$/, '')
  return method.toUpperCase() === 'POST' ? paths.find(([pattern]) => pattern.test(path))?.[1] : undefined
}

function exchange(name: string, { method = 'POST', uri, request, status, response, sse }: JsonObject): Found {
  const url = textOf(uri)
  const family = familyOfRequest(textOf(method), url)
  if (!family) return { name, why: `${textOf(method)} ${url} is no request of the four families` }
  const whole = Array.isArray(response) && response.length === 1 ? (response[0] as Json) : response
  if (typeof sse !== 'string' && !isJsonObject(whole)) return { name, why: 'its response was not recorded as JSON' }
  return {
    name,
    family,
    status: typeof status === 'number' ? status : 200,
    isStream: typeof sse === 'string',
    body: typeof sse === 'string' ? sse : JSON.stringify(whole),
    url,
    request: record(request),
  }
}

/** What a folder is named after is one API, or a vendor with several. */
const folders: readonly (readonly [RegExp, readonly Family[]])[] = [
  [/\/responses\//, ['openai']],
  [/\/chat\//, ['chat']],
  [/\/(openai|azure|open-responses)\//, ['openai', 'chat']],
  [/\/anthropic[\w-]*\//, ['anthropic']],
  [/\/google[\w-]*\//, ['gemini']],
]

const all: readonly Family[] = ['openai', 'chat', 'anthropic', 'gemini']

/** The families that the folder of a file may hold; all when it names none. */
export const familiesOfFolder = (name: string): readonly Family[] =>
  folders.find(([pattern]) => pattern.test(`/${name}`))?.[1] ?? all

/** Whether an event, or a whole answer, is one of a family. */
const looks: Readonly<Record<Family, (event: JsonObject) => boolean>> = {
  openai: ({ type, object, output }) => textOf(type).startsWith('response.') || (object === 'response' && !!output),
  chat: ({ choices }) => listOf(choices).some(({ delta, message }) => !!delta || !!message),
  anthropic: ({ type, content, role }) => type === 'message_start' || (role === 'assistant' && Array.isArray(content)),
  gemini: ({ candidates, promptFeedback }) => Array.isArray(candidates) || isJsonObject(promptFeedback),
}

const notOfFolder = (name: string, families: readonly Family[]) => ({
  name,
  why: families === all ? 'it is no response of the four families' : `it is no response of ${families.join(' or ')}`,
})

function bare(name: string, answer: JsonObject): Found {
  const families = familiesOfFolder(name)
  const isError =
    isJsonObject(answer.error) && Object.keys(answer).every((key) => /^(error|type|request_id)$/.test(key))
  const family = isError && families !== all ? families[0] : families.find((one) => looks[one](answer))
  if (!family) return notOfFolder(name, families)
  const { code } = record(answer.error)
  const status = !isError ? 200 : typeof code === 'number' ? code : 400
  return { name, family, status, isStream: false, body: JSON.stringify(answer) }
}

function streamIn(name: string, body: string): Found[] {
  const families = familiesOfFolder(name)
  let events: readonly JsonObject[]
  try {
    events = eventsOf(body)
  } catch {
    return [{ name, why: 'its events are not JSON' }]
  }
  const family = families.find((one) => events.some(looks[one]))
  return [family ? { name, family, status: 200, isStream: true, body } : notOfFolder(name, families)]
}

/** A file of events alone may hold several streams, one after the other. */
function linesIn(name: string, values: readonly Json[]): Found[] {
  const families = familiesOfFolder(name)
  const events = values.map((value) => record(value))
  const family = families.find((one) => events.some(looks[one]))
  if (!family) return [notOfFolder(name, families)]
  const streams: JsonObject[][] = [[]]
  for (const event of events) {
    if (/^(response\.(completed|incomplete|failed)|message_stop)$/.test(textOf(streams.at(-1)!.at(-1)?.type)))
      streams.push([])
    streams.at(-1)!.push(event)
  }
  return streams.map((stream, i) => ({
    name: i > 0 ? `${name}#${i}` : name,
    family,
    status: 200,
    isStream: true,
    body: toBody(family, stream),
  }))
}

/** Events as the text of a stream, in the way of their provider. */
export function toBody(family: Family, events: readonly JsonObject[]): string {
  if (family === 'openai' || family === 'anthropic') return events.map(toSse).join('')
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  return family === 'chat' ? `${text}data: [DONE]\n\n` : text
}
