import { logFormat, type EventBody, type RunEvent } from '../core/events.js'
import { isJsonObject, toJson, type Json, type JsonObject } from '../core/json.js'

/** The first place at which two values differ. */
export interface Difference {
  /** JSON Pointer. */
  readonly path: string
  readonly expected?: Json
  readonly actual?: Json
}

export interface CompareOptions {
  /** Format of the recorded log: fields that it did not have yet are not compared. */
  readonly format: number
  /** The reply is a live model's: only what it asks for is compared. */
  readonly isLiveReply: boolean
}

/**
 * How an event differs from the recorded one. What no run has twice is not compared: `at`, `chain`, hashes, `usage`, `bytes`,
 * `attempts`, ids and objects of the provider, and what a script is started with.
 */
export function differenceOf(
  expected: RunEvent,
  actual: EventBody,
  { format, isLiveReply }: CompareOptions,
): Difference | undefined {
  const recorded = comparable(expected, isLiveReply)
  const now = comparable(actual, isLiveReply)
  return differ(recorded, format < logFormat ? asOld(recorded, now) : now, '')
}

const passing: ReadonlySet<string> = new Set(['at', 'chain', 'hash', 'usage', 'bytes', 'attempts', 'tools', 'limits'])
const ofReply: ReadonlySet<string> = new Set(['type', 'step', 'complete', 'calls'])
const ofCall: ReadonlySet<string> = new Set(['callId', 'toolName', 'input', 'caller', 'line', 'executor'])

/** What is compared of an event. */
export function comparable(event: EventBody, isLiveReply = false): JsonObject {
  const json = toJson(event) as JsonObject
  const isReply = event.type === 'assistant-message'
  const fields = Object.entries(json).filter(([name]) =>
    isReply && isLiveReply ? ofReply.has(name) : !passing.has(name),
  )
  return Object.fromEntries(fields.map(([name, value]) => [name, name === 'calls' ? toCalls(value) : value]))
}

function toCalls(calls: Json): Json {
  if (!Array.isArray(calls)) return calls
  return calls.map((call: Json) => {
    if (!isJsonObject(call)) return call
    const isText = call.input === undefined
    return Object.fromEntries(
      Object.entries(call).filter(([name]) => ofCall.has(name) || (isText && name === 'inputText')),
    )
  })
}

const newFields = ['rules', 'detail', 'trusted', 'warnings', 'tellPerson', 'line'] as const

/** An event as a log of an older format would have it. */
function asOld(recorded: Json, now: Json): Json {
  if (Array.isArray(now) && Array.isArray(recorded))
    return now.map((item: Json, i) => (recorded[i] === undefined ? item : asOld(recorded[i], item)))
  if (!isJsonObject(now) || !isJsonObject(recorded)) return now
  const kept = Object.entries(now).filter(
    ([name]) => Object.hasOwn(recorded, name) || !(newFields as readonly string[]).includes(name),
  )
  return Object.fromEntries(
    kept.map(([name, value]) => [name, name === 'calls' ? asOld(recorded[name] ?? null, value) : value]),
  )
}

/** The first difference of two values, if there is one. */
export function differ(expected: Json | undefined, actual: Json | undefined, path: string): Difference | undefined {
  if (Object.is(expected, actual)) return undefined
  if (Array.isArray(expected) && Array.isArray(actual))
    return firstOf(Math.max(expected.length, actual.length), (i) => differ(expected[i], actual[i], `${path}/${i}`))
  if (isJsonObject(expected) && isJsonObject(actual)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])]
    const field = (value: JsonObject, name: string) => (Object.hasOwn(value, name) ? value[name] : undefined)
    return firstOf(names.length, (i) => {
      const name = names[i]!
      return differ(field(expected, name), field(actual, name), `${path}/${escaped(name)}`)
    })
  }
  return { path, ...(expected !== undefined && { expected }), ...(actual !== undefined && { actual }) }
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

function firstOf(count: number, find: (i: number) => Difference | undefined): Difference | undefined {
  for (let i = 0; i < count; i++) {
    const found = find(i)
    if (found) return found
  }
  return undefined
}

/** Lines of a diff that are shown on each side. */
const mostLines = 30

/** Two values as a diff by lines: what only the first has with `-`, what only the second has with `+`. */
export function diffOf(expected: Json | undefined, actual: Json | undefined): string {
  const [before, after] = [linesOf(expected), linesOf(actual)]
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const part = (lines: readonly string[], mark: string) => {
    const own = lines.slice(start, lines.length - end)
    const shown = own.slice(0, mostLines).map((line) => `${mark} ${line}`)
    return own.length > mostLines ? [...shown, `${mark} ... ${own.length - mostLines} lines more`] : shown
  }
  const around = (lines: readonly string[]) => lines.map((line) => `  ${line}`)
  return [
    ...around(before.slice(Math.max(0, start - 2), start)),
    ...part(before, '-'),
    ...part(after, '+'),
    ...around(before.slice(before.length - end, before.length - end + 2)),
  ].join('\n')
}

function linesOf(value: Json | undefined): string[] {
  if (value === undefined) return ['(nothing)']
  if (typeof value === 'string' && value.includes('\n')) return value.split('\n')
  return JSON.stringify(value, undefined, 2).split('\n')
}
