import type { StateChange } from './script-outcome.js'
import { canonicalJson, type Json, type JsonObject } from './json.js'

/** What a script changed of the state that it found; nothing when it is as it was. */
export function changeOf(before: JsonObject, after: JsonObject): StateChange | undefined {
  const set = Object.entries(after).filter(([name, value]) => textOf(before, name) !== canonicalJson(value))
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  if (set.length + removed.length === 0) return undefined
  return { ...(set.length > 0 && { set: Object.fromEntries(set) }), ...(removed.length > 0 && { removed }) }
}

/** A state after a script's change. */
export function withChange(state: JsonObject, { set = {}, removed = [] }: StateChange): JsonObject {
  const kept = Object.entries(state).filter(([name]) => !removed.includes(name) && !Object.hasOwn(set, name))
  return Object.fromEntries<Json>([...kept, ...Object.entries(set)])
}

const textOf = (object: JsonObject, name: string): string | undefined =>
  Object.hasOwn(object, name) ? canonicalJson(object[name]!) : undefined
