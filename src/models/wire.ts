import { isJsonObject, type Json, type JsonObject } from '../core/json.js'
import type { Usage } from '../core/usage.js'
import { HandrailError } from '../errors.js'

/** An event of a stream, which has been parsed from JSON but may be anything. */
export function eventObject(event: unknown): JsonObject & { readonly type: string } {
  const value = event as Json | undefined
  if (!isJsonObject(value) || typeof value.type !== 'string') throw badReply('an event is not an object with a "type"')
  return value as JsonObject & { readonly type: string }
}

export function objectAt(holder: JsonObject, key: string, where: string): JsonObject {
  const value = holder[key]
  if (!isJsonObject(value)) throw badReply(`${where} has no object "${key}"`)
  return value
}

export function stringAt(holder: JsonObject, key: string, where: string): string {
  const value = holder[key]
  if (typeof value !== 'string') throw badReply(`${where} has no string "${key}"`)
  return value
}

export function indexAt(holder: JsonObject, key: string, where: string): number {
  const value = holder[key]
  if (!Number.isInteger(value) || (value as number) < 0) throw badReply(`${where} has no index "${key}"`)
  return value as number
}

export const objectsAt = (holder: JsonObject, key: string): JsonObject[] => {
  const value = holder[key]
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

export const textAt = (holder: JsonObject | undefined, key: string): string => {
  const value = holder?.[key]
  return typeof value === 'string' ? value : ''
}

export const inner = (holder: JsonObject | undefined, key: string): JsonObject | undefined => {
  const value = holder?.[key]
  return isJsonObject(value) ? value : undefined
}

/** A number of tokens; absent when the provider did not say one. */
export const countAt = (holder: JsonObject | undefined, key: string): number | undefined => {
  const value = holder?.[key]
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

/** Usage without the fields that the provider left out. */
export function toUsage(usage: Record<keyof Omit<Usage, 'estimated'>, number | undefined>): Usage | undefined {
  const { input, output, ...rest } = usage
  if (input === undefined || output === undefined) return undefined
  return { input, output, ...Object.fromEntries(Object.entries(rest).filter(([, count]) => count !== undefined)) }
}

export const badReply = (what: string): HandrailError =>
  new HandrailError('model_bad_reply', `Cannot read the model's reply: ${what}`)
