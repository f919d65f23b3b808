export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}
/** A JSON Schema object, draft-07 or 2020-12. */
export type JsonSchema = JsonObject

export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** One text for one value: keys sorted, no spaces. What hashes are made of. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const fields = Object.keys(value).toSorted()
  return `{${fields.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key]!)}`).join(',')}}`
}

/**
 * What JSON makes of a value: undefined is null, Date becomes its text, functions and symbols in objects are left out.
 * @throws {TypeError} for cycles, BigInt, and anything else that JSON cannot hold.
 */
export function toJson(value: unknown): Json {
  const text = JSON.stringify(value)
  return text === undefined ? null : (JSON.parse(text) as Json)
}

/** Levels that a call's input may have. */
export const deepestInput = 128
/** Levels that a tool's output may have: what every engine can store, copy and print without running out of stack. */
export const deepestOutput = 512

/** Levels of a schema, as JSON: what reads one calls itself for each. */
export const deepestSchema = 256

/**
 * Whether arrays and objects are nested deeper than `limit`: a number is 0 deep, `[]` and `[1]` are 1 deep. Does not recurse,
 * so that a hostile value cannot end the stack.
 */
export function isDeeperThan(value: Json, limit: number): boolean {
  let level = [value].filter(isNested)
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return true
    level = level.flatMap((item) => Object.values(item).filter(isNested))
  }
  return false
}

/** Whether it holds a number that JSON cannot say: `1e999` is read as Infinity, which is stored, shown and hashed as null. */
export function hasInfinity(value: Json): boolean {
  const left = [value]
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    if (typeof item === 'number' && !Number.isFinite(item)) return true
    if (isNested(item)) for (const inner of Object.values(item)) left.push(inner as Json)
  }
  return false
}

const isNested = (value: Json): value is readonly Json[] | JsonObject => typeof value === 'object' && value !== null
