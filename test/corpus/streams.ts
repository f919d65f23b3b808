import { isDeepStrictEqual } from 'node:util'
import { toolsOf } from '../models/chat-recordings.js'
import { difference, formOf } from './exact.js'
import { isKept, plant } from './planted.js'
import { replay, toServed, type Outcome, type Served } from './replay.js'
import { readCorpus, type RecordedResponse } from './responses.js'

/** Numbers of responses, but for `files` and `skipped`. */
export interface StreamsSummary {
  readonly files: number
  readonly supported: number
  readonly skipped: number
  readonly exactOf: number
  readonly exact: number
  readonly chunkInvariant: number
  readonly crashes: number
  readonly unknownPreserved: number
  readonly truncationTyped: number
}

/**
 * Puts every response under a folder through its decoder.
 * @param tell takes a line for each thing that was skipped or is not as it should be
 */
export async function measureStreams(folder: string, tell: (line: string) => void): Promise<StreamsSummary> {
  const { files, responses, skipped } = readCorpus(folder)
  for (const { name, why } of skipped) tell(`skipped ${name}: ${why}`)
  const results: Result[] = []
  // Refusals are asked for a second time, some only after half a minute: they wait beside the others.
  const refusals = new Map(responses.flatMap((one) => (one.status === 200 ? [] : [[one, measure(one)] as const])))
  for (const response of responses) {
    const result = await (refusals.get(response) ?? measure(response))
    for (const fault of result.faults) tell(`${response.family} ${response.name}: ${fault}`)
    results.push(result)
  }
  const count = (key: Exclude<keyof Result, 'faults'>) => results.filter((result) => result[key]).length
  return {
    files,
    supported: responses.length,
    skipped: skipped.length,
    exactOf: count('isComparable'),
    exact: count('isExact'),
    chunkInvariant: count('isInvariant'),
    crashes: count('crashes'),
    unknownPreserved: count('keepsUnknown'),
    truncationTyped: count('endsTyped'),
  }
}

interface Result {
  readonly isComparable: boolean
  readonly isExact: boolean
  readonly isInvariant: boolean
  readonly crashes: boolean
  readonly keepsUnknown: boolean
  readonly endsTyped: boolean
  readonly faults: readonly string[]
}

const places = 20

async function measure(response: RecordedResponse): Promise<Result> {
  const served = toServed(response, response.family === 'chat' ? toolsOf(response.request) : [])
  const size = new TextEncoder().encode(served.body).length
  const next = random(size)
  const cuts = Array.from({ length: places }, () => Math.floor(next() * size)).toSorted((a, b) => a - b)
  const faults: string[] = []
  const [whole, byByte, inPieces, planted, ...cut] = await Promise.all([
    replay(served),
    replay(served, { endOf: (at) => at + 1 }),
    replay(served, { endOf: (at) => cuts.find((place) => place > at) ?? Infinity }),
    tryTo(() => replay(plant(served))),
    ...cuts.map((at, i) => replay(served, { cut: { at, resets: i % 2 === 1 } })),
  ])
  const outcomes = [whole, byByte, inPieces, planted, ...cut]
  const crash = outcomes.find((outcome) => 'crash' in outcome)
  if (crash) faults.push(`it crashed: ${crash.crash}`)
  const isInvariant = isDeepStrictEqual(byByte, whole) && isDeepStrictEqual(inPieces, whole)
  if (!isInvariant) faults.push(`it depends on how it is cut: ${brief(whole)}, ${brief(byByte)}, ${brief(inPieces)}`)
  const [isComparable, wrong] = compare(response, whole)
  if (wrong !== undefined) faults.push(`it is not exact: ${wrong}`)
  const keepsUnknown = isKept(served.family, whole, planted)
  if (!keepsUnknown) faults.push(`something unknown is lost, or does harm: ${brief(whole)}, ${brief(planted)}`)
  const untyped = cut.findIndex((outcome) => !endsTyped(served, whole, outcome))
  if (untyped >= 0) faults.push(`cut after ${cuts[untyped]} of ${size} bytes it is ${brief(cut[untyped]!)}`)
  return {
    isComparable,
    isExact: isComparable && wrong === undefined,
    isInvariant,
    crashes: crash !== undefined,
    keepsUnknown,
    endsTyped: untyped < 0,
    faults,
  }
}

/** A recording that cannot be read is a fault of it, and no reason to stop. */
async function tryTo(act: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await act()
  } catch (error) {
    return { code: 'unreadable', retryable: false, message: String(error) }
  }
}

function compare(response: RecordedResponse, outcome: Outcome): [isComparable: boolean, wrong?: string] {
  try {
    const form = formOf(response)
    return form ? [true, difference(form, outcome)] : [false]
  } catch (error) {
    return [true, `its form cannot be read: ${String(error)}`]
  }
}

/** A cut response ends as a cut stream; one whose last word had come is the same, but for counts that come after it. */
function endsTyped({ status }: Served, whole: Outcome, cut: Outcome): boolean {
  if ('code' in cut)
    return status === 200 ? (cut.code === 'model_stream_cut' && cut.retryable) || isDeepStrictEqual(cut, whole) : true
  if (!('reply' in cut) || !('reply' in whole)) return false
  return isDeepStrictEqual({ ...cut.reply, usage: null }, { ...whole.reply, usage: null })
}

const brief = (outcome: Outcome): string => {
  const text = JSON.stringify('reply' in outcome ? outcome.reply : outcome)
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}

/** Below 1, the same ones every time. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
