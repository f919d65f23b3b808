import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Json } from '../core/json.js'
import { escapeStep, type Fault } from './fault.js'
import { isStandardSchema, type Schema } from './schema.js'

export type Parsed = { readonly value: unknown } | { readonly faults: readonly Fault[] }

/**
 * Takes an input that fits the JSON Schema through the library's own schema, on the page: its refinements may find faults,
 * its transforms and defaults change the value. With a plain JSON Schema it is the input itself.
 */
export async function parseValue(schema: Schema, input: Json): Promise<Parsed> {
  if (!isStandardSchema(schema)) return { value: input }
  const result = await schema['~standard'].validate(input)
  if (!result.issues) return { value: result.value }
  return {
    faults: result.issues.map(({ message, path }) => ({ path: toPointer(path ?? []), keyword: 'refinement', message })),
  }
}

/** A JSON pointer: what leads to a value, each step escaped. */
export const toPointer = (path: readonly (PropertyKey | StandardSchemaV1.PathSegment)[]): string =>
  path.map((step) => `/${escapeStep(String(typeof step === 'object' ? step.key : step))}`).join('')

/** Faults as a model reads them, at most 20. */
export function describeFaults(faults: readonly Fault[]): string {
  const shown = faults.slice(0, 20).map(({ path, message }) => `${clip(path) || 'the whole input'} ${clip(message)}`)
  const more = faults.length - shown.length
  return `${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`
}

const clip = (text: string): string => (text.length <= 300 ? text : `${text.slice(0, 300)}…`)
