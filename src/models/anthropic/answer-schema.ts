import { isJsonObject, type Json, type JsonSchema } from '../../core/json.js'
import { resolve } from '../root-schema.js'

const plain = new Set(['type', 'title', 'description', 'enum', 'const', 'required'])
const formats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'])

/** Whether the API can hold a model to a schema. One with another keyword, or that leads back to itself, is answered with 400. */
export function isStrictSchema(schema: JsonSchema): boolean {
  return isStrict(schema, schema, [])
}

function isStrict(schema: Json, root: JsonSchema, refs: readonly string[]): boolean {
  if (!isJsonObject(schema)) return false
  const each = (value: Json) => isStrict(value, root, refs)
  const all = (value: Json) => isJsonObject(value) && Object.values(value).every(each)
  const one = ([key, value]: [string, Json]): boolean => {
    if (plain.has(key)) return true
    switch (key) {
      case '$defs':
        // Each is looked at where it is referred to.
        return true
      case '$ref':
        return (
          typeof value === 'string' && !refs.includes(value) && isStrict(resolve(value, root), root, [...refs, value])
        )
      case 'anyOf':
      case 'allOf':
        return Array.isArray(value) && value.every(each)
      case 'properties':
        return all(value)
      case 'additionalProperties':
        return value === false
      case 'items':
        return each(value)
      case 'minItems':
        return value === 0 || value === 1
      case 'format':
        return formats.has(value as string)
      default:
        return false
    }
  }
  const isOpen = schema.type === 'object' && schema.additionalProperties !== false
  const says = ['type', 'enum', 'const', 'anyOf', 'allOf', '$ref'].some((key) => key in schema)
  return says && !isOpen && !Array.isArray(schema.type) && Object.entries(schema).every(one)
}

/** Whether a schema leads back to itself. */
export const isRecursive = (schema: JsonSchema): boolean => leadsBack(schema, schema, [])

function leadsBack(schema: Json, root: JsonSchema, refs: readonly string[]): boolean {
  if (typeof schema !== 'object' || schema === null) return false
  const ref = isJsonObject(schema) ? schema.$ref : undefined
  if (typeof ref === 'string' && (refs.includes(ref) || leadsBack(resolve(ref, root), root, [...refs, ref])))
    return true
  return Object.values(schema).some((inside) => leadsBack(inside as Json, root, refs))
}
