import type { Failure } from '../src/core/events.js'
import { isJsonObject, type Json } from '../src/core/json.js'
import { isBuiltIn } from '../src/core/built-ins.js'
import { nearest } from '../src/core/nearest.js'
import { limitFault } from '../src/core/limit-ranges.js'
import { defaultLimits, type ScriptLimits } from '../src/core/script-limits.js'

/** How a tool answers each of its calls. */
export type Answer = { readonly delayMs: number } & ({ readonly value: Json } | { readonly failure: Failure })

/** What was given on the command line cannot be used. */
export class UsageError extends Error {}

/** Milliseconds: what a timer can wait. */
const longestDelay = 2 ** 31 - 1

/** @throws {UsageError} */
export function toTools(text: string): ReadonlyMap<string, Answer> {
  const tools = parse(text, 'The file of --tools')
  if (!isJsonObject(tools))
    throw new UsageError('The file of --tools is not an object: expected { "NAME": { "value": any } }')
  return new Map(Object.entries(tools).map(([name, tool]) => [name, toAnswer(name, tool)]))
}

function toAnswer(name: string, tool: Json): Answer {
  const shown = `The tool "${name}" of --tools`
  if (isBuiltIn(name)) throw new UsageError(`${shown} is built in: expected another name`)
  if (!isJsonObject(tool))
    throw new UsageError(`${shown} is not an object: expected { "value": any } or { "error": {…} }`)
  checkKeys(tool, ['value', 'error', 'delayMs'], shown)
  const { delayMs = 0 } = tool
  if (typeof delayMs !== 'number' || delayMs < 0 || delayMs > longestDelay)
    throw new UsageError(`${shown} has delayMs ${JSON.stringify(delayMs)}: expected a number from 0 to ${longestDelay}`)
  if (Object.hasOwn(tool, 'value') === Object.hasOwn(tool, 'error'))
    throw new UsageError(`${shown} needs either "value" or "error"`)
  return Object.hasOwn(tool, 'value')
    ? { delayMs, value: tool.value ?? null }
    : { delayMs, failure: toFailure(shown, tool.error ?? null) }
}

function toFailure(shown: string, error: Json): Failure {
  const { code, message } = isJsonObject(error) ? error : {}
  if (!isJsonObject(error) || typeof code !== 'string' || typeof message !== 'string')
    throw new UsageError(`${shown} has an error without texts: expected { "code": "…", "message": "…" }`)
  checkKeys(error, ['code', 'message', 'retryable'], `The error of ${shown.replace('The', 'the')}`)
  return { code, message, retryable: error.retryable === true }
}

/** @throws {UsageError} */
export function toLimits(text: string): ScriptLimits {
  const limits = parse(text, '--limits')
  if (!isJsonObject(limits)) throw new UsageError('--limits is not an object: expected, for instance, {"cpuMs": 2000}')
  checkKeys(limits, Object.keys(defaultLimits), '--limits')
  for (const [name, value] of Object.entries(limits)) {
    const least = name === 'openCalls' ? 1 : 0
    if (!Number.isSafeInteger(value) || (value as number) < least)
      throw new UsageError(`--limits has ${name} ${JSON.stringify(value)}: expected a whole number from ${least}`)
    const fault = value === 0 ? undefined : limitFault(name as keyof ScriptLimits, value)
    if (fault) throw new UsageError(`--limits has ${name} ${JSON.stringify(value)}: it ${fault}`)
  }
  return { ...defaultLimits, ...limits }
}

/** @throws {UsageError} */
export function checkPlace(locale: string, timeZone: string): void {
  try {
    Intl.getCanonicalLocales(locale)
  } catch {
    throw new UsageError(`--locale is "${locale}": expected a language tag as en-GB`)
  }
  try {
    Intl.DateTimeFormat('en', { timeZone })
  } catch {
    throw new UsageError(`--time-zone is "${timeZone}": expected a name as Europe/Vienna`)
  }
}

function parse(text: string, shown: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    throw new UsageError(`${shown} is not JSON: ${(error as Error).message}`)
  }
}

function checkKeys(object: object, known: readonly string[], shown: string): void {
  for (const key of Object.keys(object)) {
    if (known.includes(key)) continue
    const near = nearest(key, known)
    throw new UsageError(
      `${shown} has no "${key}": ${near === undefined ? `there are ${known.join(', ')}` : `did you mean "${near}"?`}`,
    )
  }
}
