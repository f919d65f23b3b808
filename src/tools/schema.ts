import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import type { Json, JsonObject, JsonSchema } from '../core/json.js'

/** A JSON Schema (2020-12, or draft-07 if its `$schema` says so), or a schema of a library that can give one. */
export type Schema = JsonSchema | StandardSchema
/** Zod from 4.2, ArkType from 2.1.28, and Valibot by `toStandardJsonSchema` of `@valibot/to-json-schema`. */
export type StandardSchema = StandardSchemaV1 & StandardJSONSchemaV1

/** What `run` gets: after the transforms and defaults of a library's schema. */
export type InputOf<S> = S extends StandardSchemaV1<unknown, infer Value> ? Value : ObjectOf<S>
/** What `run` returns: before them. */
export type OutputOf<S> =
  S extends StandardSchemaV1<infer Value, unknown> ? Value : S extends JsonObject ? ValueOf<S> : unknown

type ObjectOf<S> = JsonObject extends S ? JsonObject : ValueOf<S>

/** The values of a JSON Schema that is written out in place. What it cannot follow is `Json`. */
type ValueOf<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly anyOf: readonly (infer Branch)[] } | { readonly oneOf: readonly (infer Branch)[] }
      ? ValueOf<Branch>
      : S extends { readonly type: infer Type }
        ? OfType<S, Type extends readonly (infer Each)[] ? Each : Type>
        : Json

type OfType<S, Type> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? S extends { readonly items: infer Items }
            ? readonly ValueOf<Items>[]
            : readonly Json[]
          : Type extends 'object'
            ? S extends { readonly properties: infer Properties }
              ? Fields<Properties, S extends { readonly required: readonly (infer Name)[] } ? Name : never>
              : JsonObject
            : Json

type Fields<Properties, Required> = {
  readonly [Name in keyof Properties as Name extends Required ? Name : never]: ValueOf<Properties[Name]>
} & { readonly [Name in keyof Properties as Name extends Required ? never : Name]?: ValueOf<Properties[Name]> }

export const isStandardSchema = (schema: unknown): schema is StandardSchema =>
  (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema

/**
 * The JSON Schema of what a schema accepts, as a copy that nobody else can change.
 * @throws {TypeError} if it has none, or it is not JSON.
 */
export function toJsonSchema(schema: unknown): JsonSchema {
  const given = isStandardSchema(schema) ? fromLibrary(schema) : schema
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new TypeError(`it must be a JSON Schema object or a Standard Schema; it is ${nameOf(given)}`)
  let copy: Json
  try {
    copy = JSON.parse(JSON.stringify(given)) as Json
  } catch (cause) {
    throw new TypeError(`it is not JSON: ${messageOf(cause)}`, { cause })
  }
  return copy as JsonSchema
}

function fromLibrary(schema: StandardSchema): unknown {
  const { vendor, jsonSchema } = schema['~standard']
  if (typeof jsonSchema?.input !== 'function') {
    const hint = vendor === 'valibot' ? '; wrap it with toStandardJsonSchema of @valibot/to-json-schema' : ''
    throw new TypeError(`its library, ${vendor}, gives no JSON Schema for it${hint}`)
  }
  try {
    return jsonSchema.input({ target: 'draft-2020-12' })
  } catch (cause) {
    throw new TypeError(`its library, ${vendor}, gives no JSON Schema for it: ${messageOf(cause)}`, { cause })
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
const nameOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value)
