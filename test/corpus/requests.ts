import { isDeepStrictEqual } from 'node:util'
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.js'
import { HandrailError } from '../../src/errors.js'
import { encodeAnthropic } from '../../src/models/anthropic/encode.js'
import { encodeChat } from '../../src/models/chat/encode.js'
import { encodeGemini } from '../../src/models/gemini/encode.js'
import type { ModelConfig, ModelRequest } from '../../src/models/model.js'
import { encodeOpenAI } from '../../src/models/openai/encode.js'
import { rulesFor } from '../models/chat-canonical.js'
import { chatComplaints } from '../models/chat-rules.js'
import { geminiComplaints } from '../models/gemini-rules.js'
import { anthropicComplaints } from '../models/anthropic-rules.js'
import { openAIComplaints } from '../models/openai-rules.js'
import type { RecordedRequest } from './import-pieces.js'
import { importRequest } from './imports.js'
import { normalised } from './normal.js'
import { readCorpus, type Family, type RecordedResponse } from './responses.js'
import { textOf } from '../models/recorded-json.js'

/** Numbers of requests that were answered with 200. */
export interface RequestsSummary {
  readonly pairs: number
  readonly equal: number
  readonly legal: number
  readonly opaqueExact: number
  /** Requests that are not equal, by what they differ in; one may differ in several. */
  readonly diffs: Readonly<Record<string, number>>
  /** Requests that were answered with 400 because of how their history is put together. */
  readonly refused: number
  /** Of those: the checker says why. */
  readonly flagged: number
  /** Of those: the checker takes what we make of them. */
  readonly repaired: number
}

/**
 * Imports every accepted request under a folder, and encodes it again.
 * @param tell takes a line for each thing that was skipped or is not as it should be
 */
export async function measureRequests(folder: string, tell: (line: string) => void): Promise<RequestsSummary> {
  const { responses, skipped } = readCorpus(folder)
  for (const { name, why } of skipped) tell(`skipped ${name}: ${why}`)
  const accepted = responses.filter(
    (one): one is RecordedRequest => one.status === 200 && one.request !== undefined && one.url !== undefined,
  )
  const results = accepted.map((recorded) => {
    const result = measure(recorded)
    for (const fault of result.faults) tell(`${recorded.family} ${recorded.name}: ${fault}`)
    return { family: recorded.family, ...result }
  })
  const refused = responses.filter(isRefusedHistory).map((recorded) => {
    const isFlagged = complaintsOf(recorded, recorded.request, modelOf(recorded)).length > 0
    const isRepaired = measure(recorded).isLegal
    if (!isFlagged) tell(`${recorded.family} ${recorded.name}: its history was refused, and the checker takes it`)
    if (!isRepaired) tell(`${recorded.family} ${recorded.name}: its history was refused, and is not repaired`)
    return { isFlagged, isRepaired }
  })
  const features = results.flatMap(({ family, differs }) => differs.map((what) => `${family} ${what}`))
  const names = [...new Set(features)].toSorted()
  const counts = names.map((name) => [name, features.filter((one) => one === name).length] as const)
  return {
    pairs: accepted.length,
    equal: results.filter(({ differs }) => differs.length === 0).length,
    legal: results.filter(({ isLegal }) => isLegal).length,
    opaqueExact: results.filter(({ isOpaqueExact }) => isOpaqueExact).length,
    diffs: Object.fromEntries(counts.toSorted(([, a], [, b]) => b - a)),
    refused: refused.length,
    flagged: refused.filter(({ isFlagged }) => isFlagged).length,
    repaired: refused.filter(({ isRepaired }) => isRepaired).length,
  }
}

/** What providers say of calls without results, results without calls, and thinking that was moved. */
const structural =
  /no tool (output|call)|tool_(use|result|call_id)s?\b.*(without|found|missing|must|immediately|corresponding)|must be (followed|preceded|a response)|function (response|call) (parts|turn)|required (following|'reasoning') item|required following item|thought_signature|different conversation|roles? must alternate|unexpected role/i

const isRefusedHistory = (one: RecordedResponse): one is RecordedRequest =>
  one.status === 400 && one.request !== undefined && one.url !== undefined && structural.test(one.body)

const modelOf = ({ request, url }: RecordedRequest): string =>
  textOf(request.model) || (/models\/([^/:]+):/.exec(url)?.[1] ?? '')

interface Result {
  readonly differs: readonly string[]
  readonly isLegal: boolean
  readonly isOpaqueExact: boolean
  readonly faults: readonly string[]
}

const encoders: Readonly<Record<Family, (request: ModelRequest, config: ModelConfig) => object>> = {
  openai: encodeOpenAI,
  chat: encodeChat,
  anthropic: encodeAnthropic,
  gemini: encodeGemini,
}

function measure(recorded: RecordedRequest): Result {
  const { family, request: theirs } = recorded
  try {
    const { request, config, missing } = importRequest(recorded)
    const ours = plain(encoders[family](request, config))
    const [a, b] = [normalised(family, theirs), normalised(family, ours)]
    const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter(
      (key) => !isDeepStrictEqual(a[key], b[key]),
    )
    const complaints = complaintsOf(recorded, ours, config.model)
    const opaque = [opaqueIn(theirs), opaqueIn(ours)]
    const isOpaqueExact = isDeepStrictEqual(opaque[0], opaque[1])
    return {
      differs: [...new Set([...keys.flatMap((key) => placesOf(key, a[key], b[key])), ...missing])],
      isLegal: complaints.length === 0,
      isOpaqueExact,
      faults: [
        ...missing.map((what) => `there is no word for ${what}`),
        ...keys.map((key) => `${key} is ${brief(b[key])}, expected ${brief(a[key])}`),
        ...complaints.map((what) => `it is not legal: ${what}`),
        ...(isOpaqueExact ? [] : [`${opaque[1]!.length} opaque values of ${opaque[0]!.length} go back, or others`]),
      ],
    }
  } catch (error) {
    const why = HandrailError.is(error) ? error.message : String(error)
    return { differs: ['cannot be encoded'], isLegal: false, isOpaqueExact: false, faults: [why] }
  }
}

const keysOf = (...values: readonly object[]): string[] => [...new Set(values.flatMap((value) => Object.keys(value)))]

/** Where two values differ: the names of fields, without the places in lists. */
function placesOf(name: string, a: Json | undefined, b: Json | undefined, depth = 0): string[] {
  if (isDeepStrictEqual(a, b)) return []
  if (Array.isArray(a) && Array.isArray(b) && a.length === b.length)
    return a.flatMap((one: Json, i) => placesOf(name, one, b[i] as Json, depth))
  if (depth === 2 || !isJsonObject(a) || !isJsonObject(b)) return [name]
  return keysOf(a, b).flatMap((key) => placesOf(`${name}.${key}`, a[key], b[key], depth + 1))
}

const plain = (value: object): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject

const brief = (value: Json | undefined): string => {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 600 ? `${text.slice(0, 600)}…` : text
}

function complaintsOf({ family, url }: RecordedRequest, ours: JsonObject, model: string): string[] {
  if (family === 'openai') return openAIComplaints(ours, url)
  if (family === 'anthropic') return anthropicComplaints(ours, recordedVersion)
  return family === 'chat' ? chatComplaints(ours, rulesFor(url)) : geminiComplaints(ours, model)
}

/** Of the Messages API, under which all was recorded. */
const recordedVersion = '2023-06-01'

const opaqueKeys = /^(signature|encrypted_\w+|thought_?[sS]ignature|fingerprint|redacted_thinking)$/

/** What only a provider can read, in its order. */
function opaqueIn(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return []
  const isRedacted = (value as JsonObject).type === 'redacted_thinking'
  return Object.entries(value).flatMap(([key, inside]: [string, Json]) =>
    typeof inside === 'string' && inside !== '' && (opaqueKeys.test(key) || (isRedacted && key === 'data'))
      ? [inside]
      : opaqueIn(inside),
  )
}
